#include "format/codecs/string_shape.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace steno::format {
namespace {

// The value of a digit, or 0xFF.
constexpr std::array<std::uint8_t, 256> digit_values(char letter) {
  std::array<std::uint8_t, 256> values{};
  values.fill(0xFF);
  for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 0; letter != 0 && i < 6; ++i) {
    values[static_cast<std::uint8_t>(letter) + i] = static_cast<std::uint8_t>(10 + i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kDecimalDigits = digit_values(0);
constexpr std::array<std::uint8_t, 256> kLowerDigits = digit_values('a');
constexpr std::array<std::uint8_t, 256> kUpperDigits = digit_values('A');

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
  return kind == PieceKind::kLowerHex ? kLowerDigits : kUpperDigits;
}

std::size_t decimal_digits(std::uint64_t v) {
  std::size_t n = 1;
  for (; v >= 10000; v /= 10000) n += 4;
  return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

constexpr char kPairs[] =
    "000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344454647484950515253545556"
    "57"
    "5859606162636465666768697071727374757677787980818283848586878889909192939495969798"
    "99";

std::uint8_t* print_decimal(std::size_t width, std::uint64_t v, std::uint8_t* out) {
  const std::size_t size = std::max(decimal_digits(v), width);
  std::uint8_t* p = out + size;
  while (v >= 100) {
    p -= 2;
    std::memcpy(p, kPairs + v % 100 * 2, 2);
    v /= 100;
  }
  if (v >= 10) {
    p -= 2;
    std::memcpy(p, kPairs + v * 2, 2);
  } else {
    *--p = static_cast<std::uint8_t>('0' + v);
  }
  while (p != out) *--p = '0';
  return out + size;
}

std::uint8_t* print_hex(std::size_t width, const char* digits, std::uint64_t v, std::uint8_t* out) {
  std::size_t size = 1;
  for (std::uint64_t rest = v >> 4; rest != 0; rest >>= 4) ++size;
  size = std::max(size, width);
  for (std::size_t i = size; i-- > 0; v >>= 4) out[i] = static_cast<std::uint8_t>(digits[v & 15]);
  return out + size;
}

}  // namespace

bool is_word_byte(std::uint8_t c) {
  return kWordBytes[c];
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

std::uint8_t* print_number(const Piece& piece, std::uint64_t value, std::uint8_t* out) {
  switch (piece.kind) {
    case PieceKind::kLowerHex:
      return print_hex(piece.width, "0123456789abcdef", value, out);
    case PieceKind::kUpperHex:
      return print_hex(piece.width, "0123456789ABCDEF", value, out);
    default:
      return print_decimal(piece.width, value, out);
  }
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
  const auto read_part = [&in] {
    const std::uint64_t size = in.get_varint();
    const std::uint8_t* bytes = in.take(size);
    return bytes != nullptr ? ShapedColumn::Bytes(bytes, size) : ShapedColumn::Bytes();
  };
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count == 0 || count > kMaxShapes) return false;
  column->shapes.resize(count);
  for (Shape& shape : column->shapes) {
    if (!read_shape(in, &shape)) return false;
  }
  column->indices = read_part();
  column->varying.assign(count, {});
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t varying = column->shapes[k].numbers() + column->shapes[k].texts();
    for (std::size_t i = 0; i < varying && in.ok(); ++i) column->varying[k].push_back(read_part());
  }
  column->others = read_part();
  return in.ok();
}

}  // namespace steno::format
