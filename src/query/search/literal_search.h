// A literal text in many strings, with one pass over all of them where they lie one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace steno::query {

// Sets found[i] to 1 where strings[i] contains the literal, which must not be empty; the others stay as they are.
// False: the strings lie apart, or so many contain it that it is as well to look at each by itself; nothing is known
// then.
[[nodiscard]] bool find_literal(std::string_view literal, std::span<const std::string_view> strings,
                                std::span<std::uint8_t> found);

}  // namespace steno::query
