// The first bytes of a file of this machine, whatever is appended to it.
#pragma once

#include <steno/c_reader.h>

#include <memory>
#include <string>

namespace steno::spark {

// Opens the file. The source has at most so many bytes of it, and fails where they are no longer there. Throws
// std::runtime_error if the file cannot be opened. `name` is copied when the source is opened.
steno_source beginning_of(const std::string& name, std::uint64_t most);

}  // namespace steno::spark
