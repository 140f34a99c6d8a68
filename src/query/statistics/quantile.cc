#include "query/statistics/quantile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>

#include "query/search/kernels.h"

namespace steno::query {
namespace {

std::size_t keys_below(const Numbers& numbers, std::uint64_t flip, std::uint64_t low) {
  if (numbers.offsets == nullptr) return count_below(numbers.values, numbers.n, flip, low);
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  if (low == 0 || !offsets_between(numbers, flip, 0, low - 1, &from, &to)) return 0;
  return to == UINT32_MAX ? numbers.n : count_below(numbers.offsets, numbers.n, to + 1);
}

// Appends the keys in [low, high].
void gather_keys(const Numbers& numbers, std::uint64_t flip, std::uint64_t low, std::uint64_t high, KeyList* out) {
  if (numbers.offsets == nullptr) {
    const std::uint64_t span = high - low;
    if (count_in_range(numbers.values, numbers.n, flip, low, span) == 0) return;
    for (std::size_t i = 0; i < numbers.n; ++i) {
      if ((numbers.values[i] ^ flip) - low <= span) out->add(numbers.values[i] ^ flip);
    }
    return;
  }
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  if (!offsets_between(numbers, flip, low, high, &from, &to)) return;
  std::uint32_t selected[format::kMiniBlock];
  const std::size_t n = select_in_range(numbers.offsets, numbers.n, from, to - from, selected);
  for (std::size_t i = 0; i < n; ++i) out->add((numbers.base ^ flip) + selected[i] * numbers.factor);
}

}  // namespace

std::uint64_t rank_of(double quantile, std::uint64_t count) {
  const double position = std::ceil(quantile * static_cast<double>(count) - 1e-9);
  return position < 1 ? 0 : std::min<std::uint64_t>(static_cast<std::uint64_t>(position) - 1, count - 1);
}

QuantileGuess::QuantileGuess(unsigned workers, const std::vector<double>& quantiles,
                             std::vector<std::uint64_t> sample) {
  constexpr std::size_t kLeastSample = 1 << 14;
  constexpr double kDeviations = 8;  // blocks differ from one another, so more than chance alone would want
  if (sample.size() < kLeastSample) return;
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  for (const double quantile : quantiles) {
    const double reach = kDeviations * std::sqrt(n * quantile * (1 - quantile)) + 2 * kDeviations;
    const double from = quantile * n - reach;
    const double to = quantile * n + reach;
    intervals_.push_back({from < 0 ? 0 : sample[static_cast<std::size_t>(from)],
                          to >= n ? UINT64_MAX : sample[static_cast<std::size_t>(to)]});
  }
  scratch_.resize(workers);
  for (Scratch& scratch : scratch_) {
    scratch.below.assign(intervals_.size(), 0);
    scratch.gathered.resize(intervals_.size());
  }
}

bool QuantileGuess::wants(std::uint64_t least, std::uint64_t greatest) const {
  return std::any_of(intervals_.begin(), intervals_.end(),
                     [&](const Interval& interval) { return greatest >= interval.low && least <= interval.high; });
}

void QuantileGuess::count(unsigned worker, std::uint64_t, std::uint64_t greatest, std::uint64_t numbers) {
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (greatest < intervals_[i].low) scratch_[worker].below[i] += numbers;
  }
}

void QuantileGuess::take(unsigned worker, std::uint64_t least, std::uint64_t greatest, const Numbers& numbers,
                         std::uint64_t flip) {
  Scratch& scratch = scratch_[worker];
  if (scratch.too_many) return;
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const Interval& interval = intervals_[i];
    if (greatest < interval.low) {
      scratch.below[i] += numbers.n;
    } else if (least <= interval.high) {
      if (least < interval.low) scratch.below[i] += keys_below(numbers, flip, interval.low);
      const std::size_t before = scratch.gathered[i].size();
      gather_keys(numbers, flip, interval.low, interval.high, &scratch.gathered[i]);
      scratch.size += scratch.gathered[i].size() - before;
    }
  }
  if (scratch.size > kMostGathered / scratch_.size()) {
    scratch.too_many = true;
    scratch.gathered.clear();
  }
}

bool QuantileGuess::find(std::size_t index, std::uint64_t rank, std::uint64_t* key) {
  if (index >= intervals_.size()) return false;
  std::uint64_t below = 0;
  KeyList all;
  for (Scratch& scratch : scratch_) {
    if (scratch.too_many) return false;
    below += scratch.below[index];
    all.take(scratch.gathered[index]);
  }
  if (rank < below || rank - below >= all.size()) return false;
  *key = all.of_rank(rank - below);
  return true;
}

std::size_t QuantileSearch::add_target(std::uint32_t group, std::uint64_t rank, std::uint64_t least,
                                       std::uint64_t greatest, std::uint64_t count, std::uint64_t below) {
  targets_.push_back({group, rank, least, greatest, count, below, true});
  return targets_.size() - 1;
}

