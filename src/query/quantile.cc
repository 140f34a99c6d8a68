#include "query/quantile.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "query/kernels.h"

namespace steno::query {

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
  gathers_ = total <= kMostGathered;
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
  return std::any_of(of_group_[group].begin(), of_group_[group].end(), [&](std::uint32_t i) {
    return greatest >= intervals_[i].low && least <= intervals_[i].high;
  });
}

void QuantileSearch::take(unsigned worker, std::uint32_t group, std::uint64_t least, std::uint64_t greatest,
                          const std::uint64_t* values, std::size_t n, std::uint64_t flip) {
  if (group >= of_group_.size()) return;
  Scratch& scratch = scratch_[worker];
  for (const std::uint32_t index : of_group_[group]) {
    const Interval& interval = intervals_[index];
    if (greatest < interval.low || least > interval.high) continue;
    const std::uint64_t span = interval.high - interval.low;
    if (interval.loose && least < interval.low) scratch.below[index] += count_below(values, n, flip, interval.low);
    if (gathers_) {
      std::vector<std::uint64_t>& out = scratch.gathered[index];
      if (count_in_range(values, n, flip, interval.low, span) == 0) continue;
      for (std::size_t i = 0; i < n; ++i) {
        if ((values[i] ^ flip) - interval.low <= span) out.push_back(values[i] ^ flip);
      }
    } else {
      std::uint64_t* buckets = scratch.buckets.data() + interval.first_bucket;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t at = (values[i] ^ flip) - interval.low;
        if (at <= span) ++buckets[at >> interval.shift];
      }
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
    const std::uint64_t width = std::uint64_t{1} << interval.shift;
    target.low = interval.low + (static_cast<std::uint64_t>(b) << interval.shift);
    target.high = std::min(interval.high, target.low + (width - 1));
    target.count = total[b];
    target.below = before;
    target.loose = false;
  }
}

void QuantileSearch::settle_by_selection(std::size_t index, std::uint64_t below) {
  std::vector<std::uint64_t> all;
  for (Scratch& scratch : scratch_) {
    std::vector<std::uint64_t>& part = scratch.gathered[index];
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  for (const std::size_t t : intervals_[index].targets) {
    Target& target = targets_[t];
    if (all.empty()) {  // the log has changed under us, or contradicts its own zones
      target.high = target.low;
      continue;
    }
    const std::size_t rank =
        static_cast<std::size_t>(std::min<std::uint64_t>(target.rank > below ? target.rank - below : 0, all.size() - 1));
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank), all.end());
    target.low = target.high = all[rank];
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
