#include "query/statistics/duration_bins.h"

#include <algorithm>
#include <span>

namespace steno::query {
namespace {

constexpr unsigned kTwoDigits = 90;    // 10 to 99
constexpr unsigned kPowersOfTen = 19;  // of ten, as far as 64 bits hold

// The first two digits of the edges of bars, coarse to fine.
constexpr unsigned kThreeEdges[] = {10, 20, 50};
constexpr unsigned kTenEdges[] = {10, 12, 15, 20, 25, 30, 40, 50, 60, 80};
constexpr unsigned kManyEdges[] = {10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30,
                                   33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91};

// Where the bin of a number of two digits begins; 128 bits, because the last ones end beyond 64.
std::int64_t edge_of(std::size_t bin) {
  if (bin == 0) return 0;
  __int128 edge = 10 + static_cast<int>((bin - 1) % kTwoDigits);
  for (std::size_t power = 0; power < (bin - 1) / kTwoDigits; ++power) edge *= 10;
  edge = (edge + 9) / 10;
  return edge > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(edge);
}

std::vector<DurationBar> merged_bars(std::span<const std::uint64_t> counts, std::size_t first, std::size_t last,
                                     std::span<const unsigned> digits) {
  std::vector<DurationBar> bars;
  const auto begins = [&](std::size_t bin) {
    return bin <= 1 ||
           std::find(digits.begin(), digits.end(), 10 + static_cast<unsigned>((bin - 1) % kTwoDigits)) != digits.end();
  };
  while (!begins(first)) --first;
  for (std::size_t bin = first; bin <= last || (bin < counts.size() && !begins(bin)); ++bin) {
    if (bars.empty() || begins(bin)) bars.push_back({edge_of(bin), 0, 0});
    bars.back().count += counts[bin];
    bars.back().high = edge_of(bin + 1);
  }
  // Below 10 ns two digits are more than there is.
  std::erase_if(bars, [](const DurationBar& bar) { return bar.low == bar.high && bar.count == 0; });
  return bars;
}

}  // namespace

DurationBins::DurationBins() : counts_(1 + kTwoDigits * kPowersOfTen) {}

void DurationBins::add(std::int64_t duration) {
  if (duration <= 0) {
    ++counts_[0];
    return;
  }
  auto value = static_cast<std::uint64_t>(duration);
  std::size_t power = 0;
  while (value >= 100) {
    value /= 10;
    ++power;
  }
  // One digit is the power below: 7 ns is 7.0.
  const std::size_t bin = value < 10 ? value * 10 - 10 : kTwoDigits * (power + 1) + value - 10;
  ++counts_[1 + bin];
}

std::vector<DurationBar> DurationBins::bars() const {
  constexpr std::size_t kEnough = 10;
  const auto is_there = [](std::uint64_t count) { return count != 0; };
  const auto first = std::find_if(counts_.begin(), counts_.end(), is_there);
  if (first == counts_.end()) return {};
  const auto last = std::find_if(counts_.rbegin(), counts_.rend(), is_there).base() - 1;
  std::vector<unsigned> all(kTwoDigits);
  for (unsigned i = 0; i < kTwoDigits; ++i) all[i] = 10 + i;
  std::vector<DurationBar> bars;
  for (const std::span<const unsigned> digits :
       {std::span<const unsigned>(kThreeEdges), std::span<const unsigned>(kTenEdges),
        std::span<const unsigned>(kManyEdges), std::span<const unsigned>(all)}) {
    bars = merged_bars(counts_, static_cast<std::size_t>(first - counts_.begin()),
                       static_cast<std::size_t>(last - counts_.begin()), digits);
    if (bars.size() >= kEnough) break;
  }
  return bars;
}

}  // namespace steno::query