bool QuantileSearch::begin_round() {
  intervals_.clear();
  of_group_.clear();
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::size_t> same;
  std::uint64_t total = 0;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const Target& target = targets_[t];
    if (target.done()) continue;
    const auto [found, added] = same.try_emplace({target.group, target.low, target.high}, intervals_.size());
    if (added) {
      Interval interval;
      interval.low = target.low;
      interval.high = target.high;
      interval.below = target.below;
      interval.loose = target.loose;
      intervals_.push_back(interval);
      total += target.count;
      if (of_group_.size() <= target.group) of_group_.resize(target.group + std::size_t{1});
      of_group_[target.group].push_back(static_cast<std::uint32_t>(found->second));
    }
    intervals_[found->second].targets.push_back(t);
  }
  if (intervals_.empty()) return false;
  gathers_ = total <= most_gathered_;
  const std::size_t room = std::bit_floor(std::max<std::size_t>(2, kMostBuckets / (intervals_.size() * workers_)));
  buckets_each_ = std::min(kBucketsOfOne, room);
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    Interval& interval = intervals_[i];
    interval.first_bucket = i * buckets_each_;
    const auto bits = static_cast<unsigned>(std::bit_width(interval.high - interval.low));
    const auto bucket_bits = static_cast<unsigned>(std::bit_width(buckets_each_ - 1));
    interval.shift = bits > bucket_bits ? bits - bucket_bits : 0;
  }
  scratch_.assign(workers_, {});
  for (Scratch& scratch : scratch_) {
    scratch.below.assign(intervals_.size(), 0);
    if (gathers_) {
      scratch.gathered.resize(intervals_.size());
    } else {
      scratch.buckets.assign(intervals_.size() * buckets_each_, 0);
    }
  }
  return true;
}

bool QuantileSearch::needs(std::uint32_t group, std::uint64_t least, std::uint64_t greatest) const {
  if (group >= of_group_.size()) return false;
  return std::any_of(of_group_[group].begin(), of_group_[group].end(),
                     [&](std::uint32_t i) { return greatest >= intervals_[i].low && least <= intervals_[i].high; });
}

void QuantileSearch::take(unsigned worker, std::uint32_t group, std::uint64_t least, std::uint64_t greatest,
                          const Numbers& numbers, std::uint64_t flip) {
  if (group >= of_group_.size()) return;
  Scratch& scratch = scratch_[worker];
  std::uint64_t buffer[format::kMiniBlock];
  for (const std::uint32_t index : of_group_[group]) {
    const Interval& interval = intervals_[index];
    if (greatest < interval.low || least > interval.high) continue;
    if (interval.loose && least < interval.low) scratch.below[index] += keys_below(numbers, flip, interval.low);
    if (gathers_) {
      gather_keys(numbers, flip, interval.low, interval.high, &scratch.gathered[index]);
      continue;
    }
    std::uint64_t* buckets = scratch.buckets.data() + interval.first_bucket;
    const std::uint64_t* values = numbers.unpack(buffer);
    const std::uint64_t span = interval.high - interval.low;
    for (std::size_t i = 0; i < numbers.n; ++i) {
      const std::uint64_t at = (values[i] ^ flip) - interval.low;
      if (at <= span) ++buckets[at >> interval.shift];
    }
  }
}

// Each target's interval becomes the bucket that its rank is in.
void QuantileSearch::settle_by_counts(std::size_t index, std::uint64_t below) {
  const Interval& interval = intervals_[index];
  std::vector<std::uint64_t> total(buckets_each_, 0);
  for (const Scratch& scratch : scratch_) {
    for (std::size_t b = 0; b < buckets_each_; ++b) total[b] += scratch.buckets[interval.first_bucket + b];
  }
  for (const std::size_t t : interval.targets) {
    Target& target = targets_[t];
    std::uint64_t before = below;
    std::size_t b = 0;
    while (b + 1 < buckets_each_ && before + total[b] <= target.rank) before += total[b++];
    const std::uint64_t reach = (std::uint64_t{1} << interval.shift) - 1;
    target.low = interval.low + (static_cast<std::uint64_t>(b) << interval.shift);
    target.high = target.low + std::min(reach, interval.high - target.low);
    target.count = total[b];
    target.below = before;
    target.loose = false;
  }
}

void QuantileSearch::settle_by_selection(std::size_t index, std::uint64_t below) {
  KeyList all;
  for (Scratch& scratch : scratch_) all.take(scratch.gathered[index]);
  for (const std::size_t t : intervals_[index].targets) {
    Target& target = targets_[t];
    if (all.empty()) {  // the log has changed under us
      target.high = target.low;
      continue;
    }
    const auto rank = std::min<std::uint64_t>(target.rank > below ? target.rank - below : 0, all.size() - 1);
    target.low = target.high = all.of_rank(rank);
  }
}

void QuantileSearch::end_round() {
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    std::uint64_t below = intervals_[i].below;
    for (const Scratch& scratch : scratch_) below += scratch.below[i];
    gathers_ ? settle_by_selection(i, below) : settle_by_counts(i, below);
  }
  scratch_.clear();
}

}  // namespace steno::query
