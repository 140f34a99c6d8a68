// A writer does without one codec, so that one can measure what the codec brings (bench/real/encode.cc).
#pragma once

#include <string_view>
#include <vector>

namespace steno::format {

// The name of the relations between columns of integers, and that of strings that show bytes: no codecs of their own.
inline constexpr std::string_view kRelatedName = "related";
inline constexpr std::string_view kShownName = "shown";

// Names of the codecs that a writer can do without: all but those that take any column, and constants.
std::vector<std::string_view> codecs_to_spare();
// From here on no writer of this process uses the codec of that name; an empty one: each uses all. Readers are not
// concerned. False: codecs_to_spare() has no such name. Not thread-safe: it comes before anything is written.
bool leave_out_codec(std::string_view name);

namespace detail {
inline std::string_view left_out_codec;
}
// Returns whether a writer has to do without the codec.
inline bool is_left_out(std::string_view codec) {
  return codec == detail::left_out_codec;
}

}  // namespace steno::format
