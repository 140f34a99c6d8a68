// The distinct strings of a column without its other values: where there are few, a question about strings is asked of
// them, not of each value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/strings/codec.h"

namespace steno::format {

// Reads the distinct strings of an untrusted column of n values that has them: constant, dictionary and shared columns
// (these only if `codes` is wanted; what they do not share may be among the distinct ones more than once). Null is
// a view with data() == nullptr. If `codes` is not nullptr, *codes gets for each value the index of its string; else
// that part is neither read nor checked. False: another codec, or damaged.
[[nodiscard]] bool read_distinct_strings(std::span<const std::uint8_t> column, std::size_t n,
                                         const SharedDictionaries* shared, StringArena* arena,
                                         std::vector<std::string_view>* distinct, std::vector<std::uint64_t>* codes);

}  // namespace steno::format
