// Columns of strings in their stored form, for running an automaton over them.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "format/strings/codec.h"
#include "format/strings/shapes/shape.h"
#include "query/search/number_states.h"

namespace steno::query {

// Returns whether the column's strings are pieces of others. Null is empty in these.
inline bool are_pieces(const format::OpenedColumn& column) {
  return (column.within & format::kPieces) != 0;
}

inline ByteReader reader_of(std::span<const std::uint8_t> bytes) {
  return {bytes.data(), bytes.size()};
}

inline NumberText::Base base_of(format::PieceKind kind) {
  if (kind == format::PieceKind::kDecimal) return NumberText::Base::kDecimal;
  return kind == format::PieceKind::kLowerHex ? NumberText::Base::kLowerHex : NumberText::Base::kUpperHex;
}

}  // namespace steno::query
