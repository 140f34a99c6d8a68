#include "format/strings/shapes/shape.h"

#include <algorithm>
#include <array>

#include "base/digit_values.h"
#include "base/padded_digits.h"
#include "format/strings/sized_part.h"

namespace steno::format {
namespace {

constexpr std::array<std::uint8_t, 256> kDecimalDigits = digit_values("");

constexpr std::array<bool, 256> word_bytes() {
  std::array<bool, 256> is_word{};
  for (unsigned c = 0; c < 256; ++c) {
    is_word[c] = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
  }
  return is_word;
}

constexpr std::array<bool, 256> kWordBytes = word_bytes();

const std::array<std::uint8_t, 256>& digits_of(PieceKind kind) {
  if (kind == PieceKind::kDecimal) return kDecimalDigits;
  return kind == PieceKind::kLowerHex ? kLowerHexDigits : kUpperHexDigits;
}

}  // namespace

bool is_word_byte(std::uint8_t c) {
  return kWordBytes[c];
}

std::size_t printed_digits(const Piece& piece, std::uint64_t greatest) {
  const std::size_t digits =
      piece.kind == PieceKind::kDecimal ? count_decimal_digits(greatest) : count_hex_digits(greatest);
  return std::max<std::size_t>(digits, piece.width);
}

bool is_digit_of(PieceKind kind, std::uint8_t c) {
  return digits_of(kind)[c] != 0xFF;
}

std::size_t Shape::numbers() const {
  return static_cast<std::size_t>(
      std::count_if(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.is_number(); }));
}

std::size_t Shape::texts() const {
  return static_cast<std::size_t>(
      std::count_if(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.kind == PieceKind::kText; }));
}

char* print_number(const Piece& piece, std::uint64_t value, char* p) {
  if (piece.kind == PieceKind::kDecimal) return put_padded_decimal(value, piece.width, p);
  return put_padded_hex(value, piece.width, piece.kind == PieceKind::kLowerHex ? 'a' : 'A', p);
}

void put_shape(const Shape& shape, ByteBuffer& out) {
  out.put_varint(shape.pieces.size());
  for (const Piece& piece : shape.pieces) {
    out.put(static_cast<std::uint8_t>(piece.kind));
    if (piece.kind == PieceKind::kConstant) out.put_string(piece.text);
    if (piece.is_number()) out.put(piece.width);
  }
}

bool read_shape(ByteReader& in, Shape* shape) {
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count > kMaxPieces) return false;
  shape->pieces.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    Piece piece;
    const auto kind = in.get<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(PieceKind::kText)) return false;
    piece.kind = static_cast<PieceKind>(kind);
    if (piece.kind == PieceKind::kConstant) piece.text = in.get_string();
    if (piece.is_number()) {
      piece.width = in.get<std::uint8_t>();
      if (piece.width == 0 || piece.width > most_digits(piece.kind)) return false;
    }
    shape->pieces.push_back(std::move(piece));
  }
  return in.ok();
}

bool read_shaped_column(ByteReader& in, ShapedColumn* column) {
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count == 0 || count > kMaxShapes) return false;
  column->shapes.resize(count);
  for (Shape& shape : column->shapes) {
    if (!read_shape(in, &shape)) return false;
  }
  column->indices = read_sized(in);
  column->varying.assign(count, {});
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t varying = column->shapes[k].numbers() + column->shapes[k].texts();
    for (std::size_t i = 0; i < varying && in.ok(); ++i) column->varying[k].push_back(read_sized(in));
  }
  column->others = read_sized(in);
  return in.ok();
}

}  // namespace steno::format
