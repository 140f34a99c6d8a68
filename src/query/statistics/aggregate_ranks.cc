// Operations that need more than one pass: quantiles and histograms.
#include <algorithm>
#include <cmath>

#include "query/statistics/aggregation.h"

namespace steno::query {
namespace {

constexpr double kMostDuration = 9.2e18;  // ns that edges of bars hold

}  // namespace

// The bounds of the parts alone give an interval that contains a rank, and most parts are outside of it.
std::size_t Aggregation::add_target(std::uint32_t group, std::uint64_t rank) {
  const Moments& moments = groups_[group].moments;
  if (bounds_.empty()) return search_.add_target(group, rank, moments.least, moments.greatest, moments.count, 0);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;  // bound, count
  const auto bound_of_rank = [&] {
    std::sort(ends.begin(), ends.end());
    std::uint64_t seen = 0;
    for (const auto& [bound, count] : ends) {
      seen += count;
      if (seen > rank) return bound;
    }
    return ends.back().first;
  };
  for (const PartBounds& part : bounds_) ends.emplace_back(part.least, part.count);
  const std::uint64_t low = bound_of_rank();
  ends.clear();
  for (const PartBounds& part : bounds_) ends.emplace_back(part.greatest, part.count);
  const std::uint64_t high = bound_of_rank();
  std::uint64_t below = 0;
  std::uint64_t count = 0;
  for (const PartBounds& part : bounds_) {
    if (part.greatest < low) below += part.count;
    if (part.greatest >= low && part.least <= high) count += part.count;
  }
  return search_.add_target(group, rank, low, high, count, below);
}

void Aggregation::show_numbers(unsigned number, const Part& whole) {
  Worker& worker = *workers_[number];
  std::uint64_t least = 0;
  std::uint64_t greatest = UINT64_MAX;
  if (without_keys()) {
    const PartBounds wanted{static_cast<std::uint32_t>(whole.file),
                            static_cast<std::uint32_t>(whole.block),
                            static_cast<std::uint32_t>(whole.group),
                            0,
                            0,
                            0};
    const auto bounds = std::lower_bound(bounds_.begin(), bounds_.end(), wanted, before);
    if (bounds == bounds_.end() || before(wanted, *bounds)) return;  // nothing but NaN
    least = bounds->least;
    greatest = bounds->greatest;
    if (!search_.needs(0, least, greatest)) return;
  }
  Part part = whole;
  if (!with_argument(worker, &part)) return;
  const bool same_key = worker.keys.read(whole, *range_);
  worker.range = range_;
  if (!in_range(worker, same_key, &part)) return;
  if (same_key) {
    const std::uint32_t group = index_.find(worker.keys.at(0));
    if (group == GroupIndex::kNone) return;
    each_chunk(part, [&](const Numbers& numbers, std::size_t row) {
      const Numbers kept = kept_numbers(worker, numbers, part.keep != nullptr ? part.keep + row : nullptr);
      search_.take(number, group, least, greatest, kept, flip());
    });
    return;
  }
  RowGroups groups(worker.keys, [this](const Key& key) { return index_.find(key); });
  const auto take = [&](std::uint32_t group, std::span<const std::uint64_t> keys) {
    search_.take(number, group, least, greatest, Numbers{keys.size(), keys.data()}, 0);
  };
  worker.batches.start(groups_.size());
  each_value(part, [&](std::uint64_t value, std::size_t row) {
    if (is_nan(value)) return;
    const std::uint32_t group = groups.of(row);
    if (group != groups.kNone) worker.batches.add(group, key_of(value), take);
  });
  worker.batches.finish(take);
}

void Aggregation::find_quantiles() {
  if (groups_.empty()) return;
  search_ = QuantileSearch(walk_.workers());
  found_.assign(groups_.size(), std::vector<Cell>(quantiles_.size()));
  std::vector<std::pair<Cell*, std::size_t>> targets;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const std::uint64_t count = groups_[g].moments.count;
    for (std::size_t i = 0; i < quantiles_.size() && count != 0; ++i) {
      const std::uint64_t rank = rank_of(quantiles_[i], count);
      std::uint64_t key = 0;
      if (groups_[g].gathered.size() == count) {
        found_[g][i] = cell_of_value(groups_[g].gathered.of_rank(rank));
      } else if (guess_ && guess_->find(i, rank, &key)) {
        found_[g][i] = cell_of_value(key);
      } else {
        targets.emplace_back(&found_[g][i], add_target(g, rank));
      }
    }
  }
  guess_.reset();
  for (Accumulator& group : groups_) group.gathered.clear();
  while (search_.begin_round()) {
    const auto visit = [this](unsigned n, const Part& part) { show_numbers(n, part); };
    if (without_keys()) {
      std::vector<BlockRef> blocks;
      for (const PartBounds& part : bounds_) {
        if (!search_.needs(0, part.least, part.greatest)) continue;
        if (blocks.empty() || blocks.back().file != part.file || blocks.back().block != part.block) {
          blocks.push_back({part.file, part.block});
        }
      }
      walk_.run(blocks, visit);
    } else {
      walk_.run(visit);
    }
    search_.end_round();
  }
  for (const auto& [cell, target] : targets) *cell = cell_of_value(search_.result(target));
}

