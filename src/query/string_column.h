// Columns of strings in their stored form, for running an automaton over them.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "format/codecs/string_codec.h"
#include "format/codecs/string_shape.h"
#include "query/number_states.h"

namespace steno::query {

// Besides what format::StringPlace::within says: strings that are pieces of others, of which null prints nothing.
inline constexpr unsigned kTextPiece = 1u << 31;

// Without that.
constexpr unsigned columns_around(unsigned within) {
  return within & ~kTextPiece;
}

// nullptr: a codec that is not known, or none that may lie there.
inline const format::StringCodec* open_codec(ByteReader& in, unsigned within) {
  return format::open_string_codec(in, columns_around(within));
}

inline ByteReader reader_of(std::span<const std::uint8_t> bytes) {
  return {bytes.data(), bytes.size()};
}

inline NumberText::Base base_of(format::PieceKind kind) {
  if (kind == format::PieceKind::kDecimal) return NumberText::Base::kDecimal;
  return kind == format::PieceKind::kLowerHex ? NumberText::Base::kLowerHex : NumberText::Base::kUpperHex;
}

}  // namespace steno::query
