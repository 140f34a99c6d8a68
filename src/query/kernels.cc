#include "query/kernels.h"

#include <algorithm>

#include "format/codecs/multiversion.h"

namespace steno::query {

STENO_MULTIVERSION void keep_in_range(const std::uint64_t* values, std::size_t n, std::uint64_t low,
                                      std::uint64_t span, std::uint8_t inverted, std::uint8_t* keep) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t inside = values[i] - low <= span ? 1 : 0;
    keep[i] = static_cast<std::uint8_t>(keep[i] & (inside ^ inverted));
  }
}

void keep_by_code(const std::uint64_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep) {
  for (std::size_t i = 0; i < n; ++i) keep[i] = static_cast<std::uint8_t>(keep[i] & table[codes[i]]);
}

void keep_by_code(const std::uint32_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep) {
  for (std::size_t i = 0; i < n; ++i) keep[i] = static_cast<std::uint8_t>(keep[i] & table[codes[i]]);
}

STENO_MULTIVERSION void keep_either(const std::uint8_t* other, std::size_t n, std::uint8_t* keep) {
  for (std::size_t i = 0; i < n; ++i) keep[i] = static_cast<std::uint8_t>(keep[i] | other[i]);
}

STENO_MULTIVERSION void keep_both(const std::uint8_t* other, std::size_t n, std::uint8_t* keep) {
  for (std::size_t i = 0; i < n; ++i) keep[i] = static_cast<std::uint8_t>(keep[i] & other[i]);
}

std::size_t compact(const std::uint64_t* values, const std::uint8_t* keep, std::size_t n, std::uint64_t* out) {
  std::size_t m = 0;
  for (std::size_t i = 0; i < n; ++i) {  // without a branch: which are kept is not to be guessed
    out[m] = values[i];
    m += keep[i];
  }
  return m;
}

STENO_MULTIVERSION std::size_t count_below(const std::uint64_t* values, std::size_t n, std::uint64_t flip,
                                           std::uint64_t low) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += (values[i] ^ flip) < low ? 1 : 0;
  return count;
}

STENO_MULTIVERSION std::size_t count_in_range(const std::uint64_t* values, std::size_t n, std::uint64_t flip,
                                              std::uint64_t low, std::uint64_t span) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += (values[i] ^ flip) - low <= span ? 1 : 0;
  return count;
}

STENO_MULTIVERSION std::size_t count_kept(const std::uint8_t* keep, std::size_t n) {
  constexpr std::size_t kPart = 255;  // as many as a byte can count
  std::size_t total = 0;
  for (std::size_t at = 0; at < n; at += kPart) {
    const std::size_t end = std::min(n, at + kPart);
    std::uint32_t part = 0;
    for (std::size_t i = at; i < end; ++i) part += keep[i];
    total += part;
  }
  return total;
}

}  // namespace steno::query
