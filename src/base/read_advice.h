// How the pages of a mapped file are brought in. Advice only: nothing fails, nothing else changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace steno {

// While it lives, what is touched is read alone. Otherwise the kernel reads megabytes around each touch, which for
// scattered ones makes the whole file.
class ScatteredReads {
 public:
  explicit ScatteredReads(std::span<const std::uint8_t> mapped);
  ~ScatteredReads();
  ScatteredReads(const ScatteredReads&) = delete;
  ScatteredReads& operator=(const ScatteredReads&) = delete;

 private:
  std::span<const std::uint8_t> mapped_;
};

// Starts reading the pages that these bytes lie in.
void read_soon(std::span<const std::uint8_t> mapped);

}  // namespace steno
