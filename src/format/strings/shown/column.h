// Columns of strings that end with the characters of bytes which are there in hexadecimal digits, as dumps do (file.md
// §9.6.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "format/string_arena.h"
#include "format/strings/codec.h"

namespace steno::format {

inline constexpr std::size_t kMostShown = 1024;    // characters of a string: a limit of the format
inline constexpr std::size_t kMostShownTail = 16;  // bytes after them: another

// The character that a byte is shown as.
constexpr char shown_as(unsigned byte) {
  return byte >= ' ' && byte <= '~' ? static_cast<char>(byte) : '.';
}

// The characters of the last `count` bytes that a text has in hexadecimal digits, whatever is between these. False:
// there are not so many.
[[nodiscard]] bool show_bytes(std::string_view text, std::size_t count, char* out);
// Returns whether `characters` show the last bytes of `text` in this way.
[[nodiscard]] bool shows_bytes(std::string_view text, std::string_view characters);

struct ShownColumn {
  std::size_t other = 0;              // number + 1 of the group's column that has the digits; 0: they are in the fronts
  std::string_view tail;              // after the characters
  std::span<const StringRef> fronts;  // what comes before them; the whole string, where there are none
  std::span<const std::uint32_t> characters;  // how many each string has
};
// Appends the column, codec byte included.
void append_shown(const ShownColumn& column, const StringContext& context, ByteBuffer& out);

// Returns whether a column of an argument is stored as shown bytes.
inline bool is_shown(std::span<const std::uint8_t> column) {
  return !column.empty() && static_cast<CodecId>(column[0]) == CodecId::kShownBytes;
}

// Reads n untrusted strings of such a column, whole. `columns`: all of its group, of which it is number `own`. False:
// damaged.
[[nodiscard]] bool read_shown(std::span<const std::span<const std::uint8_t>> columns, std::size_t own, std::size_t n,
                              const StringPlace& place, StringArena* arena, std::string_view* out);

}  // namespace steno::format
