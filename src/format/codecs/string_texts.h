// Columns that hold the bytes of all their strings as one text, coded: what is before the lengths.
#pragma once

#include "format/codecs/string_codec.h"

namespace steno::format {

// Read the text of an untrusted column of symbol strings, and of letter strings, from after its codec byte. False:
// damaged.
[[nodiscard]] bool read_symbol_text(ByteReader& in, StringArena* arena);
[[nodiscard]] bool read_letter_text(ByteReader& in, StringArena* arena);

// The same of n zstd strings; false also in builds without zstd.
[[nodiscard]] bool read_zstd_text(ByteReader& in, std::size_t n, StringArena* arena);

// False only if `text` has a byte that is no letter of an untrusted column of letter strings, from after its codec
// byte.
[[nodiscard]] bool may_spell(ByteReader in, std::string_view text);

}  // namespace steno::format
