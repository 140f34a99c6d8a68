#include "query/statistics/aggregate.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "query/narrow.h"
#include "query/search/kernels.h"
#include "query/statistics/aggregation.h"
#include "query/statistics/text_codes.h"

namespace steno::query {

using Kind = Operation::Kind;

bool Aggregation::has(Kind kind) const {
  return std::any_of(q_.operations.begin(), q_.operations.end(), [kind](const Operation& o) { return o.kind == kind; });
}

bool Aggregation::before(const PartBounds& a, const PartBounds& b) {
  return std::tie(a.file, a.block, a.group) < std::tie(b.file, b.block, b.group);
}

std::uint64_t Aggregation::key_of(std::uint64_t value) const {
  return kind_ == NumberKind::kReal ? key_of_real(std::bit_cast<double>(value)) : value ^ flip();
}

bool Aggregation::is_nan(std::uint64_t value) const {
  return kind_ == NumberKind::kReal && std::isnan(std::bit_cast<double>(value));
}

std::uint64_t Aggregation::tally_key_of(std::uint64_t value) const {
  return kind_ == NumberKind::kReal ? key_of_real(as_one(std::bit_cast<double>(value))) : key_of(value);
}

bool Aggregation::is_nan_text(std::string_view text) const {
  return tally_real_texts_ && (text == "nan" || text == "-nan");
}

Cell Aggregation::cell_of_value(std::uint64_t key) const {
  Cell cell = cell_of_key(kind_, key);
  if (narrow_) cell.real = printed_value(static_cast<float>(cell.real));
  return cell;
}

void Aggregation::plan_histogram(const Operation& operation) {
  bars_ = operation.size;
  const text::Meaning* const meaning = q_.argument.meaning;
  std::optional<text::TimeUnit> unit;
  if (meaning == nullptr) unit = text::time_unit_of(q_.argument.said_unit);
  if (meaning != nullptr && meaning->kind() == text::Meaning::Kind::kDuration) unit = meaning->time_unit();
  if (operation.sized || !unit) return;
  tick_ns_ = 1e9 * static_cast<double>(unit->numerator) / static_cast<double>(unit->denominator);
}

Status Aggregation::plan() {
  for (const Operation& operation : q_.operations) {
    if (operation.kind == Kind::kQuantile) quantiles_.push_back(operation.quantile);
    if (operation.kind == Kind::kHistogram) plan_histogram(operation);
    if (operation.kind == Kind::kRatio) ratios_.push_back(operation.predicate.get());
    if (!needs_number(operation)) continue;
    numbers_ = true;
    for (const ArgType type : q_.argument.types) {
      if (!is_string(type)) continue;
      return {StatusCode::kInvalidArgument, "--op " + operation.title + ": '" + q_.argument.name +
                                                "' is a string; strings have count, distinct and top"};
    }
  }
  tallies_ = has(Kind::kDistinct) || has(Kind::kTop);
  times_ = has(Kind::kFirst) || has(Kind::kLast);
  if (!q_.argument.types.empty()) {
    kind_ = kind_of_type(q_.argument.types[0]);
    for (const ArgType type : q_.argument.types) {
      if (kind_of_type(type) != kind_) kind_ = NumberKind::kReal;
      tally_texts_ |= counts_as_text(type);
    }
    tally_real_texts_ = std::all_of(q_.argument.types.begin(), q_.argument.types.end(),
                                    [](ArgType type) { return type == ArgType::kF80 || type == ArgType::kF128; });
    narrow_ = q_.argument.types == std::vector{ArgType::kF32};
    if (!q_.argument.scales.empty()) {
      kind_ = NumberKind::kReal;
      narrow_ = false;
    }
  }
  needs_.extremes = has(Kind::kMin) || has(Kind::kMax) || bars_ != 0 || (!quantiles_.empty() && !without_keys());
  needs_.sum = has(Kind::kMean) || has(Kind::kSum);
  needs_.spread = has(Kind::kDeviation);
  group_bytes_ = group_bytes();
  room_ = std::max(q_.memory / walk_.workers(), 16 * group_bytes_);
  return {};
}

Numbers Aggregation::kept_numbers(Worker& worker, const Numbers& numbers, const std::uint8_t* keep) const {
  Numbers kept = numbers;
  if (keep != nullptr && numbers.offsets != nullptr) {
    kept.n = compact(numbers.offsets, keep, numbers.n, worker.offsets);
    kept.offsets = worker.offsets;
  } else if (keep != nullptr) {
    kept.n = compact(numbers.values, keep, numbers.n, worker.values);
    kept.values = worker.values;
  }
  if (kind_ != NumberKind::kReal) return kept;
  std::size_t n = 0;
  for (std::size_t i = 0; i < kept.n; ++i) {
    const auto v = std::bit_cast<double>(kept.values[i]);
    worker.values[n] = key_of_real(v);
    n += std::isnan(v) ? 0 : 1;
  }
  kept.n = n;
  kept.values = worker.values;
  return kept;
}

void Aggregation::note_failures() {
  for (const reader::DecodeFailure& failure : walk_.failures()) {
    const bool known = std::any_of(failures_.begin(), failures_.end(), [&](const reader::DecodeFailure& one) {
      return one.file == failure.file && one.damage.offset == failure.damage.offset;
    });
    if (!known) failures_.push_back(failure);
  }
}

Cell Aggregation::value_of(const Operation& operation, const Accumulator& accumulator) const {
  const Moments& moments = accumulator.moments;
  const bool none = moments.count == 0;
  const auto real = [](double value) { return std::isnan(value) ? Cell() : Cell::of_real(value); };
  switch (operation.kind) {
    case Kind::kCount:
      return Cell::of(static_cast<text::Int128>(moments.records));
    case Kind::kMin:
      return none ? Cell() : cell_of_value(moments.least);
    case Kind::kMax:
      return none ? Cell() : cell_of_value(moments.greatest);
    case Kind::kMean:
      return real(moments.mean_value(kind_));
    case Kind::kSum:
      return none ? Cell() : moments.sum_cell(kind_);
    case Kind::kDeviation:
      return real(moments.deviation());
    case Kind::kDistinct:
      return Cell::of(static_cast<text::Int128>(accumulator.distinct_before +
                                                (accumulator.texts != nullptr     ? accumulator.texts->size()
                                                 : accumulator.numbers != nullptr ? accumulator.numbers->size()
                                                                                  : 0)));
    case Kind::kShare:
      return records_ == 0 ? Cell() : real(static_cast<double>(moments.records) / static_cast<double>(records_));
    case Kind::kFirst:
      return moments.records == 0 ? Cell() : Cell::of_time(accumulator.first);
    case Kind::kLast:
      return moments.records == 0 ? Cell() : Cell::of_time(accumulator.last);
    case Kind::kQuantile:
    case Kind::kRatio:
    case Kind::kTop:
    case Kind::kHistogram:
      break;
  }
  return {};
}

Cell Aggregation::ratio_of(const Accumulator& accumulator, std::size_t ratio) {
  const std::uint64_t records = accumulator.moments.records;
  if (records == 0) return {};
  const std::uint64_t hits = ratio < accumulator.hits.size() ? accumulator.hits[ratio] : 0;
  return Cell::of_real(static_cast<double>(hits) / static_cast<double>(records));
}

std::vector<Frequency> Aggregation::most_frequent(const Accumulator& accumulator, std::size_t size) const {
  const auto more_frequent = [](const Frequency& a, const Frequency& b) {
    return a.count != b.count ? a.count > b.count : a.value < b.value;
  };
  std::vector<Frequency> most = accumulator.top_before;
  const auto keep_most = [&] {
    const std::size_t n = std::min(size, most.size());
    std::partial_sort(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(n), most.end(), more_frequent);
    most.resize(n);
  };
  std::uint64_t least = 0;  // a count that is too few
  const auto add = [&](std::uint64_t count, const auto& cell) {
    if (count < least) return;
    most.push_back({cell(), count});
    if (most.size() < 4 * size + 64) return;
    keep_most();
    least = most.back().count;
  };
  if (accumulator.texts != nullptr) {
    accumulator.texts->for_each(
        [&](std::string_view text, std::uint64_t n) { add(n, [&] { return Cell::of_text(text); }); });
  }
  if (accumulator.numbers != nullptr) {
    accumulator.numbers->for_each(
        [&](std::uint64_t key, std::uint64_t n) { add(n, [&] { return cell_of_value(key); }); });
  }
  keep_most();
  for (Frequency& one : most) one.value.copied = true;
  return most;
}

std::vector<std::uint32_t> Aggregation::sorted_groups() const {
  std::vector<std::uint32_t> sorted(groups_.size());
  for (std::uint32_t g = 0; g < sorted.size(); ++g) sorted[g] = g;
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int sign = order_.compare(index_.keys()[a], index_.keys()[b], interner_);
    return sign != 0 ? sign < 0 : a < b;
  });
  return sorted;
}

