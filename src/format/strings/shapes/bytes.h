// Digits and letters in the bytes of strings, many at a time: what strings are taken apart by shapes with.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/multiversion.h"
#include "format/strings/codec.h"
#include "format/strings/shapes/match.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace steno::format {

// Eight bytes of a string, each as a byte of a word.
inline constexpr std::uint64_t kOnes = 0x0101010101010101;
inline constexpr std::uint64_t kTops = 0x8080808080808080;

// The number of eight decimal digits; the first ones may be zero bytes instead.
STENO_INLINE std::uint64_t eight_decimals(std::uint64_t digits) {
  std::uint64_t v = (digits & (0x0F * kOnes)) * (10 * 0x100 + 1) >> 8;
  v = (v & 0x00FF00FF00FF00FF) * (100 * 0x10000 + 1) >> 16;
  return (v & 0x0000FFFF0000FFFF) * (10000 * 0x100000000 + 1) >> 32;
}

// The number of eight hexadecimal digits, of either case.
STENO_INLINE std::uint64_t eight_hex(std::uint64_t digits) {
  std::uint64_t v = __builtin_bswap64((digits & (0x0F * kOnes)) + 9 * (digits >> 6 & kOnes));
  v = (v | v >> 4) & 0x00FF00FF00FF00FF;
  v = (v | v >> 8) & 0x0000FFFF0000FFFF;
  return (v | v >> 16) & 0xFFFFFFFF;
}

// Returns whether two strings of n > 8 bytes, of which the first 8 are equal, are equal.
STENO_INLINE bool rest_is_equal(const std::uint8_t* p, const char* text, std::size_t n) {
  std::uint64_t differ = load<std::uint64_t>(p + n - 8) ^ load<std::uint64_t>(text + n - 8);
  for (std::size_t at = 8; at + 8 < n; at += 8) {
    differ |= load<std::uint64_t>(p + at) ^ load<std::uint64_t>(text + at);
  }
  return differ == 0;
}

#if defined(__SSE2__)

// Strings shorter than this are taken apart by which of their bytes are digits or letters, had for 16 of them at once.
inline constexpr std::size_t kShort = 64;

STENO_INLINE __m128i in_range(__m128i bytes, char first, char last) {
  const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(static_cast<char>(last - first))), above);
}

// Calls add(bytes, shift) for each 16 bytes of a string; the lowest bytes of one that is shorter are not its own, and
// the shift is negative then. The last 16 may overlap those before.
template <class Add>
STENO_INLINE void for_each_vector(const StringRef& s, const Add& add) {
  constexpr std::size_t kVector = sizeof(__m128i);
  const auto at = [&](std::size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(s.data + i)); };
  std::size_t i = 0;
  for (; i + kVector < s.size; i += kVector) add(at(i), static_cast<int>(i));
  const auto last = static_cast<std::ptrdiff_t>(s.size) - static_cast<std::ptrdiff_t>(kVector);
  add(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s.data + last)), static_cast<int>(last));
}

// Requires s.size < kShort.
STENO_INLINE ByteKinds kinds_of(const StringRef& s, const bool (&wanted)[kPieceKinds]) {
  ByteKinds kinds;
  const auto place = [](__m128i found, int shift) {
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(found)));
    return shift < 0 ? bits >> -shift : bits << shift;
  };
  const auto wants = [&](PieceKind kind) { return wanted[static_cast<std::size_t>(kind)]; };
  for_each_vector(s, [&](__m128i bytes, int shift) {
    const __m128i decimals = in_range(bytes, '0', '9');
    kinds.decimals |= place(decimals, shift);
    if (wants(PieceKind::kLowerHex)) {
      kinds.lower_hex |= place(_mm_or_si128(decimals, in_range(bytes, 'a', 'f')), shift);
    }
    if (wants(PieceKind::kUpperHex)) {
      kinds.upper_hex |= place(_mm_or_si128(decimals, in_range(bytes, 'A', 'F')), shift);
    }
    if (wants(PieceKind::kText)) {
      const __m128i letters = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
      kinds.words |= place(_mm_or_si128(_mm_or_si128(decimals, letters), bytes), shift);
    }
  });
  return kinds;
}

#endif

}  // namespace steno::format
