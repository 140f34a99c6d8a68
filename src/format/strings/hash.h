// Hashing and comparing strings without a branch on their length: what tables of strings are made with. Lengths vary,
// and a branch guessed wrong costs more than the rest of a lookup.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "format/strings/codec.h"

namespace steno::format {

// Probes after which strings fight the hash, which is no secret: a table gives up.
inline constexpr std::size_t kMostProbes = 24;

// The first and the last 32 bytes of a string, in four blocks of 16 that overlap where it is shorter than 64: all of it
// then. Bytes before a string of less than 16 are masked off.
struct StringBlocks {
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t kWhole = 4 * kBlock;  // strings up to here have no other bytes
  using Block = std::uint64_t __attribute__((vector_size(kBlock)));

  Block blocks[4];

  StringBlocks() = default;  // anything
  explicit StringBlocks(const StringRef& s);
  // The only block of a string of up to 16 bytes.
  static Block only_of(const StringRef& s);
};

// All bits set, or none: what compilers would take for a branch, but must not where nobody can guess it.
inline std::uint64_t all_ones_if(bool condition) {
  std::uint64_t one = condition ? 1 : 0;
  asm("" : "+r"(one));  // now it is any number
  return -one;
}

inline std::pair<std::uint64_t, std::uint64_t> words_of(StringBlocks::Block block) {
#if defined(__SSE2__)
  const auto both = reinterpret_cast<__m128i>(block);  // compilers would go by memory for the second
  return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(both)),
          static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both)))};
#else
  return {block[0], block[1]};
#endif
}

namespace detail {

// Where the blocks of a string are, by its size up to 32: a table, for compilers make branches of minima.
struct BlockPlaces {
  static constexpr std::size_t kSizes = 2 * StringBlocks::kBlock + 1;
  std::int8_t first[kSizes] = {};   // from where the string begins
  std::int8_t second[kSizes] = {};  // from there, too
  std::int8_t third[kSizes] = {};   // before the last
  alignas(StringBlocks::kBlock) std::uint8_t masks[2 * StringBlocks::kBlock] = {};

  constexpr BlockPlaces() {
    constexpr int kSize = StringBlocks::kBlock;
    for (int n = 0; n <= 2 * kSize; ++n) {
      const int last = n - kSize;
      first[n] = static_cast<std::int8_t>(std::min(last, 0));
      second[n] = static_cast<std::int8_t>(std::min(last, kSize));
      third[n] = static_cast<std::int8_t>(std::max(last, 0));
    }
    for (int i = kSize; i < 2 * kSize; ++i) masks[i] = 255;
  }
};
inline constexpr BlockPlaces kBlockPlaces;

// The products of the halves of each word.
inline StringBlocks::Block multiply_halves(StringBlocks::Block words) {
#if defined(__SSE2__)
  return reinterpret_cast<StringBlocks::Block>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(words), reinterpret_cast<__m128i>(words >> 32)));
#else
  return (words & 0xFFFFFFFF) * (words >> 32);
#endif
}

}  // namespace detail

inline StringBlocks::StringBlocks(const StringRef& s) {
  const std::size_t n = s.bytes();
  const std::size_t row = lesser(n, 2 * kBlock);
  const auto& places = detail::kBlockPlaces;
  const auto mask = load<Block>(places.masks + lesser(n, kBlock));
  const std::uint8_t* const last = s.data + n - kBlock;
  blocks[0] = load<Block>(s.data + places.first[row]) & mask;
  blocks[1] = load<Block>(s.data + places.second[row]) & mask;
  blocks[2] = load<Block>(last - places.third[row]) & mask;
  blocks[3] = load<Block>(last) & mask;
}

inline StringBlocks::Block StringBlocks::only_of(const StringRef& s) {
  return load<Block>(s.data + s.size - kBlock) & load<Block>(detail::kBlockPlaces.masks + s.size);
}

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The hash of a string of up to 16 bytes, which are in each of its blocks.
inline std::uint64_t short_hash_of(const StringRef& s, StringBlocks::Block block) {
  const auto [low, high] = words_of(block);
  return mix(low ^ s.size ^ 0xA0761D6478BD642F, high ^ 0xE7037ED1A0B428DB);
}

// The blocks of longer ones are mixed as those of XXH3 are (Collet, xxHash 0.8).
inline std::uint64_t hash_of(const StringRef& s, const StringBlocks& all) {
  constexpr std::uint64_t kA = 0x9E3779B97F4A7C15;
  constexpr std::uint64_t kB = 0xC2B2AE3D27D4EB4F;
  constexpr StringBlocks::Block kKeys[4] = {{kA, kB},
                                            {0x165667B19E3779F9, 0xA0761D6478BD642F},
                                            {0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3},
                                            {0x589965CC75374CC3, 0x1D8E4E27C47D124F}};
  StringBlocks::Block sum = {};
  for (int i = 0; i < 4; ++i) {
    const StringBlocks::Block& block = all.blocks[i];
    sum += detail::multiply_halves(block ^ kKeys[i]) + StringBlocks::Block{block[1], block[0]};
  }
  const auto [low, high] = words_of(sum);
  const std::uint64_t is_short = all_ones_if(s.size <= StringBlocks::kBlock);
  std::uint64_t h = (mix(low ^ s.size * kA, high ^ kB) & ~is_short) | (short_hash_of(s, all.blocks[0]) & is_short);
  constexpr std::size_t kEnd = StringBlocks::kWhole / 2;
  for (std::size_t at = kEnd; at + kEnd < s.bytes(); at += StringBlocks::kBlock) {
    h = mix(load<std::uint64_t>(s.data + at) ^ h, load<std::uint64_t>(s.data + at + 8) ^ kB);
  }
  return h;
}

// 0: the strings have the same size and the same blocks.
inline std::uint64_t difference(const StringRef& a, const StringBlocks& of_a, const StringRef& b,
                                const StringBlocks& of_b) {
  StringBlocks::Block differ = of_a.blocks[0] ^ of_b.blocks[0];
  for (int i = 1; i < 4; ++i) differ |= of_a.blocks[i] ^ of_b.blocks[i];
  const auto [low, high] = words_of(differ);
  return low | high | (a.size ^ b.size);
}

// Returns whether two strings without a difference() are equal in the bytes that their blocks leave out, too.
inline bool same_rest(const StringRef& a, const StringRef& b) {
  constexpr std::size_t kEnd = StringBlocks::kWhole / 2;
  return a.bytes() <= StringBlocks::kWhole || std::memcmp(a.data + kEnd, b.data + kEnd, a.bytes() - 2 * kEnd) == 0;
}

inline bool same_string(const StringRef& a, const StringBlocks& of_a, const StringRef& b, const StringBlocks& of_b) {
  return difference(a, of_a, b, of_b) == 0 && same_rest(a, b);
}

}  // namespace steno::format
