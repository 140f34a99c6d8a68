// A text that is made where it is logged, and needs no memory for that.
#pragma once

#include <cstddef>

namespace steno::detail {

// A type that statements take for a string (IsString in capture.h), of at most kSize bytes.
template <std::size_t kSize>
class ShortText {
 public:
  struct traits_type {
    using char_type = char;
  };

  const char* data() const { return text_; }
  std::size_t size() const { return size_; }

  void append(char c) {
    if (size_ < kSize) text_[size_++] = c;
  }
  void append(const char* text) {
    while (*text != '\0') append(*text++);
  }
  void append(unsigned long long number, int least_digits = 1) {
    char digits[20];
    int n = 0;
    for (; number != 0 || n < least_digits; number /= 10) digits[n++] = static_cast<char>('0' + number % 10);
    while (n > 0) append(digits[--n]);
  }
  void append_signed(long long number) {
    if (number < 0) append('-');
    append(number < 0 ? 0 - static_cast<unsigned long long>(number) : static_cast<unsigned long long>(number));
  }

 private:
  char text_[kSize];
  std::size_t size_ = 0;
};

}  // namespace steno::detail
