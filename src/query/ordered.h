// Numbers of any type as 64 bits whose unsigned order is theirs.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "query/cell.h"
#include "steno/detail/arg_type.h"

namespace steno::query {

enum class NumberKind {
  kSigned,
  kUnsigned,
  kReal,  // as binary64, f32 and wider ones converted
};

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// Those that are equal as one: zeros of either sign, and NaN of any bits.
inline double as_one(double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
  return value == 0 ? 0 : value;
}

// The key of a number that has this value; and back. -0.0 comes before 0.0; NaN has no place.
inline std::uint64_t key_of_real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}
inline double real_of_key(std::uint64_t key) {
  return std::bit_cast<double>((key & kSignBit) != 0 ? key & ~kSignBit : ~key);
}
// Integers: extended to 64 bits as columns hold them.
constexpr std::uint64_t flip_of(NumberKind kind) {
  return kind == NumberKind::kSigned ? kSignBit : 0;
}

inline Cell cell_of_key(NumberKind kind, std::uint64_t key) {
  if (kind == NumberKind::kReal) return Cell::of_real(real_of_key(key));
  if (kind == NumberKind::kSigned) return Cell::of(static_cast<std::int64_t>(key ^ kSignBit));
  return Cell::of(static_cast<text::Int128>(key));
}

inline NumberKind kind_of_type(ArgType type) {
  if (type == ArgType::kF32 || type == ArgType::kF64 || fixed_size(type) == 16) return NumberKind::kReal;
  return is_signed_integer(type) ? NumberKind::kSigned : NumberKind::kUnsigned;
}

}  // namespace steno::query
