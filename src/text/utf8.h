// UTF-8 to code points and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace steno::text {

inline constexpr std::size_t kMaxUtf8Size = 4;

// Writes one code point, U+FFFD for what is no scalar value, and returns its size. Room for kMaxUtf8Size.
inline std::size_t encode_utf8(std::uint32_t code, std::uint8_t* p) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  const auto tail = [code](unsigned shift) { return static_cast<std::uint8_t>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    p[0] = static_cast<std::uint8_t>(code);
    return 1;
  }
  if (code < 0x800) {
    p[0] = static_cast<std::uint8_t>(0xC0 | code >> 6);
    p[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    p[0] = static_cast<std::uint8_t>(0xE0 | code >> 12);
    p[1] = tail(6);
    p[2] = tail(0);
    return 3;
  }
  p[0] = static_cast<std::uint8_t>(0xF0 | code >> 18);
  p[1] = tail(12);
  p[2] = tail(6);
  p[3] = tail(0);
  return 4;
}

// Size of the valid UTF-8 sequence at p, of n bytes at least 1; 0: it is none. *code: its code point.
inline std::size_t decode_utf8(const std::uint8_t* p, std::size_t n, std::uint32_t* code) {
  const std::uint8_t lead = p[0];
  if (lead < 0x80) {
    *code = lead;
    return 1;
  }
  const std::size_t size = lead >= 0xF0 && lead < 0xF5   ? 4
                           : lead >= 0xE0 && lead < 0xF0 ? 3
                           : lead >= 0xC2 && lead < 0xE0 ? 2
                                                         : 0;
  if (size == 0 || size > n) return 0;
  std::uint32_t c = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((p[i] & 0xC0) != 0x80) return 0;
    c = c << 6 | (p[i] & 0x3F);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kLeast[size] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
  *code = c;
  return size;
}

}  // namespace steno::text
