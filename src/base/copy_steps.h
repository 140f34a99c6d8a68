// Copies of short texts in fixed steps, past their ends: sizes vary, and a branch that is guessed wrong costs more than
// the copy.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace steno {

inline constexpr std::size_t kCopyStep = 16;

// Bytes of which `text` has kCopyStep more; with room for as many. Returns the end.
template <class Byte>
inline Byte* put_steps(Byte* p, const char* text, std::size_t size) {
  for (std::size_t i = 0; i < size; i += kCopyStep) std::memcpy(p + i, text + i, kCopyStep);
  return p + size;
}
// Copies texts that are rarely longer than so many steps, which are copied in any case.
template <std::size_t steps, class Byte>
[[gnu::always_inline]] inline Byte* put_mostly(Byte* p, const char* text, std::size_t size) {
  constexpr std::size_t kUsual = steps * kCopyStep;
  std::memcpy(p, text, kUsual);
  if (size > kUsual) put_steps(p + kUsual, text + kUsual, size - kUsual);
  return p + size;
}

// The number of bytes that can be read after a string that is said to have slack.
inline constexpr std::size_t kStringSlack = 64;

// A string with slack, of at most so many bytes; with room for as many.
template <std::size_t most, class Byte>
[[gnu::always_inline]] inline Byte* put_short_string(Byte* p, std::string_view s) {
  static_assert(most <= kStringSlack);
  std::memcpy(p, s.data(), most);
  return p + s.size();
}

// Copies a string of any size; with room for that rounded up to kStringSlack, and no less than that.
[[gnu::always_inline]] inline char* put_long_string(char* p, std::string_view s) {
  std::size_t at = 0;
  do {
    std::memcpy(p + at, s.data() + at, kStringSlack);
    at += kStringSlack;
  } while (at < s.size());
  return p + s.size();
}

}  // namespace steno
