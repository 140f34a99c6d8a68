// Hashing and comparing strings by their ends (StringEnds): what tables of strings are made with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "format/codecs/string_codec.h"

namespace steno::format {

// Probes after which strings fight the hash, which is no secret: a table gives up.
inline constexpr std::size_t kMostProbes = 24;

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_of(const StringRef& s, const StringEnds& ends) {
  constexpr std::uint64_t kA = 0x9E3779B97F4A7C15;
  constexpr std::uint64_t kB = 0xC2B2AE3D27D4EB4F;
  std::uint64_t h = mix(ends.words[0] ^ kA ^ s.size, ends.words[1] ^ kB) ^ mix(ends.words[2] ^ kB, ends.words[3] ^ kA);
  for (std::size_t at = 16; at + 16 < s.bytes(); at += 16) {
    h = mix(load<std::uint64_t>(s.data + at) ^ h, load<std::uint64_t>(s.data + at + 8) ^ kB);
  }
  return h;
}

inline bool same_string(const StringRef& a, const StringEnds& ends, const StringRef& b, const StringEnds& other) {
  std::uint64_t differ = ends.size ^ other.size;
  for (int i = 0; i < 4; ++i) differ |= ends.words[i] ^ other.words[i];
  return differ == 0 && (a.bytes() <= 32 || std::memcmp(a.data + 16, b.data + 16, a.bytes() - 32) == 0);
}

}  // namespace steno::format
