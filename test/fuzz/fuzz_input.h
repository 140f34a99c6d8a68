// Common parts of fuzzers: pieces of an input, and checks that hold in every build.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace steno::fuzz {

// A finding, whether or not assertions are compiled in.
inline void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Takes a text up to the next NUL, which is passed over, or to the end: people can read and edit such inputs.
inline std::string_view take_text(ByteReader& in) {
  const auto* begin = reinterpret_cast<const char*>(in.take(0));
  std::size_t size = 0;
  const std::size_t left = in.remaining();
  while (size < left && begin[size] != '\0') ++size;
  in.take(size < left ? size + 1 : size);
  return {begin, size};
}

// A copy of the exact size: a read past its end is one that AddressSanitizer sees.
class Exact {
 public:
  Exact(const void* p, std::size_t n)
      : bytes_(static_cast<const std::uint8_t*>(p), static_cast<const std::uint8_t*>(p) + n) {}
  explicit Exact(std::string_view text) : Exact(text.data(), text.size()) {}

  const std::uint8_t* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace steno::fuzz
