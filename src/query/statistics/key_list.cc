#include "query/statistics/key_list.h"

#include <bit>

#include "query/search/kernels.h"

namespace steno::query {

// Each round leaves the keys of one of some equal intervals.
std::uint64_t KeyList::of_rank(std::uint64_t rank) const {
  constexpr std::size_t kFew = 4096;
  constexpr unsigned kBits = 11;
  std::vector<std::span<const std::uint64_t>> pieces(pieces_.begin(), pieces_.end());
  std::vector<std::uint64_t> left;
  std::size_t size = size_;
  while (size > kFew) {
    std::uint64_t least = UINT64_MAX;
    std::uint64_t greatest = 0;
    for (const auto& keys : pieces) extremes_of(keys.data(), keys.size(), 0, &least, &greatest);
    const auto bits = static_cast<unsigned>(std::bit_width(greatest - least));
    const unsigned shift = bits > kBits ? bits - kBits : 0;
    std::uint64_t counts[std::size_t{1} << kBits] = {};
    for (const auto& keys : pieces) {
      for (const std::uint64_t key : keys) ++counts[(key - least) >> shift];
    }
    std::size_t at = 0;
    for (; rank >= counts[at]; ++at) rank -= counts[at];
    if (shift == 0) return least + at;
    size = counts[at];
    std::vector<std::uint64_t> those(size + 1);  // any key may be written behind the last of them
    std::size_t n = 0;
    for (const auto& keys : pieces) {
      for (const std::uint64_t key : keys) {
        those[n] = key;
        n += (key - least) >> shift == at ? 1 : 0;
      }
    }
    those.resize(size);
    left = std::move(those);
    pieces.assign(1, left);
  }
  if (left.empty()) {
    for (const auto& keys : pieces) left.insert(left.end(), keys.begin(), keys.end());
  }
  std::nth_element(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(rank), left.end());
  return left[rank];
}

}  // namespace steno::query
