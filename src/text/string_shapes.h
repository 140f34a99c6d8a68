// Strings of a column that has them in pieces, by their shapes (file.md §9.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "text/value.h"

namespace steno::text {

// A part of each string of a shape.
struct StringPiece {
  enum class Kind : std::uint8_t {
    kConstant,  // the same in each
    kDecimal,   // numbers in at least `width` digits
    kLowerHex,
    kUpperHex,
    kText,
  };
  Kind kind = Kind::kConstant;
  std::uint8_t width = 1;
  std::string_view constant;
  Column values;  // of the others: ints, or strings
};

// The strings of a column. Shape 0 is none: one piece, the text, which may be null.
struct StringShapes {
  static constexpr unsigned kShapeBits = 5;
  static constexpr std::uint32_t kOnlyShape = 1;

  // The shape of each string, and above that, which value of the shape's columns it is. nullptr: all have kOnlyShape,
  // and value i is of string i.
  const std::uint32_t* places = nullptr;
  std::vector<std::vector<StringPiece>> shapes;

  std::uint32_t shape_of(std::size_t i) const {
    return places == nullptr ? kOnlyShape : places[i] & ((1u << kShapeBits) - 1);
  }
  std::size_t value_of(std::size_t i) const { return places == nullptr ? i : places[i] >> kShapeBits; }
};

// String `i`, put together in the buffer, or a view of another.
std::string_view string_of(const StringShapes& shapes, std::size_t i, ByteBuffer& buffer);

}  // namespace steno::text
