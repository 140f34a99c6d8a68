// Characters that are not seen for what they are.
#pragma once

#include <cstdint>

namespace steno::lines {

// Returns whether a code point ends lines, turns text around, or takes no room: separators, Unicode's bidirectional
// controls, zero-width and filling characters, tags and other format characters. False for marks that belong to what
// they stand on, variation selectors 1-16 among them (emoji), and for format characters that are drawn.
bool is_unseen(std::uint32_t code);

}  // namespace steno::lines
