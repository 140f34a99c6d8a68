// Which keys, and of one key which values, a pass looks at.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/checksum.h"
#include "query/statistics/aggregation.h"

namespace steno::query {
namespace {

// Quantiles by keys share a bounded number of buckets: with more groups at once they would take more rounds.
constexpr std::size_t kMostRanked = 100'000;

}  // namespace

// The memory that a group takes: twice as gathered (by a worker, and merged), then as a row, and twice as a row of a
// table.
std::size_t Aggregation::group_bytes() const {
  constexpr std::size_t kNode = sizeof(Key) + 40;
  const std::size_t cells = q_.keys.size() + q_.operations.size();
  std::size_t bytes = 2 * (sizeof(Accumulator) + kNode) + 3 * (sizeof(AnswerRow) + cells * sizeof(Cell));
  for (const Operation& operation : q_.operations) {
    if (operation.kind == Operation::Kind::kTop) bytes += operation.size * 2 * sizeof(Frequency);
    if (operation.kind == Operation::Kind::kHistogram)
      bytes += std::max(operation.size, DurationBins::kMostBars) * (4 * sizeof(std::uint64_t) + 4 * sizeof(Bar));
  }
  if (!ratios_.empty()) bytes += 2 * (ratios_.size() + 2) * sizeof(std::uint64_t);
  bytes += 3 * q_.course.steps * sizeof(std::uint64_t);
  if (!quantiles_.empty()) bytes = std::max(bytes, q_.memory / walk_.workers() / kMostRanked);
  return bytes;
}

std::uint64_t Aggregation::hash_of(std::uint64_t key) const {
  return xxh3(&key, sizeof key, seed_);
}
std::uint64_t Aggregation::hash_of(std::string_view text) const {
  return xxh3(text.data(), text.size(), seed_);
}

std::shared_ptr<const KeyRange> Aggregation::range() {
  const std::lock_guard lock(range_mutex_);
  return range_;
}

void Aggregation::set_range(KeyRange range) {
  const std::lock_guard lock(range_mutex_);
  range_ = std::make_shared<const KeyRange>(std::move(range));
}

bool Aggregation::in_range(Worker& worker, bool same_key, Part* part) const {
  if (!worker.range->from && !worker.range->cut) return true;
  if (same_key) return worker.keys.in_range(0);
  worker.keep.assign(part->rows, 0);
  part->kept = 0;
  for (std::size_t row = 0; row < part->rows; ++row) {
    if (!part->is_kept(row) || !worker.keys.in_range(row)) continue;
    worker.keep[row] = 1;
    ++part->kept;
  }
  part->keep = worker.keep.data();
  return part->kept != 0;
}

std::size_t Aggregation::bytes_of(const Worker& worker) const {
  return worker.accumulators.size() * group_bytes_ + 2 * worker.interner->bytes() + 2 * worker.tally_bytes;
}

// Lowers the cut to where the worker's groups take three quarters of what they do; less would waste the pass, more
// would be done again too soon. A group that alone takes more is cut at the middle of its hashes.
void Aggregation::lower_cut(Worker& worker) {
  const std::vector<Key>& keys = worker.index.keys();
  std::vector<std::uint32_t> sorted(keys.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return order_.compare(keys[a], keys[b], *worker.interner) < 0; });
  const std::size_t most = bytes_of(worker) / 4 * 3;
  std::size_t bytes = 0;
  std::size_t at = 0;
  for (; at < sorted.size(); ++at) {
    std::size_t own = group_bytes_ + 2 * worker.accumulators[sorted[at]].tally_bytes();
    for (std::size_t k = 0; k < q_.keys.size(); ++k) {  // texts: at most once each, but nearly
      if (q_.keys[k].is_text()) own += worker.interner->text_of(keys[sorted[at]][k]).size();
    }
    if (bytes + own > most) break;
    bytes += own;
  }
  if (at == sorted.size()) --at;
  KeyBound cut = order_.bound_of(keys[sorted[at]], *worker.interner);
  if (at == 0) {
    const Accumulator& only = worker.accumulators[sorted[0]];
    cut.hash = only.first_hash + (only.last_hash - only.first_hash) / 2 + 1;
  }
  {
    const std::lock_guard lock(range_mutex_);
    if (range_->cut && order_.before(*range_->cut, cut)) cut = *range_->cut;
    range_ = std::make_shared<const KeyRange>(KeyRange{range_->from, cut});
  }
  drop_beyond(worker, cut);
}

