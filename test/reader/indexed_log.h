// Puts index blocks into a file, by what a full walk through it finds.
#pragma once

#include <cstddef>
#include <string>

#include "reader/log_file.h"

namespace steno::test {

// Opened by the index whatever the size.
inline constexpr reader::OpenOptions kByIndex = {0};

// Indexes say nothing of those before them, as those of older writers; where they are; or other places.
enum class Earlier { kNone, kNamed, kWrong };

// `bytes` with an index block after every `every` blocks of a session and before its end block. Requires a sound file.
std::string with_indexes(const std::string& bytes, std::size_t every, Earlier earlier = Earlier::kNone);

}  // namespace steno::test
