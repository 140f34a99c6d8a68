// The pass that gathers counts, moments and tallies.
#include <algorithm>
#include <cmath>

#include "query/search/kernels.h"
#include "query/statistics/aggregation.h"
#include "query/statistics/text_codes.h"

namespace steno::query {
namespace {

// How many rows that are kept have each code. Codes of the others may be anything.
template <class Codes>
std::vector<std::uint64_t> counts_of(const Part& part, const Codes& codes, std::size_t texts) {
  std::vector<std::uint64_t> counts(texts, 0);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (part.keep == nullptr || part.keep[row] != 0) ++counts[codes[row]];
  }
  return counts;
}

}  // namespace

// From every so many-th block; nothing from a log that is read whole as quickly.
void Aggregation::guess_quantiles() {
  constexpr std::size_t kSampledBlocks = 24;
  const std::span<const BlockRef> all = walk_.blocks();
  if (all.size() < 8 * kSampledBlocks) return;
  std::vector<BlockRef> some;
  for (std::size_t i = 0; i < kSampledBlocks; ++i) some.push_back(all[(2 * i + 1) * all.size() / (2 * kSampledBlocks)]);
  std::vector<std::vector<std::uint64_t>> sample(walk_.workers());
  walk_.run(some, [&](unsigned number, const Part& whole) {
    Part part = whole;
    if (!with_argument(*workers_[number], &part)) return;
    each_chunk(part, [&](const Numbers& numbers, std::size_t row) {
      const Numbers kept = kept_keys(*workers_[number], numbers, part.keep != nullptr ? part.keep + row : nullptr);
      std::uint64_t buffer[format::kMiniBlock];
      const std::uint64_t* values = kept.unpack(buffer);
      for (std::size_t i = 0; i < kept.n; ++i) sample[number].push_back(values[i] ^ flip());
    });
  });
  for (std::size_t n = 1; n < sample.size(); ++n) sample[0].insert(sample[0].end(), sample[n].begin(), sample[n].end());
  guess_.emplace(walk_.workers(), quantiles_, std::move(sample[0]));
  if (!guess_->active()) guess_.reset();
}

// A block that fails has been gathered in part: all is gathered again without it, so that every answer is of the same
// records.
void Aggregation::gather() {
  const std::optional<KeyBound> from = range_->from;
  for (const auto& worker : workers_) worker->keys.look_up_in(nullptr);
  for (;;) {
    if (!quantiles_.empty() && without_keys() && !from) guess_quantiles();
    walk_.run([this](unsigned n, const Part& part) { gather_part(n, part); });
    note_failures();
    if (!walk_.leave_out_failed()) break;
    guess_.reset();
    set_range({from, std::nullopt});
    for (const auto& worker : workers_) worker->forget();
  }
  for (const auto& worker : workers_) {
    if (!from) records_ += worker->records;
    if (range_->cut) drop_beyond(*worker, *range_->cut);
    merge(*worker);
  }
  if (without_keys() && groups_.empty()) {  // of nothing too there is a count
    index_.emplace(Key{}, 0);
    keys_.emplace_back();
    groups_.emplace_back().first_hash = from ? from->hash : 0;
  }
  if (groups_.size() > q_.most_groups) throw TooManyGroups();
  std::sort(bounds_.begin(), bounds_.end(), before);
  if (several_passes()) {
    take_up_group();
    put_off_group();
    expect_passes();
  }
  for (const auto& worker : workers_) worker->keys.look_up_in(&interner_);
}

// Requires that the key is in the worker's range.
Aggregation::Accumulator& Aggregation::accumulator_of(Worker& worker, const Key& key) const {
  const auto [found, added] = worker.index.try_emplace(key, static_cast<std::uint32_t>(worker.accumulators.size()));
  if (!added) return worker.accumulators[found->second];
  Accumulator& accumulator = worker.accumulators.emplace_back();
  const auto& [from, cut] = *worker.range;
  if (from && from->hash != 0 && order_.compare(key, *worker.interner, *from) == 0) accumulator.first_hash = from->hash;
  if (cut && cut->hash != 0 && order_.compare(key, *worker.interner, *cut) == 0) accumulator.last_hash = cut->hash - 1;
  return accumulator;
}

