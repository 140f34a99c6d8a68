// Columns of strings that are bytes in hexadecimal digits (file.md §9.6.3), as dumps have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/copy_steps.h"
#include "base/raw_vector.h"
#include "format/string_arena.h"
#include "format/strings/codec.h"

namespace steno::format {

inline constexpr std::size_t kMaxHexLayout = 1024;  // characters: a limit of the format

// The layout that strings of bytes have in common: their texts, and the places of each byte's two digits.
class HexLayout {
 public:
  // `text`: a string of that layout; `places`: where its digits are, the first of two each, in ascending order. False:
  // it is none.
  [[nodiscard]] bool set(std::string_view text, std::span<const std::uint16_t> places, bool upper);
  // Reads an untrusted one. False: damaged.
  [[nodiscard]] bool read(ByteReader& in);
  void append(ByteBuffer& out) const;

  // The layout as a text, with `0` for digits. kStringSlack bytes after it can be read. Requires that it was set or
  // read.
  std::string_view text() const { return {padded_.data(), padded_.size() - kStringSlack}; }
  std::span<const std::uint16_t> places() const { return places_; }
  bool upper() const { return upper_; }
  // Returns whether strings that are cut after `length` characters do not end between the two digits of a byte.
  // Requires length <= text().size().
  bool may_end_at(std::size_t length) const { return bytes_before_[length] != kBetween; }
  // How many bytes are in the first `length` characters, which may be cut there.
  std::size_t bytes_before(std::size_t length) const { return bytes_before_[length]; }
  // Returns whether the layout has no hexadecimal digits, of either case, besides those of its bytes.
  bool has_only_bytes() const { return has_only_bytes_; }
  // Returns whether a string of this layout may contain `text`.
  bool may_contain(std::string_view text) const;

 private:
  static constexpr std::uint16_t kBetween = UINT16_MAX;

  std::string padded_;  // the text, with '0' for digits, and kStringSlack more bytes
  std::vector<std::uint16_t> places_;
  std::vector<std::uint16_t> bytes_before_;  // by length
  bool upper_ = false;
  bool has_only_bytes_ = false;
};

// The code of a row of that layout, and of one that has none.
inline constexpr std::uint32_t kOtherHexRow = 0;
constexpr std::uint32_t hex_row(std::size_t length, bool same) {
  return static_cast<std::uint32_t>(1 + 2 * length + (same ? 1 : 0));
}

struct HexRows {
  std::vector<std::uint32_t> codes;  // of all strings
  ByteBuffer bytes;
  std::vector<StringRef> others;
};
// Appends the column, codec byte not included.
void append_hex(const HexLayout& layout, const HexRows& rows, const StringContext& context, ByteBuffer& out);

// Such a column, decoded in steps. Views into the column. Not thread-safe.
class HexColumn {
 public:
  // Reads the layout of an untrusted column, from after its codec byte. False: damaged.
  [[nodiscard]] bool read(ByteReader& in, const StringPlace& place);
  // After that: all the rest, of n >= 1 strings. False: damaged.
  [[nodiscard]] bool read_rows(std::size_t n);
  // After that: makes the strings in the arena, and says there what is known of them.
  void put_together(StringArena* arena, std::string_view* out) const;

  const HexLayout& layout() const { return layout_; }
  // How many strings have another layout, and their column.
  std::size_t other_count() const { return other_count_; }
  std::span<const std::uint8_t> others() const { return other_column_; }
  // Those of all strings that have the layout; after read_rows().
  std::span<const std::uint8_t> bytes() const { return {bytes_, byte_count_}; }
  std::size_t bytes_held() const;

  // One string.
  struct Row {
    const std::string_view* other = nullptr;  // nullptr: it has the layout
    std::size_t length = 0;
    const std::uint8_t* bytes = nullptr;
    std::size_t count = 0;  // of the bytes, as many as the length says
    bool same = false;      // each is *bytes

    std::size_t bytes_taken() const { return other != nullptr ? 0 : same ? 1 : count; }
  };
  // Calls f(i, row) for each string, in order; after read_rows().
  template <class F>
  void for_each_row(const F& f) const {
    const std::uint8_t* bytes = bytes_;
    const std::string_view* other = others_.data();
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      Row row;
      if (const std::uint64_t code = codes_[i]; code == kOtherHexRow) {
        row.other = other++;
      } else {
        row.length = (code - 1) >> 1;
        row.same = ((code - 1) & 1) != 0;
        row.bytes = bytes;
        row.count = layout_.bytes_before(row.length);
        bytes += row.bytes_taken();
      }
      f(i, row);
    }
  }

 private:
  [[nodiscard]] bool read_bytes(std::size_t count);

  StringPlace inside_;
  HexLayout layout_;
  std::span<const std::uint8_t> code_bytes_, byte_column_, other_column_;
  std::size_t byte_count_ = 0;
  std::size_t other_count_ = 0;
  RawVector<std::uint64_t> codes_;
  RawVector<std::uint8_t> narrow_;
  const std::uint8_t* bytes_ = nullptr;
  StringArena other_arena_;
  RawVector<std::string_view> others_;
  std::size_t total_ = 0;  // bytes of all strings
};

}  // namespace steno::format
