// The gathering pass: parts whose rows have several keys.
#include <algorithm>
#include <utility>

#include "query/statistics/aggregation.h"

namespace steno::query {

// Requires that rows are only to be counted.
template <class Groups>
void Aggregation::count_rows(Worker& worker, const Part& part, Groups& groups) const {
  count_codes(part, groups.codes(), worker.keys.code_count(), &worker.counts);
  for (std::uint32_t code = 0; code < worker.counts.size(); ++code) {
    if (worker.counts[code] == 0) continue;
    Accumulator& accumulator = worker.accumulators[groups.of_code(code)];
    if (accumulator.continued()) continue;
    accumulator.moments.records += worker.counts[code];
    accumulator.moments.count += worker.counts[code];
  }
}

void Aggregation::gather_rows(Worker& worker, const Part& part, const Part& numbers) {
  RowGroups groups(worker.keys, [&](const Key& key) { return group_of(worker, key); });
  const bool counts = !numbers_ && !tallies_ && !times_ && q_.course.steps == 0 && ratios_.empty();
  if (counts && !groups.codes().empty()) return count_rows(worker, part, groups);
  resize_anew(worker.of_row, part.rows);
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    if (part.is_kept(row)) worker.of_row[row] = groups.of(row);
  }
  // Rows that have a number are counted with it.
  if (!numbers_ || numbers.kept != part.kept) {
    for (std::uint32_t row = 0; row < part.rows; ++row) {
      if (!part.is_kept(row) || (numbers_ && numbers.kept != 0 && numbers.is_kept(row))) continue;
      Accumulator& accumulator = worker.accumulators[worker.of_row[row]];
      if (accumulator.continued()) continue;
      ++accumulator.moments.records;
      accumulator.moments.count += numbers_ ? 0 : 1;
    }
  }
  if (times_ || q_.course.steps != 0 || !ratios_.empty()) gather_row_facts(worker, part);
  if (numbers_ && numbers.kept != 0) gather_row_numbers(worker, numbers);
  if (tallies_) tally_rows(worker, part);
}

// Times and conditions of each row.
void Aggregation::gather_row_facts(Worker& worker, const Part& part) const {
  const bool has_course = q_.course.steps != 0;
  const std::span<const std::int64_t> walls =
      times_ || has_course ? part.view->walls_of(part.group) : std::span<const std::int64_t>();
  const auto each = [&](std::size_t rows, const auto& visit) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (!part.is_kept(row)) continue;
      Accumulator& accumulator = worker.accumulators[worker.of_row[row]];
      if (!accumulator.continued()) visit(row, accumulator);
    }
  };
  if (times_) {
    each(walls.size(), [&](std::size_t row, Accumulator& accumulator) {
      accumulator.first = std::min(accumulator.first, walls[row]);
      accumulator.last = std::max(accumulator.last, walls[row]);
    });
  }
  if (has_course) {
    // Rows come nearly in the order of time: most are in the step of the one before.
    std::int64_t begin = 0;
    std::uint64_t width = 0;
    std::size_t step = 0;
    each(walls.size(), [&](std::size_t row, Accumulator& accumulator) {
      const auto since = static_cast<std::uint64_t>(walls[row]) - static_cast<std::uint64_t>(begin);
      if (walls[row] < begin || since >= width) {
        step = step_at(walls[row]);
        width = step < q_.course.steps ? static_cast<std::uint64_t>(q_.course.step) : 0;
        begin = static_cast<std::int64_t>(static_cast<std::uint64_t>(q_.course.from) + step * width);
      }
      if (accumulator.course.empty()) accumulator.course.resize(q_.course.steps);
      if (step < q_.course.steps) ++accumulator.course[step];
    });
  }
  for (std::size_t r = 0; r < ratios_.size(); ++r) {
    const std::uint8_t* const hits = worker.hits[r].data();
    each(part.rows, [&](std::size_t row, Accumulator& accumulator) {
      if (accumulator.hits.empty()) accumulator.hits.resize(ratios_.size());
      accumulator.hits[r] += hits[row];
    });
  }
}

void Aggregation::gather_row_numbers(Worker& worker, const Part& part) {
  const auto take = [&](std::uint32_t group, std::span<const std::uint64_t> keys) {
    Accumulator& accumulator = worker.accumulators[group];
    if (accumulator.continued()) return;
    gather_keys(worker, keys, &accumulator);
    if (keys.size() == 1) return accumulator.moments.add(kind_, keys[0], needs_);
    std::uint64_t values[format::kMiniBlock];
    for (std::size_t i = 0; i < keys.size(); ++i) values[i] = value_of_key(keys[i]);
    add_numbers(kind_, Numbers{keys.size(), values}, nullptr, needs_, &accumulator.moments);
  };
  worker.batches.start(worker.accumulators.size());
  each_value(part, [&](std::uint64_t value, std::size_t row) {
    const std::uint32_t group = worker.of_row[row];
    if (!is_nan(value)) return worker.batches.add(group, key_of(value), take);
    if (!worker.accumulators[group].continued()) ++worker.accumulators[group].moments.records;
  });
  worker.batches.finish(take);
}

void Aggregation::tally_rows(Worker& worker, const Part& part) const {
  // `add(tally)`; `hash()` of the value.
  const auto tally = [&](std::size_t row, auto Accumulator::*kind, const auto& hash, const auto& add) {
    Accumulator& accumulator = worker.accumulators[worker.of_row[row]];
    if (!accumulator.tallies_all() && !accumulator.tallies(hash())) return;
    auto& of_kind = accumulator.*kind;
    if (of_kind == nullptr) of_kind = std::make_unique<std::remove_reference_t<decltype(*of_kind)>>();
    const std::size_t before = of_kind->bytes();
    add(*of_kind);
    worker.tally_bytes += of_kind->bytes() - before;
  };
  if (tally_texts_) {
    const auto& [texts, codes] = texts_of(worker, part);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      if (!part.is_kept(row)) continue;
      const std::string_view text = texts[codes[row]];
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

}  // namespace steno::query
