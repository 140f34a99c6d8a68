// Text in quotes, with escapes: what the type `?` of brace formats prints (types.md, "Text").
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace steno::text {

void append_quoted(std::string_view utf8, ByteBuffer& out);  // in "
// In '. What is no scalar value becomes U+FFFD.
void append_quoted_character(std::uint32_t code, ByteBuffer& out);
void append_quoted_byte(std::uint8_t byte, ByteBuffer& out);  // one that is no ASCII is escaped

// Returns whether a character is shown as it is. False if its general category was a separator (except the space) or
// other in Unicode 13. Later versions assign more characters; text stays as it was.
bool is_printable(std::uint32_t code);

}  // namespace steno::text
