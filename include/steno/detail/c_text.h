// steno_text() of <steno/c.h> where it is included from C++.
#pragma once

#include <cstddef>

namespace steno::detail {

// A string by pointer and size, as statements take those of classes.
class CText {
 public:
  struct traits_type {
    using char_type = char;
  };
  constexpr CText(const char* data, std::size_t size) : data_(data), size_(size) {}
  constexpr const char* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }

 private:
  const char* data_;
  std::size_t size_;
};

}  // namespace steno::detail

constexpr steno::detail::CText steno_text(const char* data, std::size_t size) {
  return {data, size};
}