std::int64_t Aggregation::duration_of(std::uint64_t key) const {
  const double ns = std::round(cell_of_key(kind_, key).as_double() * tick_ns_);
  return static_cast<std::int64_t>(std::clamp(ns, -kMostDuration, kMostDuration));
}

void Aggregation::set_edges(Accumulator* accumulator) const {
  const Moments& moments = accumulator->moments;
  if (tick_ns_ == 0 || moments.count == 0 || duration_of(moments.least) < 0) return;
  if (cell_of_key(kind_, moments.greatest).as_double() * tick_ns_ > kMostDuration) return;
  DurationBins ends;  // between these, and only there, are bars
  ends.add(duration_of(moments.least));
  ends.add(duration_of(moments.greatest));
  for (const DurationBar& bar : ends.bars()) {
    if (accumulator->edges.empty()) accumulator->edges.push_back(bar.low);
    accumulator->edges.push_back(bar.high);
  }
}

// Bars have equal widths, of integers whole ones; or the edges of durations.
std::size_t Aggregation::bar_of(const Accumulator& accumulator, std::uint64_t key) const {
  const Moments& moments = accumulator.moments;
  if (const std::vector<std::int64_t>& edges = accumulator.edges; !edges.empty()) {
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, duration_of(key));
    return static_cast<std::size_t>(above - edges.begin() - 1);
  }
  if (kind_ == NumberKind::kReal) {
    const double low = real_of_key(moments.least);
    const double width = (real_of_key(moments.greatest) - low) / static_cast<double>(bars_);
    const double at = width > 0 ? (real_of_key(key) - low) / width : 0;
    if (!(at > 0)) return 0;  // NaN, too
    return at < static_cast<double>(bars_ - 1) ? static_cast<std::size_t>(at) : bars_ - 1;
  }
  const std::uint64_t width = (moments.greatest - moments.least) / bars_ + 1;
  return std::min<std::uint64_t>((key - moments.least) / width, bars_ - 1);  // the file may change while it is read
}

void Aggregation::count_part(Worker& worker, const Part& whole) {
  Part part = whole;
  if (!with_argument(worker, &part)) return;
  const bool same_key = worker.keys.read(whole, *range_);
  worker.range = range_;
  if (!in_range(worker, same_key, &part)) return;
  worker.accumulators.resize(groups_.size());
  RowGroups groups(worker.keys, [this](const Key& key) { return index_.find(key); });
  each_value(part, [&](std::uint64_t value, std::size_t row) {
    if (is_nan(value)) return;
    const std::uint32_t index = groups.of(row);
    if (index == groups.kNone) return;
    std::vector<std::uint64_t>& bars = worker.accumulators[index].bars;
    const Accumulator& group = groups_[index];
    if (bars.empty()) bars.resize(group.edges.empty() ? bars_ : group.edges.size() - 1);
    ++bars[bar_of(group, key_of(value))];
  });
}

void Aggregation::count_bars() {
  for (Accumulator& group : groups_) set_edges(&group);
  walk_.run([this](unsigned n, const Part& part) { count_part(*workers_[n], part); });
  for (const auto& worker : workers_) {
    for (std::size_t g = 0; g < worker->accumulators.size(); ++g) {
      const std::vector<std::uint64_t>& from = worker->accumulators[g].bars;
      if (from.empty()) continue;
      groups_[g].bars.resize(from.size());
      for (std::size_t b = 0; b < from.size(); ++b) groups_[g].bars[b] += from[b];
    }
  }
}

std::vector<Bar> Aggregation::bars_of(const Accumulator& accumulator) const {
  std::vector<Bar> bars;
  if (accumulator.bars.empty()) return bars;
  if (!accumulator.edges.empty()) {
    for (std::size_t i = 0; i < accumulator.bars.size(); ++i) {
      bars.push_back({static_cast<double>(accumulator.edges[i]) / tick_ns_,
                      static_cast<double>(accumulator.edges[i + 1]) / tick_ns_, accumulator.bars[i]});
    }
    return bars;
  }
  const Moments& moments = accumulator.moments;
  const double low = cell_of_key(kind_, moments.least).as_double();
  const double high = cell_of_key(kind_, moments.greatest).as_double();
  double width = (high - low) / static_cast<double>(bars_);
  if (kind_ != NumberKind::kReal) width = static_cast<double>((moments.greatest - moments.least) / bars_ + 1);
  for (std::size_t i = 0; i < bars_; ++i) {
    // Where one bar ends the next one begins, to the last bit.
    const auto edge = [=](std::size_t bar) { return low + width * static_cast<double>(bar); };
    if (edge(i) > high) break;
    bars.push_back({edge(i), edge(i + 1), accumulator.bars[i]});
  }
  return bars;
}

}  // namespace steno::query
