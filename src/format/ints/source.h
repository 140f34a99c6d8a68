// Where the values of an integer column come from: records in rings, or an array.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/ints/kernels.h"
#include "steno/detail/arg_type.h"

namespace steno::format {

// The domain of a column of numbers. Floats are the integers that their bits spell.
struct IntType {
  std::uint8_t bytes = 4;  // 1, 2, 4, 8
  bool is_signed = false;
  bool is_float = false;

  // Requires a type of at most 8 bytes that is no string.
  static constexpr IntType of(ArgType type) {
    return {static_cast<std::uint8_t>(fixed_size(type)), is_signed_integer(type),
            type == ArgType::kF32 || type == ArgType::kF64};
  }
  // Values of at most 4 bytes are worked on as 32-bit ones, sign- or zero-extended.
  constexpr bool is_narrow() const { return bytes <= 4; }
  // `v` modulo the type's width, extended to 64 bits.
  constexpr std::uint64_t extend(std::uint64_t v) const {
    const unsigned unused = 64 - 8 * bytes;
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(v << unused) >> unused)
                     : v << unused >> unused;
  }
};

inline constexpr IntType kTypeU32{4, false};
inline constexpr IntType kTypeU64{8, false};
inline constexpr IntType kTypeI64{8, true};

// A view; the bytes must outlive it.
struct IntSource {
  IntType type;
  std::size_t count = 0;
  const std::byte* data = nullptr;         // an array's first value (aligned), or where offset 0 would have it
  const std::uint32_t* offsets = nullptr;  // in units of 8 bytes from `data`; nullptr: an array

  template <class T>
  static IntSource array(const T* values, std::size_t n, IntType type) {
    return {type, n, reinterpret_cast<const std::byte*>(values), nullptr};
  }
};

// Lane type of a column: std::uint32_t for narrow types, std::uint64_t else.
//
// Copies values [first, first + n) to `out`. Requires sizeof(Lane) to be what the type wants.
void gather(const IntSource& source, std::size_t first, std::size_t n, std::uint32_t* out);
void gather(const IntSource& source, std::size_t first, std::size_t n, std::uint64_t* out);

// Two neighbouring columns of 4-byte values, of which `first` is the lower in every record, in one pass: half the
// loads, which is what gathering costs. Both arrays have room for a multiple of kMiniBlock.
void gather_pair(const IntSource& first, std::uint32_t* first_out, std::uint32_t* second_out);

// One mini-block of values, n of them (1 to kMiniBlock), padded with the last: in `scratch`, or where they are if that
// needs no copy.
template <class Lane>
inline const Lane* mini_block_of(const IntSource& source, std::size_t first, std::size_t n, Lane* scratch) {
  if (source.offsets == nullptr && n == kMiniBlock && source.type.bytes == sizeof(Lane)) {
    return reinterpret_cast<const Lane*>(source.data) + first;  // an array of Lane
  }
  gather(source, first, n, scratch);
  for (std::size_t i = n; i < kMiniBlock; ++i) scratch[i] = scratch[n - 1];
  return scratch;
}

}  // namespace steno::format
