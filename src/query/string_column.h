// Columns of strings in their stored form, for running an automaton over them.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "format/codecs/int_codec.h"
#include "format/codecs/string_shape.h"
#include "query/number_states.h"

namespace steno::query {

// Besides what format::StringPlace::within says: the texts between the pieces of a shape, of which null prints nothing.
inline constexpr unsigned kTextPiece = 1u << 16;

inline format::CodecId take_codec(ByteReader& in) {
  return static_cast<format::CodecId>(in.get<std::uint8_t>());
}

inline ByteReader reader_of(std::span<const std::uint8_t> bytes) {
  return {bytes.data(), bytes.size()};
}

inline NumberText::Base base_of(format::PieceKind kind) {
  if (kind == format::PieceKind::kDecimal) return NumberText::Base::kDecimal;
  return kind == format::PieceKind::kLowerHex ? NumberText::Base::kLowerHex : NumberText::Base::kUpperHex;
}

}  // namespace steno::query