void Aggregation::gather_part(unsigned number, const Part& part) {
  Worker& worker = *workers_[number];
  worker.range = range();
  worker.records += part.kept;
  const bool same_key = worker.keys.read(part, *worker.range);
  Part wanted = part;
  if (!in_range(worker, same_key, &wanted)) return;
  if (!ratios_.empty()) find_hits(worker, wanted);
  Part numbers = wanted;
  if (!with_argument(worker, &numbers)) numbers.kept = 0;
  same_key ? gather_whole(number, wanted, numbers) : gather_rows(worker, wanted, numbers);
  if (worker.accumulators.size() > q_.most_groups) throw TooManyGroups();
  if (bytes_of(worker) > room_) lower_cut(worker);
}

bool Aggregation::with_argument(Worker& worker, Part* part) const {
  if (q_.has_argument == nullptr) return true;
  const Predicate::Of bound = q_.has_argument->of(*part->view->groups()[part->group].site);
  const Verdict verdict = worker.evaluator.verdict(*bound, *part->view, part->group);
  if (verdict != Verdict::kSome) return verdict == Verdict::kAll;
  worker.has.assign(part->rows, 1);
  if (part->keep != nullptr) std::copy_n(part->keep, part->rows, worker.has.begin());
  worker.evaluator.refine(*bound, *part->view, part->group, worker.has);
  part->keep = worker.has.data();
  part->kept = static_cast<std::uint32_t>(count_kept(worker.has.data(), worker.has.size()));
  return part->kept != 0;
}

void Aggregation::gather_whole(unsigned number, const Part& part, const Part& numbers) {
  Worker& worker = *workers_[number];
  Accumulator& accumulator = accumulator_of(worker, worker.keys.at(0));
  if (!accumulator.continued()) {
    Moments moments;
    if (!numbers_) moments.count = part.kept;
    if (numbers_ && numbers.kept != 0) gather_numbers(number, numbers, &moments);
    moments.records = part.kept;
    accumulator.moments.merge(moments);
    gather_times(part, &accumulator);
    gather_course(part, &accumulator);
    accumulator.hits.resize(ratios_.size());
    for (std::size_t r = 0; r < ratios_.size(); ++r) {
      accumulator.hits[r] += count_kept(worker.hits[r].data(), worker.hits[r].size());
    }
  }
  if (!tallies_) return;
  worker.tally_bytes -= accumulator.tally_bytes();
  tally_whole(part, &accumulator);
  worker.tally_bytes += accumulator.tally_bytes();
}

// Zones are claims, so the column is read whatever the operations are: its stream ends where a value is outside. From
// then on the zone is good for passing over the part.
void Aggregation::gather_numbers(unsigned number, const Part& part, Moments* moments) {
  Worker& worker = *workers_[number];
  std::uint64_t least = 0;
  std::uint64_t greatest = UINT64_MAX;
  const bool zone =
      kind_ != NumberKind::kReal &&
      part.view->zone(part.group, q_.argument.index_in(*part.view->groups()[part.group].site), &least, &greatest);
  if (zone) {
    least ^= flip();
    greatest ^= flip();
  }
  MomentNeeds needs = needs_;
  if (!zone && !quantiles_.empty()) needs.extremes = true;  // bounds, for later rounds
  const bool shown = guess_ && guess_->wants(least, greatest);
  const bool tells_count = kind_ != NumberKind::kReal;
  const bool added = needs.extremes || needs.sum || needs.spread || !tells_count;
  each_chunk(part, [&](const Numbers& numbers, std::size_t row) {
    const std::uint8_t* keep = part.keep != nullptr ? part.keep + row : nullptr;
    if (added) add_numbers(kind_, numbers, keep, needs, moments);
    if (shown) guess_->take(number, least, greatest, kept_keys(worker, numbers, keep), flip());
  });
  if (tells_count) moments->records = moments->count = part.kept;
  if (guess_ && !shown) guess_->count(number, least, greatest, moments->count);
  if (!without_keys() || moments->count == 0) return;
  worker.bounds.push_back({static_cast<std::uint32_t>(part.file), static_cast<std::uint32_t>(part.block),
                           static_cast<std::uint32_t>(part.group), moments->count,
                           needs.extremes ? moments->least : least, needs.extremes ? moments->greatest : greatest});
}