void Aggregation::drop_beyond(Worker& worker, const KeyBound& cut) const {
  Interner kept_texts;
  std::vector<Accumulator> kept;
  GroupIndex index(seed_);
  worker.tally_bytes = 0;
  worker.gathered_bytes = 0;
  for (std::uint32_t at = 0; at < worker.index.size(); ++at) {
    Key key = worker.index.keys()[at];
    const int sign = order_.compare(key, *worker.interner, cut);
    if (sign > 0 || (sign == 0 && cut.hash == 0)) continue;
    for (std::size_t k = 0; k < q_.keys.size(); ++k) {
      if (q_.keys[k].is_text()) key[k] = kept_texts.id_of(worker.interner->text_of(key[k]));
    }
    (void)index.find_or_add(key);
    kept.push_back(std::move(worker.accumulators[at]));
    if (sign == 0) cut_tallies(&kept.back(), cut.hash);
    worker.tally_bytes += kept.back().tally_bytes();
    worker.gathered_bytes += kept.back().gathered.bytes();
  }
  *worker.interner = std::move(kept_texts);
  worker.accumulators = std::move(kept);
  worker.index = std::move(index);
}

void Aggregation::cut_tallies(Accumulator* accumulator, std::uint64_t hash) const {
  if (accumulator->last_hash < hash) return;
  accumulator->last_hash = hash - 1;
  if (accumulator->numbers != nullptr) {
    const std::unique_ptr<NumberTally> all = std::exchange(accumulator->numbers, std::make_unique<NumberTally>());
    all->for_each([&](std::uint64_t key, std::uint64_t n) {
      if (accumulator->tallies(hash_of(key))) accumulator->numbers->add(key, n);
    });
  }
  if (accumulator->texts != nullptr) {
    const std::unique_ptr<TextTally> all = std::exchange(accumulator->texts, std::make_unique<TextTally>());
    all->for_each([&](std::string_view text, std::uint64_t n) {
      if (accumulator->tallies(hash_of(text))) accumulator->texts->add(text, n);
    });
  }
}

// Gives the group that the last pass put off what that pass had of it.
void Aggregation::take_up_group() {
  if (!put_off_) return;
  const auto found = std::find_if(groups_.begin(), groups_.end(), [](const Accumulator& g) { return g.continued(); });
  if (found != groups_.end()) {  // the file may change while it is read
    found->moments = put_off_->moments;
    found->first = put_off_->first;
    found->last = put_off_->last;
    found->hits = std::move(put_off_->hits);
    found->course = std::move(put_off_->course);
    found->distinct_before = put_off_->distinct_before;
    found->top_before = std::move(put_off_->top_before);
  }
  put_off_.reset();
}

// Only the sum of the group that the cut goes through is kept; the rest is for the next pass.
void Aggregation::put_off_group() {
  if (!range_->cut || range_->cut->hash == 0) return;
  const std::vector<Key>& keys = index_.keys();
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [this](const Key& key) { return order_.compare(key, interner_, *range_->cut) == 0; });
  if (found == keys.end()) return;
  const auto at = static_cast<std::uint32_t>(found - keys.begin());
  Accumulator& group = groups_[at];
  for (const Operation& operation : q_.operations) {
    if (operation.kind == Operation::Kind::kTop) group.top_before = most_frequent(group, operation.size);
  }
  if (group.numbers != nullptr) group.distinct_before += group.numbers->size();
  if (group.texts != nullptr) group.distinct_before += group.texts->size();
  group.numbers.reset();
  group.texts.reset();
  group.gathered.clear();
  put_off_ = std::move(group);
  index_.remove(at);
  if (at + std::size_t{1} != groups_.size()) groups_[at] = std::move(groups_.back());
  groups_.pop_back();
}

// Tells the meter how many passes are likely still to come: as many as the records that no pass has dealt with suggest.
void Aggregation::expect_passes() {
  constexpr double kMostPasses = 1e6;
  if (!range_->cut) return walk_.expect(0);
  double now = 0;
  const auto share = [](const Accumulator& group) {
    return std::ldexp(static_cast<double>(group.last_hash - group.first_hash), -64);
  };
  for (const Accumulator& group : groups_) now += static_cast<double>(group.moments.records) * share(group);
  if (put_off_) now += static_cast<double>(put_off_->moments.records) * share(*put_off_);
  done_ += now;
  const double left = static_cast<double>(records_) - done_;
  walk_.expect(static_cast<unsigned>(std::clamp(std::ceil(left / std::max(now, 1.0)), 1.0, kMostPasses)));
}

}  // namespace steno::query
