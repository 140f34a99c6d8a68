// Shapes of strings (file.md §9.4): what strings like `user:0007087` have in common, as pieces between which numbers
// and short texts vary. A shape takes a string apart into those and puts it together again, byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/strings/codec.h"

namespace steno::format {

enum class PieceKind : std::uint8_t {
  kConstant = 0,
  kDecimal = 1,   // a number in decimal digits, at least `width` of them
  kLowerHex = 2,  // the same in hexadecimal digits
  kUpperHex = 3,
  kText = 4,  // any bytes
};
inline constexpr std::size_t kPieceKinds = 5;

struct Piece {
  PieceKind kind = PieceKind::kConstant;
  std::uint8_t width = 1;  // of numbers: the least number of digits
  // When a string is taken apart: the number has just `width` digits, however many follow. Not in the file.
  bool exact = false;
  std::string text;  // of a constant

  bool is_number() const {
    return kind == PieceKind::kDecimal || kind == PieceKind::kLowerHex || kind == PieceKind::kUpperHex;
  }
};

inline constexpr std::size_t kMaxShapes = 16;         // a column; limits of the format
inline constexpr std::size_t kMaxPieces = 64;         // a shape
inline constexpr std::size_t kMaxDecimalDigits = 19;  // what fits into 64 bits whatever the digits
inline constexpr std::size_t kMaxHexDigits = 16;

inline std::size_t most_digits(PieceKind kind) {
  return kind == PieceKind::kDecimal ? kMaxDecimalDigits : kMaxHexDigits;
}

// Letters, digits and all that is not ASCII: what a text piece of a writer's shape consists of.
bool is_word_byte(std::uint8_t c);
// Returns whether numbers of this kind have `c` as a digit.
bool is_digit_of(PieceKind kind, std::uint8_t c);

struct Shape {
  std::vector<Piece> pieces;

  std::size_t numbers() const;
  std::size_t texts() const;
};

// How many digits numbers of the piece have at most if none is more than `greatest`.
std::size_t printed_digits(const Piece& piece, std::uint64_t greatest);

// Writes a number at p, where up to kPaddedRoom bytes are overwritten, in as many digits as it has, and at least
// piece.width. Returns the end.
char* print_number(const Piece& piece, std::uint64_t value, char* p);

void put_shape(const Shape& shape, ByteBuffer& out);
// Reads an untrusted shape. False: damaged.
[[nodiscard]] bool read_shape(ByteReader& in, Shape* shape);

// Where the parts of a column of shaped strings are. Views into the column.
struct ShapedColumn {
  using Bytes = std::span<const std::uint8_t>;

  std::vector<Shape> shapes;
  Bytes indices;                            // a column of u32: 0, or a shape's index + 1
  std::vector<std::vector<Bytes>> varying;  // of each shape, the columns of its numbers and texts; empty: no strings
  Bytes others;                             // of the strings without a shape; empty: none
};

// Reads an untrusted column, from after its codec byte. The columns within are not looked at. False: damaged.
[[nodiscard]] bool read_shaped_column(ByteReader& in, ShapedColumn* column);

}  // namespace steno::format
