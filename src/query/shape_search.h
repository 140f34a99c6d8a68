// Searching columns of shaped strings (file.md §9.4) without their strings: a text that cannot be in any string of a
// shape is not looked for in those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "query/message_shape.h"
#include "query/needle.h"

namespace steno::query {

// False only if the text is certainly in none of the strings of an untrusted column.
bool may_contain(const Needle& needle, std::span<const std::uint8_t> column);

// Whether any value of an untrusted column of strings can have part in a match. True also for other codecs, and for a
// column that is damaged: then nothing is known.
bool shapes_may_contribute(const Needle& needle, const NeedleSites::Column& column,
                           std::span<const std::uint8_t> bytes);

// What a row's string has to do with a match.
enum class Share : std::uint8_t {
  kNone,     // no part in it
  kPart,     // it may have
  kUnknown,  // look at the string
};

// Tells that of each row of an untrusted column of n strings, by the numbers in them where that is enough. False: the
// column is of another codec, or damaged.
[[nodiscard]] bool find_shaped_rows(const Needle& needle, const NeedleSites::Column& column,
                                    std::span<const std::uint8_t> bytes, std::size_t n, std::vector<Share>* rows);

}  // namespace steno::query
