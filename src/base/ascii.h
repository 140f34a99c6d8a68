// ASCII characters, independent of the locale.
#pragma once

#include <cstddef>
#include <string_view>

namespace steno {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// How many digits a text begins with.
constexpr std::size_t leading_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace steno
