// A stable sort by some bits of an integer: digit by digit, from the least.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace steno::reader {

// Sorts items[0 .. n) by bits [low, high) of key(item), an unsigned 64-bit number. `swap` is scratch memory, kept.
template <class Item, class Key>
void radix_sort(Item* items, std::size_t n, unsigned low, unsigned high, Key key, std::vector<Item>* swap) {
  constexpr unsigned kMostBits = 11;  // of a digit: its counters stay in the first-level cache
  if (n < 2 || low >= high) return;
  const unsigned digits = (high - low + kMostBits - 1) / kMostBits;
  const unsigned bits = (high - low + digits - 1) / digits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  if (swap->size() < n) swap->resize(n);
  // How often each value of each digit comes, in one go.
  std::vector<std::uint32_t> counts(digits << bits);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = key(items[i]) >> low;
    for (unsigned d = 0; d < digits; ++d) ++counts[(d << bits) + (word >> d * bits & mask)];
  }
  Item* from = items;
  Item* to = swap->data();
  for (unsigned d = 0; d < digits; ++d) {
    std::uint32_t* at = counts.data() + (d << bits);
    std::uint32_t sum = 0;
    for (std::size_t v = 0; v <= mask; ++v) sum += std::exchange(at[v], sum);
    const unsigned shift = low + d * bits;
    for (std::size_t i = 0; i < n; ++i) to[at[key(from[i]) >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + n, items);
}

}  // namespace steno::reader