std::vector<AnswerRow> Aggregation::make_rows() {
  std::vector<AnswerRow> rows;
  rows.reserve(groups_.size());
  for (const std::uint32_t g : sorted_groups()) {
    AnswerRow& row = rows.emplace_back();
    for (std::size_t k = 0; k < q_.keys.size(); ++k) {
      row.keys.push_back(cell_of(q_.keys[k], index_.keys()[g][k], interner_));
      row.keys.back().copied = true;
    }
    std::size_t quantile = 0;
    std::size_t ratio = 0;
    for (const Operation& operation : q_.operations) {
      row.values.push_back(operation.kind == Kind::kQuantile ? found_[g][quantile++]
                           : operation.kind == Kind::kRatio  ? ratio_of(groups_[g], ratio++)
                                                             : value_of(operation, groups_[g]));
      if (operation.kind == Kind::kTop) row.top = most_frequent(groups_[g], operation.size);
      if (operation.kind == Kind::kHistogram) row.bars = bars_of(groups_[g]);
    }
    row.course = std::move(groups_[g].course);
    row.course.resize(q_.course.steps);
  }
  return rows;
}

// The rows of the keys in the range that is set; the range may have become shorter then.
Status Aggregation::answer_range(Answer* answer) {
  gather();
  add_empty_steps(answer);
  if (!quantiles_.empty()) find_quantiles();
  if (bars_ != 0) count_bars();
  std::vector<AnswerRow> rows = make_rows();
  for (const auto& worker : workers_) worker->forget();
  index_.clear();
  groups_.clear();
  interner_ = {};
  if (q_.take_rows) return q_.take_rows(std::move(rows), !range_->cut);
  std::move(rows.begin(), rows.end(), std::back_inserter(answer->rows));
  return {};
}

Result<Answer> Aggregation::run() {
  if (Status status = plan(); !status.ok()) return status;
  Answer answer;
  for (unsigned n = 0; n < walk_.workers(); ++n) workers_.push_back(std::make_unique<Worker>(this));
  for (;;) {
    if (Status status = answer_range(&answer); !status.ok()) return status;
    if (!range_->cut) break;
    set_range({range_->cut, std::nullopt});
  }
  answer.records = records_;
  answer.failures = std::move(failures_);
  return answer;
}

Result<Answer> aggregate(const Question& question) {
  try {
    return Aggregation(question).run();
  } catch (const TooManyGroups&) {
    return Status(StatusCode::kExhausted, "there are more than " + std::to_string(question.most_groups) + " groups");
  }
}

}  // namespace steno::query
