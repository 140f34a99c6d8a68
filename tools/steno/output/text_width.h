// How many columns of a terminal a text takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steno::cli {

// The width of valid UTF-8: characters of East Asia and emoji take two, marks that combine with the one before them
// none. Near enough: terminals differ in what they do with rare ones.
std::size_t text_width(std::string_view text);
// Makes `text` as wide as `width` columns.
std::string padded(const std::string& text, std::size_t width, bool right);
// At most `width` columns of it, the last one "…" where something is left out. 0: all.
std::string cut_to(const std::string& text, std::size_t width);

}  // namespace steno::cli
