#include "text/string_shapes.h"

#include "base/padded_digits.h"

namespace steno::text {
namespace {

void append(const StringPiece& piece, std::size_t value, ByteBuffer& out) {
  const auto put = [&out](std::string_view text) { out.put_bytes(text.data(), text.size()); };
  char number[kPaddedRoom];
  const char* end = number;
  switch (piece.kind) {
    case StringPiece::Kind::kConstant:
      return put(piece.constant);
    case StringPiece::Kind::kText:
      return put(piece.values.string_at(value));
    case StringPiece::Kind::kDecimal:
      end = put_padded_decimal(piece.values.bits_at(value), piece.width, number);
      break;
    case StringPiece::Kind::kLowerHex:
      end = put_padded_hex(piece.values.bits_at(value), piece.width, 'a', number);
      break;
    case StringPiece::Kind::kUpperHex:
      end = put_padded_hex(piece.values.bits_at(value), piece.width, 'A', number);
      break;
  }
  put({number, static_cast<std::size_t>(end - number)});
}

}  // namespace

std::string_view string_of(const StringShapes& shapes, std::size_t i, ByteBuffer& buffer) {
  const std::uint32_t shape = shapes.shape_of(i);
  const std::size_t value = shapes.value_of(i);
  const std::vector<StringPiece>& pieces = shapes.shapes[shape];
  if (shape == 0) return pieces[0].values.string_at(value);
  buffer.clear();
  (void)buffer.reserve(1);  // an empty string is not a null one
  for (const StringPiece& piece : pieces) append(piece, value, buffer);
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

}  // namespace steno::text
