// Columns of list strings (file.md §9.6.4): strings that are items with a separator between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/raw_vector.h"
#include "format/string_arena.h"
#include "format/strings/codec.h"

namespace steno::format {

inline constexpr std::size_t kMaxSeparator = 16;  // bytes: a limit of the format
inline constexpr std::size_t kItemBytes = 20;     // what each item counts for besides its own bytes

// Such a column, decoded in steps. Views into the column. Not thread-safe.
class ListColumn {
 public:
  // Reads an untrusted column of n >= 1 strings, from after its codec byte, but for its items. False: damaged.
  [[nodiscard]] bool read(ByteReader& in, std::size_t n, const StringPlace& place);
  // After that: the items. False: damaged.
  [[nodiscard]] bool read_items();
  // After that: puts the strings together in the arena, and says there what is known of them. False: damaged.
  [[nodiscard]] bool put_together(StringArena* arena, std::string_view* out) const;

  std::string_view separator() const { return separator_; }
  // A number for each string: 0 for null, else how many items it has.
  std::span<const std::uint64_t> counts() const { return counts_; }
  // The items of all strings together, and their column as it is.
  std::size_t item_count() const { return item_count_; }
  std::span<const std::uint8_t> item_bytes() const { return item_bytes_; }
  // The bytes of its longest string, as the column claims.
  std::size_t longest() const { return longest_; }
  std::size_t bytes_held() const;

 private:
  StringPlace inside_;
  std::size_t longest_ = 0;
  std::string_view separator_;
  RawVector<std::uint64_t> counts_;
  std::size_t item_count_ = 0;
  std::span<const std::uint8_t> item_bytes_;
  StringArena item_arena_;
  RawVector<std::string_view> items_;
  std::size_t total_ = 0;  // bytes of all strings
};

}  // namespace steno::format
