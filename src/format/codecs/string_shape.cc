#include "format/codecs/string_shape.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/small_decimals.h"

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

constexpr std::uint64_t kAllBytes = 0x0101010101010101;  // times a byte: that in each byte

// The eight digits of a number as text, the first one in the lowest byte.
std::uint64_t eight_hex_digits(std::uint32_t v, char ten) {
  std::uint64_t x = __builtin_bswap32(v);
  x = (x | x << 16) & 0x0000FFFF0000FFFF;
  x = (x | x << 8) & 0x00FF00FF00FF00FF;
  x = (x >> 4 & 0x000F000F000F000F) | (x & 0x000F000F000F000F) << 8;
  const std::uint64_t letters = (x + 6 * kAllBytes) >> 4 & kAllBytes;
  return x + '0' * kAllBytes + letters * static_cast<std::uint64_t>(ten - 10 - '0');
}

// Stores the last `size` of sixteen digits, of which each word has eight.
void store_digits(std::uint64_t high, std::uint64_t low, std::size_t size, std::uint8_t* out) {
  if (size <= 8) return store(out, low >> 8 * (8 - size));
  store(out, high >> 8 * (16 - size));
  store(out + size - 8, low);
}

constexpr std::uint64_t kEightDigits = 100'000'000;

// Of up to eight digits: the first one that is not 0 says how many there are.
inline std::uint8_t* print_short_decimal(std::size_t width, std::uint32_t v, std::uint8_t* out) {
  const std::uint64_t digits = eight_digits(v);
  const auto zeros = static_cast<std::size_t>(std::countr_zero(digits | std::uint64_t{1} << 56)) / 8;
  const std::size_t size = std::max(8 - zeros, width);
  store(out, (digits + '0' * kAllBytes) >> 8 * (8 - size));
  return out + size;
}

std::uint8_t* print_decimal(std::size_t width, std::uint64_t v, std::uint8_t* out) {
  if (v < kEightDigits && width <= 8) return print_short_decimal(width, static_cast<std::uint32_t>(v), out);  // most
  const std::size_t size = std::max(decimal_digits(v), width);
  if (size <= 16) {
    const std::uint64_t high = v / kEightDigits;
    const std::uint64_t of_high = high == 0 ? 0 : eight_digits(static_cast<std::uint32_t>(high));
    const std::uint64_t of_low = eight_digits(static_cast<std::uint32_t>(v - high * kEightDigits));
    store_digits(of_high + '0' * kAllBytes, of_low + '0' * kAllBytes, size, out);
    return out + size;
  }
  for (std::size_t i = size; i-- > 0; v /= 10) out[i] = static_cast<std::uint8_t>('0' + v % 10);
  return out + size;
}

std::uint8_t* print_hex(std::size_t width, char ten, std::uint64_t v, std::uint8_t* out) {
  const std::size_t size = std::max<std::size_t>({1, (static_cast<std::size_t>(std::bit_width(v)) + 3) / 4, width});
  const std::uint64_t high = size <= 8 ? 0 : eight_hex_digits(static_cast<std::uint32_t>(v >> 32), ten);
  store_digits(high, eight_hex_digits(static_cast<std::uint32_t>(v), ten), size, out);
  return out + size;
}

template <class Print>
void print_each(std::span<const std::uint64_t> values, std::uint8_t** places, const Print& print) {
  for (std::size_t i = 0; i < values.size(); ++i) places[i] = print(values[i], places[i]);
}

// All have just piece.width digits, as many as the greatest has or more.
void print_padded(const Piece& piece, std::span<const std::uint64_t> values, std::uint8_t** places) {
  const std::size_t width = piece.width;
  if (piece.kind == PieceKind::kDecimal) {
    return print_each(values, places, [width](std::uint64_t v, std::uint8_t* p) {
      store(p, (eight_digits(static_cast<std::uint32_t>(v)) + '0' * kAllBytes) >> 8 * (8 - width));
      return p + width;
    });
  }
  const char ten = piece.kind == PieceKind::kLowerHex ? 'a' : 'A';
  if (width <= 8) {
    return print_each(values, places, [width, ten](std::uint64_t v, std::uint8_t* p) {
      store(p, eight_hex_digits(static_cast<std::uint32_t>(v), ten) >> 8 * (8 - width));
      return p + width;
    });
  }
  print_each(values, places, [width, ten](std::uint64_t v, std::uint8_t* p) {
    store(p, eight_hex_digits(static_cast<std::uint32_t>(v >> 32), ten) >> 8 * (16 - width));
    store(p + width - 8, eight_hex_digits(static_cast<std::uint32_t>(v), ten));
    return p + width;
  });
}

}  // namespace

bool is_word_byte(std::uint8_t c) {
  return kWordBytes[c];
}

std::size_t printed_digits(const Piece& piece, std::uint64_t greatest) {
  const std::size_t digits = piece.kind == PieceKind::kDecimal
                                 ? decimal_digits(greatest)
                                 : (static_cast<std::size_t>(std::bit_width(greatest)) + 3) / 4;
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

std::uint8_t* print_number(const Piece& piece, std::uint64_t value, std::uint8_t* out) {
  switch (piece.kind) {
    case PieceKind::kLowerHex:
      return print_hex(piece.width, 'a', value, out);
    case PieceKind::kUpperHex:
      return print_hex(piece.width, 'A', value, out);
    default:
      return print_decimal(piece.width, value, out);
  }
}

void print_numbers(const Piece& piece, std::span<const std::uint64_t> values, std::uint64_t greatest,
                   std::uint8_t** places) {
  const bool decimal = piece.kind == PieceKind::kDecimal;
  const bool is_short = piece.width <= 8 && greatest < kEightDigits;
  if (printed_digits(piece, greatest) == piece.width && (is_short || !decimal)) {
    print_padded(piece, values, places);
  } else if (decimal && piece.width == 1 && greatest < kSmallDecimals) {
    print_each(values, places, [](std::uint64_t v, std::uint8_t* p) { return write_small_decimal(v, p); });
  } else if (decimal && is_short) {
    print_each(values, places, [width = std::size_t{piece.width}](std::uint64_t v, std::uint8_t* p) {
      return print_short_decimal(width, static_cast<std::uint32_t>(v), p);
    });
  } else {
    print_each(values, places, [&piece](std::uint64_t v, std::uint8_t* p) { return print_number(piece, v, p); });
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
