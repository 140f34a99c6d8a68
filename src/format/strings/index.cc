#include "format/strings/index.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace steno::format {
namespace {

constexpr std::size_t kLeastSlots = 64;
constexpr std::size_t kMostFirstSlots = 512;
constexpr std::size_t kMostFree = 32;  // slots for each string

}  // namespace

void StringIndex::clear(std::size_t expected) {
  distinct_.clear();
  blocks_.clear();
  slots_.assign(std::max(kLeastSlots, std::bit_ceil(std::min(expected * 2, kMostFirstSlots))), 0);
}

void StringIndex::grow() {
  std::vector<std::uint64_t> old;
  old.swap(slots_);
  slots_.assign(old.size() * 4, 0);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t entry : old) {
    if (entry == 0) continue;
    const std::size_t number = static_cast<std::uint32_t>(entry) - 1;
    std::size_t slot = hash_of(distinct_[number], blocks_[number]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

std::uint32_t StringIndex::add(const StringRef& s) {
  const StringBlocks blocks(s);
  const std::uint64_t hash = hash_of(s, blocks);
  const std::uint64_t upper = hash >> 32 << 32;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    const std::uint64_t entry = slots_[slot];
    if (entry == 0) {
      distinct_.push_back(s);
      blocks_.push_back(blocks);
      slots_[slot] = upper | distinct_.size();
      if (distinct_.size() * 2 > slots_.size()) grow();
      return static_cast<std::uint32_t>(distinct_.size() - 1);
    }
    if ((entry ^ upper) >> 32 != 0) continue;
    const auto number = static_cast<std::uint32_t>(entry) - 1;
    if (same_string(s, blocks, distinct_[number], blocks_[number])) return number;
  }
  // So long a way is chance in a table that is half full, but not in one that is nearly empty.
  if (slots_.size() > kMostFree * distinct_.size()) return kGiveUp;
  grow();
  return add(s);
}

void StringIndex::sort_by_frequency(std::vector<std::uint32_t>* numbers) {
  const std::size_t n = distinct_.size();
  std::vector<std::uint32_t> counts(n);
  for (const std::uint32_t number : *numbers) ++counts[number];
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
  std::vector<StringRef> sorted(n);
  std::vector<std::uint32_t> now(n);  // the new number of each
  counts_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    sorted[i] = distinct_[order[i]];
    counts_[i] = counts[order[i]];
    now[order[i]] = static_cast<std::uint32_t>(i);
  }
  distinct_.swap(sorted);
  for (std::uint32_t& number : *numbers) number = now[number];
}

}  // namespace steno::format
