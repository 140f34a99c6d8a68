// steno._reader: what the package steno is made on. Not for users.
#include <nanobind/nanobind.h>

#include "reader.h"
#include "rows.h"
#include "stream.h"

NB_MODULE(_reader, module) {
  steno_python::bind_reader(module);
  steno_python::bind_rows(module);
  steno_python::bind_stream(module);
}
