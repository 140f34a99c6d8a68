// Logs that Python fetches.
#pragma once

#include <nanobind/nanobind.h>

#include "steno/c_reader.h"

namespace steno_python {

namespace nb = nanobind;

// Returns a source for steno_reader_open_sources(), which takes it over with a reference to the object. The object has
// size and read(ranges), which returns bytes for each.
steno_source source_of(nb::object source, const char* name);

}  // namespace steno_python
