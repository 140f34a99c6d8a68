// How wide text is on a terminal: what width and precision of brace formats count (types.md, "Text").
#pragma once

#include <cstddef>
#include <string_view>

namespace steno::text {

// The columns of UTF-8: 2 for most East Asian characters and pictures, 1 for any other and for each byte that is no
// UTF-8.
std::size_t columns_of(std::string_view text);

// The bytes of as many whole characters as fit in so many columns.
std::size_t size_of_columns(std::string_view text, std::size_t columns);

}  // namespace steno::text
