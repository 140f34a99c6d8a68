// SipHash-2-4: a keyed 64-bit hash that is unpredictable without the key (Aumasson and Bernstein, 2012).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace steno {

struct SipKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

inline std::uint64_t siphash(const SipKey& key, const void* data, std::size_t size) {
  std::uint64_t v0 = key.first ^ 0x736f6d6570736575;
  std::uint64_t v1 = key.second ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key.first ^ 0x6c7967656e657261;
  std::uint64_t v3 = key.second ^ 0x7465646279746573;
  const auto rotate = [](std::uint64_t x, int by) { return x << by | x >> (64 - by); };
  const auto round = [&] {
    v0 += v1;
    v2 += v3;
    v1 = rotate(v1, 13) ^ v0;
    v3 = rotate(v3, 16) ^ v2;
    v0 = rotate(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = rotate(v1, 17) ^ v2;
    v3 = rotate(v3, 21) ^ v0;
    v2 = rotate(v2, 32);
  };
  const auto mix = [&](std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  const auto* const bytes = static_cast<const unsigned char*>(data);
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) mix(load<std::uint64_t>(bytes + at));
  std::uint64_t last = static_cast<std::uint64_t>(size) << 56;
  for (int shift = 0; at < size; ++at, shift += 8) last |= std::uint64_t{bytes[at]} << shift;
  mix(last);
  v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace steno
