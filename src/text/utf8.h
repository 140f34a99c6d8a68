// UTF-8 out of code points.
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

}  // namespace steno::text
