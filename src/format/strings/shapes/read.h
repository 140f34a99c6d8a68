// Columns of shaped strings (file.md §9.4), decoded: what varies in the strings, and the strings put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/raw_vector.h"
#include "format/string_arena.h"
#include "format/strings/codec.h"
#include "format/strings/shapes/shape.h"

namespace steno::format {

// A piece of a shape, and what it is in each of the shape's strings, in their order.
struct ShapedPart {
  const Piece* piece = nullptr;
  RawVector<std::uint64_t> numbers;
  std::uint64_t greatest = 0;  // of the numbers
  RawVector<std::string_view> texts;
  std::size_t bytes = 0;  // of the texts
  StringArena arena;      // theirs
};

// Keeps its memory from one column to the next. Not thread-safe.
class ShapedStrings {
 public:
  // Forgets all; what comes lies in memory of the arena, or, if it is nullptr, its own.
  void place_in(Arena* arena);

  // Reads n >= 1 strings of an untrusted column, from after its codec byte. False: damaged.
  [[nodiscard]] bool decode(ByteReader& in, std::size_t n, const StringPlace& place);

  // How many strings there are without a shape (0), of the first shape (1) ...
  std::span<const std::size_t> counts() const { return counts_; }
  bool has_one_shape() const { return counts_[1] == indices_.size(); }
  // The pieces of a shape, 1 for the first one, with the values of its strings.
  std::span<const ShapedPart> parts_of(std::size_t shape) const {
    return std::span(parts_).subspan(first_parts_[shape - 1], shapes_[shape - 1].pieces.size());
  }
  // The strings without a shape.
  std::span<const std::string_view> others() const { return others_; }
  const StringFacts& facts_of_others() const { return others_arena_.facts(); }
  // A word for each string: its shape in kShapeBits, and above that, which of the shape's strings it is. Makes them.
  std::span<const std::uint32_t> places();
  static constexpr unsigned kShapeBits = 5;

  // Puts the strings together in the arena, and says there what is known of them.
  void put_together(StringArena* arena, std::string_view* out);

  std::size_t bytes_held() const;

 private:
  bool count_strings();
  bool decode_shape(std::size_t shape, const std::vector<ShapedColumn::Bytes>& columns, const StringPlace& place,
                    std::size_t* bytes);
  std::size_t room_of(std::size_t shape) const;

  Arena* arena_ = nullptr;
  std::vector<Shape> shapes_;
  RawVector<std::uint64_t> indices_;
  std::vector<std::size_t> counts_;  // strings: without a shape, of the first, ...
  std::vector<ShapedPart> parts_;    // of the first shape, of the second, ...; more than there are
  std::vector<std::size_t> first_parts_;
  RawVector<std::string_view> others_;
  StringArena others_arena_;
  RawVector<std::uint32_t> sizes_;  // of the strings, shape after shape
  RawVector<std::uint32_t> places_;
};

// The bytes that n strings of a shape count for, texts not included (file.md §9.4). Saturates far above the bound.
std::size_t counted_bytes(const Shape& shape, std::size_t n);

}  // namespace steno::format