// Finds, for each ratio, the rows that are kept and fulfil its condition.
void Aggregation::find_hits(Worker& worker, const Part& part) const {
  worker.hits.resize(ratios_.size());
  for (std::size_t r = 0; r < ratios_.size(); ++r) {
    std::vector<std::uint8_t>& hits = worker.hits[r];
    hits.assign(part.rows, 1);
    if (part.keep != nullptr) std::copy_n(part.keep, part.rows, hits.begin());
    const Predicate::Of bound = ratios_[r]->of(*part.view->groups()[part.group].site);
    const Verdict verdict = worker.evaluator.verdict(*bound, *part.view, part.group);
    if (verdict == Verdict::kNone) std::fill(hits.begin(), hits.end(), std::uint8_t{0});
    if (verdict == Verdict::kSome) worker.evaluator.refine(*bound, *part.view, part.group, hits);
  }
}

void Aggregation::gather_times(const Part& part, Accumulator* accumulator) const {
  if (!times_) return;
  const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
  for (std::size_t row = 0; row < walls.size(); ++row) {
    if (part.keep != nullptr && part.keep[row] == 0) continue;
    accumulator->first = std::min(accumulator->first, walls[row]);
    accumulator->last = std::max(accumulator->last, walls[row]);
  }
}

void Aggregation::gather_course(const Part& part, Accumulator* accumulator) const {
  if (q_.course.steps == 0) return;
  accumulator->course.resize(q_.course.steps);
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (part.view->wall_bounds(&first, &last) && step_at(first) == step_at(last)) {
    if (step_at(first) < q_.course.steps) accumulator->course[step_at(first)] += part.kept;
    return;
  }
  const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
  for (std::size_t row = 0; row < walls.size(); ++row) {
    if (part.keep != nullptr && part.keep[row] == 0) continue;
    const std::size_t step = step_at(walls[row]);
    if (step < q_.course.steps) ++accumulator->course[step];
  }
}

// Rows are only to be counted, and one text tells their keys apart.
void Aggregation::count_codes(Worker& worker, const Part& part) const {
  const std::vector<std::uint64_t> counts = counts_of(part, worker.keys.codes(), worker.keys.texts());
  for (std::size_t code = 0; code < counts.size(); ++code) {
    if (counts[code] == 0) continue;
    Accumulator& accumulator = accumulator_of(worker, worker.keys.of_code(code));
    if (accumulator.continued()) continue;
    accumulator.moments.records += counts[code];
    accumulator.moments.count += counts[code];
  }
}

void Aggregation::gather_rows(Worker& worker, const Part& part, const Part& numbers) {
  if (!worker.keys.codes().empty() && !numbers_ && !tallies_ && !times_ && q_.course.steps == 0 && ratios_.empty())
    return count_codes(worker, part);
  std::vector<std::uint32_t> of_row(part.rows);
  const bool any_lacks = numbers_ && numbers.kept != part.kept;
  const bool has_course = q_.course.steps != 0;
  const std::span<const std::int64_t> walls =
      times_ || has_course ? part.view->walls_of(part.group) : std::span<const std::int64_t>();
  RowGroups groups(worker.keys, [&](const Key& key) {
    const Accumulator* const found = &accumulator_of(worker, key);  // which may move them all
    return static_cast<std::uint32_t>(found - worker.accumulators.data());
  });
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    if (part.keep != nullptr && part.keep[row] == 0) continue;
    of_row[row] = groups.of(row);
    Accumulator& of_key = worker.accumulators[of_row[row]];
    if (!of_key.continued()) {
      if (has_course && row < walls.size()) {
        of_key.course.resize(q_.course.steps);
        const std::size_t step = step_at(walls[row]);
        if (step < q_.course.steps) ++of_key.course[step];
      }
      if (times_ && row < walls.size()) {
        of_key.first = std::min(of_key.first, walls[row]);
        of_key.last = std::max(of_key.last, walls[row]);
      }
      if (!ratios_.empty()) of_key.hits.resize(ratios_.size());
      for (std::size_t r = 0; r < ratios_.size(); ++r) of_key.hits[r] += worker.hits[r][row];
    }
    const bool has_number = numbers_ && !(any_lacks && (numbers.kept == 0 || numbers.keep[row] == 0));
    if (has_number || of_key.continued()) continue;
    ++of_key.moments.records;
    of_key.moments.count += numbers_ ? 0 : 1;
  }
  if (numbers_ && numbers.kept != 0) {
    each_value(numbers, [&](std::uint64_t value, std::size_t row) {
      Accumulator& accumulator = worker.accumulators[of_row[row]];
      if (accumulator.continued()) return;
      Moments& moments = accumulator.moments;
      if (is_nan(value)) {
        ++moments.records;
      } else {
        moments.add(kind_, key_of(value));
      }
    });
  }
  if (tallies_) tally_rows(worker, part, of_row);
}

