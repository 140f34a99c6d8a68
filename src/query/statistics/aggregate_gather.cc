// The pass that gathers counts, moments and tallies.
#include <algorithm>

#include "query/search/kernels.h"
#include "query/statistics/aggregation.h"
#include "query/statistics/text_codes.h"

namespace steno::query {

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
      const Numbers kept = kept_numbers(*workers_[number], numbers, part.keep != nullptr ? part.keep + row : nullptr);
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
    for (const auto& worker : workers_) worker->gathers_keys = !quantiles_.empty() && !guess_;
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
    index_.find_or_add(Key{});
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
std::uint32_t Aggregation::group_of(Worker& worker, const Key& key) const {
  const std::uint32_t group = worker.index.find_or_add(key);
  if (group < worker.accumulators.size()) return group;
  Accumulator& accumulator = worker.accumulators.emplace_back();
  const auto& [from, cut] = *worker.range;
  if (from && from->hash != 0 && order_.compare(key, *worker.interner, *from) == 0) accumulator.first_hash = from->hash;
  if (cut && cut->hash != 0 && order_.compare(key, *worker.interner, *cut) == 0) accumulator.last_hash = cut->hash - 1;
  return group;
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

// Keeps numbers of a group for its quantiles, as long as those of all groups take little memory.
void Aggregation::gather_keys(Worker& worker, std::span<const std::uint64_t> keys, Accumulator* accumulator) const {
  if (!worker.gathers_keys) return;
  const std::size_t before = accumulator->gathered.bytes();
  accumulator->gathered.add(keys);
  worker.gathered_bytes += accumulator->gathered.bytes() - before;
  if (worker.gathered_bytes * workers_.size() <= std::min(kMostGathered * sizeof(std::uint64_t), q_.memory / 4)) return;
  worker.gathers_keys = false;
  for (Accumulator& one : worker.accumulators) one.gathered.clear();
}

void Aggregation::count_codes(const Part& part, std::span<const std::uint32_t> codes, std::size_t all,
                              std::vector<std::uint64_t>* counts) {
  counts->assign(all, 0);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (part.is_kept(row)) ++(*counts)[codes[row]];
  }
}

const TextCodes& Aggregation::texts_of(Worker& worker, const Part& part) const {
  read_texts(part, q_.argument.index_in(*part.view->groups()[part.group].site), &worker.texts);
  return worker.texts;
}

void Aggregation::gather_whole(unsigned number, const Part& part, const Part& numbers) {
  Worker& worker = *workers_[number];
  Accumulator& accumulator = worker.accumulators[group_of(worker, worker.keys.at(0))];
  if (!accumulator.continued()) {
    Moments moments;
    if (!numbers_) moments.count = part.kept;
    if (numbers_ && numbers.kept != 0) gather_numbers(number, numbers, &accumulator, &moments);
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
  tally_whole(worker, part, &accumulator);
  worker.tally_bytes += accumulator.tally_bytes();
}

// Zones are claims, so the column is read whatever the operations are: its stream ends where a value is outside. From
// then on the zone is good for passing over the part.
void Aggregation::gather_numbers(unsigned number, const Part& part, Accumulator* accumulator, Moments* moments) {
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
    if (!shown && !worker.gathers_keys) return;
    const Numbers kept = kept_numbers(worker, numbers, keep);
    if (shown) return guess_->take(number, least, greatest, kept, flip());
    std::uint64_t keys[format::kMiniBlock];
    std::copy_n(kept.unpack(keys), kept.n, keys);
    for (std::size_t i = 0; i < kept.n; ++i) keys[i] ^= flip();
    gather_keys(worker, {keys, kept.n}, accumulator);
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
    if (!part.is_kept(row)) continue;
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
    if (!part.is_kept(row)) continue;
    const std::size_t step = step_at(walls[row]);
    if (step < q_.course.steps) ++accumulator->course[step];
  }
}

void Aggregation::tally_whole(Worker& worker, const Part& part, Accumulator* accumulator) const {
  const bool all = accumulator->tallies_all();
  if (tally_texts_) {
    if (accumulator->texts == nullptr) accumulator->texts = std::make_unique<TextTally>();
    const auto& [texts, codes] = texts_of(worker, part);
    count_codes(part, codes, texts.size(), &worker.counts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (worker.counts[i] == 0 || is_nan_text(texts[i])) continue;
      if (!all && !accumulator->tallies(hash_of(texts[i]))) continue;
      accumulator->texts->add(texts[i], worker.counts[i]);
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
  for (std::uint32_t of_worker = 0; of_worker < worker.index.size(); ++of_worker) {
    Key key = worker.index.keys()[of_worker];
    for (std::size_t k = 0; k < q_.keys.size(); ++k) {
      if (q_.keys[k].is_text()) key[k] = interner_.id_of(worker.interner->text_of(key[k]));
    }
    Accumulator& more = worker.accumulators[of_worker];
    const std::uint32_t at = index_.find_or_add(key);
    if (at == groups_.size()) {
      groups_.push_back(std::move(more));
      continue;
    }
    Accumulator& group = groups_[at];
    group.moments.merge(more.moments);
    group.first = std::min(group.first, more.first);
    group.last = std::max(group.last, more.last);
    group.hits.resize(ratios_.size());
    for (std::size_t r = 0; r < more.hits.size(); ++r) group.hits[r] += more.hits[r];
    group.course.resize(std::max(group.course.size(), more.course.size()));
    for (std::size_t s = 0; s < more.course.size(); ++s) group.course[s] += more.course[s];
    group.gathered.take(more.gathered);
    merge_tallies(group, more);
  }
  bounds_.insert(bounds_.end(), worker.bounds.begin(), worker.bounds.end());
  worker.forget();
}

}  // namespace steno::query