void Aggregation::tally_whole(const Part& part, Accumulator* accumulator) const {
  const bool all = accumulator->tallies_all();
  if (tally_texts_) {
    if (accumulator->texts == nullptr) accumulator->texts = std::make_unique<TextTally>();
    const TextCodes texts = read_texts(part, q_.argument.index_in(*part.view->groups()[part.group].site));
    const std::vector<std::uint64_t> counts = counts_of(part, texts.codes, texts.texts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0 || is_nan_text(texts.texts[i])) continue;
      if (!all && !accumulator->tallies(hash_of(texts.texts[i]))) continue;
      accumulator->texts->add(texts.texts[i], counts[i]);
    }
    return;
  }
  if (accumulator->numbers == nullptr) accumulator->numbers = std::make_unique<NumberTally>();
  each_value(part, [&](std::uint64_t value, std::size_t) {
    if (is_nan(value)) return;
    const std::uint64_t key = tally_key_of(value);
    if (all || accumulator->tallies(hash_of(key))) accumulator->numbers->add(key, 1);
  });
}

void Aggregation::tally_rows(Worker& worker, const Part& part, const std::vector<std::uint32_t>& of_row) const {
  // `add(tally)`; `hash()` of the value.
  const auto tally = [&](std::size_t row, auto Accumulator::*kind, const auto& hash, const auto& add) {
    Accumulator& accumulator = worker.accumulators[of_row[row]];
    if (!accumulator.tallies_all() && !accumulator.tallies(hash())) return;
    auto& of_kind = accumulator.*kind;
    if (of_kind == nullptr) of_kind = std::make_unique<std::remove_reference_t<decltype(*of_kind)>>();
    const std::size_t before = of_kind->bytes();
    add(*of_kind);
    worker.tally_bytes += of_kind->bytes() - before;
  };
  if (tally_texts_) {
    const TextCodes texts = read_texts(part, q_.argument.index_in(*part.view->groups()[part.group].site));
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (part.keep != nullptr && part.keep[row] == 0) continue;
      const std::string& text = texts.texts[texts.codes[row]];
      if (is_nan_text(text)) continue;
      tally(
          row, &Accumulator::texts, [&] { return hash_of(text); }, [&](TextTally& t) { t.add(text, 1); });
    }
    return;
  }
  each_value(part, [&](std::uint64_t value, std::size_t row) {
    if (is_nan(value)) return;
    const std::uint64_t key = tally_key_of(value);
    tally(
        row, &Accumulator::numbers, [&] { return hash_of(key); }, [&](NumberTally& t) { t.add(key, 1); });
  });
}

void Aggregation::merge_tallies(Accumulator& into, Accumulator& from) {
  if (into.numbers == nullptr) {
    into.numbers = std::move(from.numbers);
  } else if (from.numbers != nullptr) {
    from.numbers->for_each([&](std::uint64_t value, std::uint64_t n) { into.numbers->add(value, n); });
  }
  if (into.texts == nullptr) {
    into.texts = std::move(from.texts);
  } else if (from.texts != nullptr) {
    from.texts->for_each([&](std::string_view text, std::uint64_t n) { into.texts->add(text, n); });
  }
}

void Aggregation::merge(Worker& worker) {
  for (const auto& [of_worker, at] : worker.index) {
    Key key = of_worker;
    for (std::size_t k = 0; k < q_.keys.size(); ++k) {
      if (q_.keys[k].is_text()) key[k] = interner_.id_of(worker.interner->text_of(of_worker[k]));
    }
    const auto [found, added] = index_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (added) {
      keys_.push_back(key);
      groups_.push_back(std::move(worker.accumulators[at]));
      continue;
    }
    Accumulator& group = groups_[found->second];
    const Accumulator& more = worker.accumulators[at];
    group.moments.merge(more.moments);
    group.first = std::min(group.first, more.first);
    group.last = std::max(group.last, more.last);
    group.hits.resize(ratios_.size());
    for (std::size_t r = 0; r < more.hits.size(); ++r) group.hits[r] += more.hits[r];
    group.course.resize(std::max(group.course.size(), more.course.size()));
    for (std::size_t s = 0; s < more.course.size(); ++s) group.course[s] += more.course[s];
    merge_tallies(groups_[found->second], worker.accumulators[at]);
  }
  bounds_.insert(bounds_.end(), worker.bounds.begin(), worker.bounds.end());
  worker.forget();
}

}  // namespace steno::query
