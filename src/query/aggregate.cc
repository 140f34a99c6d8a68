#include "query/aggregate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "query/kernels.h"
#include "query/moments.h"
#include "query/number_stream.h"
#include "query/quantile.h"
#include "query/tally.h"
#include "query/text_codes.h"

namespace steno::query {
namespace {

using Kind = Operation::Kind;

// What is gathered for one key.
struct Accumulator {
  Moments moments;
  std::unique_ptr<NumberTally> numbers;
  std::unique_ptr<TextTally> texts;
  std::vector<std::vector<std::uint64_t>> bars;  // of each histogram
};

// The bounds of a part's numbers, so that later rounds pass over it.
struct PartBounds {
  std::uint32_t file = 0;
  std::uint32_t block = 0;
  std::uint32_t group = 0;
  std::uint64_t count = 0;
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
};

bool part_before(const PartBounds& a, const PartBounds& b) {
  return std::tie(a.file, a.block, a.group) < std::tie(b.file, b.block, b.group);
}

struct TooMuch {
  const char* what;
};

class Aggregation {
 public:
  explicit Aggregation(const Question& question) : q_(question), walk_(question.subject), search_(walk_.workers()) {}

  Result<Answer> run();

 private:
  struct Worker {
    explicit Worker(Aggregation* of) : keys(of->q_.keys, &of->interner_) {}
    KeyReader keys;
    std::unordered_map<Key, std::uint32_t, KeyHash> index;
    std::vector<Accumulator> accumulators;
    std::vector<PartBounds> bounds;
    std::vector<std::uint64_t> buffer;
  };

  Status plan();
  bool has(Kind kind) const;
  void first_pass();
  void take_part(Worker& worker, const Part& part);
  void take_whole(Worker& worker, const Part& part);
  void take_rows(Worker& worker, const Part& part);
  void tally_whole(const Part& part, Accumulator* accumulator);
  void tally_rows(Worker& worker, const Part& part, const std::vector<std::uint32_t>& of_row);
  Accumulator& accumulator_of(Worker& worker, const Key& key);
  void merge(Worker& worker);
  void find_quantiles();
  void add_bounded_targets(std::uint32_t group, double quantile);
  void show_numbers(unsigned worker, const Part& part);
  std::span<const std::uint64_t> to_keys(Worker& worker, const std::uint64_t* values, const std::uint8_t* keep,
                                         std::size_t n);
  void count_bars();
  void count_part(Worker& worker, const Part& part);
  std::size_t bar_of(const Moments& moments, std::size_t bars, std::uint64_t key) const;
  void finish(Answer* answer);
  Cell value_of(const Operation& operation, const Accumulator& accumulator, std::size_t group) const;
  std::vector<Frequency> most_frequent(const Accumulator& accumulator, std::size_t size) const;
  std::vector<Bar> bars_of(const Accumulator& accumulator, std::size_t index, std::size_t size) const;
  void note_failures();
  template <class Visit>
  void each_chunk(const Part& part, const Visit& visit);

  const Question& q_;
  PartWalk walk_;
  Interner interner_;
  NumberKind kind_ = NumberKind::kSigned;
  bool numbers_ = false;  // moments beyond the count are wanted
  bool tallies_ = false;
  bool tally_texts_ = false;
  MomentNeeds needs_;
  std::vector<Worker> workers_;
  std::unordered_map<Key, std::uint32_t, KeyHash> index_;  // after the first pass: constant
  std::vector<Key> keys_;
  std::vector<Accumulator> groups_;
  std::vector<PartBounds> bounds_;  // without keys only
  QuantileSearch search_;
  std::vector<std::vector<std::size_t>> targets_;  // by group, a quantile each; SIZE_MAX: of no numbers
  std::vector<PartFailure> failures_;
};

bool Aggregation::has(Kind kind) const {
  return std::any_of(q_.operations.begin(), q_.operations.end(), [kind](const Operation& o) { return o.kind == kind; });
}

Status Aggregation::plan() {
  for (const Operation& operation : q_.operations) {
    if (!needs_number(operation)) continue;
    numbers_ = true;
    for (const ArgType type : q_.argument.types) {
      if (!is_string(type)) continue;
      return {StatusCode::kInvalidArgument, "--op " + operation.title + ": '" + q_.argument.name +
                                                "' is a string; strings have count, distinct and top"};
    }
  }
  tallies_ = has(Kind::kDistinct) || has(Kind::kTop);
  if (!q_.argument.types.empty()) {
    kind_ = kind_of_type(q_.argument.types[0]);
    for (const ArgType type : q_.argument.types) {
      if (kind_of_type(type) != kind_) kind_ = NumberKind::kReal;
      tally_texts_ |= counts_as_text(type);
    }
  }
  needs_.extremes = has(Kind::kMin) || has(Kind::kMax) || has(Kind::kQuantile) || has(Kind::kHistogram);
  needs_.sum = has(Kind::kMean) || has(Kind::kSum);
  needs_.spread = has(Kind::kDeviation);
  return {};
}

// visit(values, n, first row) for the numbers of a part, front to back.
template <class Visit>
void Aggregation::each_chunk(const Part& part, const Visit& visit) {
  NumberStream stream(*part.view, part.group, q_.argument.index, kind_);
  std::size_t row = 0;
  std::size_t n = 0;
  while (const std::uint64_t* values = stream.next(&n)) {
    visit(values, n, row);
    row += n;
  }
}

Accumulator& Aggregation::accumulator_of(Worker& worker, const Key& key) {
  const auto [found, added] = worker.index.try_emplace(key, static_cast<std::uint32_t>(worker.accumulators.size()));
  if (added) {
    if (worker.accumulators.size() >= kMostGroups) throw TooMuch{"groups"};
    worker.accumulators.emplace_back();
  }
  return worker.accumulators[found->second];
}

void Aggregation::take_part(Worker& worker, const Part& part) {
  if (worker.keys.read(part)) {
    take_whole(worker, part);
  } else {
    take_rows(worker, part);
  }
}

void Aggregation::take_whole(Worker& worker, const Part& part) {
  Accumulator& accumulator = accumulator_of(worker, worker.keys.key());
  Moments moments;
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  if (!numbers_) {
    moments.records = moments.count = part.kept;
  } else if (kind_ != NumberKind::kReal && part.keep == nullptr && !needs_.sum && !needs_.spread &&
             part.view->zone(part.group, q_.argument.index, &least, &greatest)) {
    moments.records = moments.count = part.rows;
    moments.least = least ^ flip_of(kind_);
    moments.greatest = greatest ^ flip_of(kind_);
  } else {
    each_chunk(part, [&](const std::uint64_t* values, std::size_t n, std::size_t row) {
      add_column(kind_, values, n, part.keep != nullptr ? part.keep + row : nullptr, needs_, &moments);
    });
  }
  accumulator.moments.merge(moments);
  if (q_.keys.empty() && numbers_ && moments.count != 0) {
    worker.bounds.push_back({static_cast<std::uint32_t>(part.file), static_cast<std::uint32_t>(part.block),
                             static_cast<std::uint32_t>(part.group), moments.count, moments.least, moments.greatest});
  }
  if (tallies_) tally_whole(part, &accumulator);
}

void Aggregation::tally_whole(const Part& part, Accumulator* accumulator) {
  if (tally_texts_) {
    if (accumulator->texts == nullptr) accumulator->texts = std::make_unique<TextTally>();
    const TextCodes texts = read_texts(part, q_.argument.index);
    std::vector<std::uint64_t> counts(texts.texts.size(), 0);
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (part.keep == nullptr || part.keep[row] != 0) ++counts[texts.codes[row]];
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0 && !accumulator->texts->add(texts.texts[i], counts[i], kMostDistinct)) throw TooMuch{"distinct values"};
    }
    return;
  }
  if (accumulator->numbers == nullptr) accumulator->numbers = std::make_unique<NumberTally>();
  each_chunk(part, [&](const std::uint64_t* values, std::size_t n, std::size_t row) {
    for (std::size_t i = 0; i < n; ++i) {
      if (part.keep != nullptr && part.keep[row + i] == 0) continue;
      const std::uint64_t key = kind_ == NumberKind::kReal ? key_of_real(std::bit_cast<double>(values[i])) : values[i] ^ flip_of(kind_);
      if (!accumulator->numbers->add(key, 1, kMostDistinct)) throw TooMuch{"distinct values"};
    }
  });
}

void Aggregation::take_rows(Worker& worker, const Part& part) {
  std::vector<std::uint32_t> of_row(part.rows);
  Key last{};
  std::uint32_t last_index = UINT32_MAX;
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    if (part.keep != nullptr && part.keep[row] == 0) continue;
    const Key& key = worker.keys.at(row);
    if (last_index == UINT32_MAX || key != last) {
      last_index = static_cast<std::uint32_t>(&accumulator_of(worker, key) - worker.accumulators.data());
      last = key;
    }
    of_row[row] = last_index;
    if (!numbers_) {
      ++worker.accumulators[last_index].moments.records;
      ++worker.accumulators[last_index].moments.count;
    }
  }
  if (numbers_) {
    each_chunk(part, [&](const std::uint64_t* values, std::size_t n, std::size_t row) {
      for (std::size_t i = 0; i < n; ++i) {
        if (part.keep != nullptr && part.keep[row + i] == 0) continue;
        Moments& moments = worker.accumulators[of_row[row + i]].moments;
        if (kind_ == NumberKind::kReal && std::isnan(std::bit_cast<double>(values[i]))) {
          ++moments.records;
        } else {
          moments.add(kind_, kind_ == NumberKind::kReal ? key_of_real(std::bit_cast<double>(values[i])) : values[i] ^ flip_of(kind_));
        }
      }
    });
  }
  if (tallies_) tally_rows(worker, part, of_row);
}

void Aggregation::tally_rows(Worker& worker, const Part& part, const std::vector<std::uint32_t>& of_row) {
  if (tally_texts_) {
    const TextCodes texts = read_texts(part, q_.argument.index);
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (part.keep != nullptr && part.keep[row] == 0) continue;
      std::unique_ptr<TextTally>& tally = worker.accumulators[of_row[row]].texts;
      if (tally == nullptr) tally = std::make_unique<TextTally>();
      if (!tally->add(texts.texts[texts.codes[row]], 1, kMostDistinct / 8)) throw TooMuch{"distinct values"};
    }
    return;
  }
  each_chunk(part, [&](const std::uint64_t* values, std::size_t n, std::size_t row) {
    for (std::size_t i = 0; i < n; ++i) {
      if (part.keep != nullptr && part.keep[row + i] == 0) continue;
      std::unique_ptr<NumberTally>& tally = worker.accumulators[of_row[row + i]].numbers;
      if (tally == nullptr) tally = std::make_unique<NumberTally>();
      const std::uint64_t key = kind_ == NumberKind::kReal ? key_of_real(std::bit_cast<double>(values[i])) : values[i] ^ flip_of(kind_);
      if (!tally->add(key, 1, kMostDistinct / 8)) throw TooMuch{"distinct values"};
    }
  });
}

void Aggregation::merge(Worker& worker) {
  for (const auto& [key, at] : worker.index) {
    const auto [found, added] = index_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (added) {
      if (groups_.size() >= kMostGroups) throw TooMuch{"groups"};
      keys_.push_back(key);
      groups_.push_back(std::move(worker.accumulators[at]));
      continue;
    }
    Accumulator& into = groups_[found->second];
    Accumulator& from = worker.accumulators[at];
    into.moments.merge(from.moments);
    bool fits = true;
    if (into.numbers == nullptr) {
      into.numbers = std::move(from.numbers);
    } else if (from.numbers != nullptr) {
      from.numbers->for_each([&](std::uint64_t value, std::uint64_t n) { fits &= into.numbers->add(value, n, kMostDistinct); });
    }
    if (into.texts == nullptr) {
      into.texts = std::move(from.texts);
    } else if (from.texts != nullptr) {
      from.texts->for_each([&](std::string_view text, std::uint64_t n) { fits &= into.texts->add(text, n, kMostDistinct); });
    }
    if (!fits) throw TooMuch{"distinct values"};
  }
  bounds_.insert(bounds_.end(), worker.bounds.begin(), worker.bounds.end());
  worker.index.clear();
  worker.accumulators.clear();
  worker.bounds.clear();
}

void Aggregation::note_failures() {
  for (const PartFailure& failure : walk_.failures()) {
    const bool known = std::any_of(failures_.begin(), failures_.end(), [&](const PartFailure& one) {
      return one.file == failure.file && one.damage.offset == failure.damage.offset;
    });
    if (!known) failures_.push_back(failure);
  }
}

void Aggregation::first_pass() {
  for (unsigned n = 0; n < walk_.workers(); ++n) workers_.emplace_back(this);
  walk_.run([this](unsigned n, const Part& part) { take_part(workers_[n], part); });
  note_failures();
  for (Worker& worker : workers_) merge(worker);
  if (q_.keys.empty() && groups_.empty()) {  // a count of nothing is a result
    index_.emplace(Key{}, 0);
    keys_.emplace_back();
    groups_.emplace_back();
  }
  std::sort(bounds_.begin(), bounds_.end(), part_before);
}

// The numbers as keys; those that are not kept, and NaN, left out. Valid until the next call.
std::span<const std::uint64_t> Aggregation::to_keys(Worker& worker, const std::uint64_t* values,
                                                    const std::uint8_t* keep, std::size_t n) {
  worker.buffer.resize(std::max(worker.buffer.size(), n));
  std::uint64_t* out = worker.buffer.data();
  std::size_t m = 0;
  if (keep != nullptr) {
    m = compact(values, keep, n, out);
    values = out;
    n = m;
  }
  if (kind_ != NumberKind::kReal) return {values, n};
  m = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = std::bit_cast<double>(values[i]);
    out[m] = key_of_real(v);
    m += std::isnan(v) ? 0 : 1;
  }
  return {out, m};
}

// The rank of a quantile: the least number that at least that share of all numbers does not exceed.
std::uint64_t rank_of(double quantile, std::uint64_t count) {
  const double position = std::ceil(quantile * static_cast<double>(count) - 1e-9);
  return position < 1 ? 0 : std::min<std::uint64_t>(static_cast<std::uint64_t>(position) - 1, count - 1);
}

// From the bounds of the parts alone a quantile is known to lie in an interval, and most parts outside of it.
void Aggregation::add_bounded_targets(std::uint32_t group, double quantile) {
  const Moments& moments = groups_[group].moments;
  const std::uint64_t rank = rank_of(quantile, moments.count);
  std::uint64_t low = moments.least;
  std::uint64_t high = moments.greatest;
  if (!bounds_.empty()) {
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
    low = bound_of_rank();
    ends.clear();
    for (const PartBounds& part : bounds_) ends.emplace_back(part.greatest, part.count);
    high = bound_of_rank();
  }
  std::uint64_t below = 0;
  std::uint64_t count = bounds_.empty() ? moments.count : 0;
  for (const PartBounds& part : bounds_) {
    if (part.greatest < low) below += part.count;
    if (part.greatest >= low && part.least <= high) count += part.count;
  }
  targets_[group].push_back(search_.add_target(group, rank, low, high, count, below));
}

void Aggregation::show_numbers(unsigned number, const Part& part) {
  Worker& worker = workers_[number];
  const std::uint64_t flip = flip_of(kind_);
  if (q_.keys.empty()) {
    const PartBounds wanted{static_cast<std::uint32_t>(part.file), static_cast<std::uint32_t>(part.block),
                            static_cast<std::uint32_t>(part.group), 0, 0, 0};
    const auto bounds = std::lower_bound(bounds_.begin(), bounds_.end(), wanted, part_before);
    if (bounds == bounds_.end() || part_before(wanted, *bounds)) return;  // only NaN
    if (!search_.needs(0, bounds->least, bounds->greatest)) return;
    each_chunk(part, [&](const std::uint64_t* values, std::size_t n, std::size_t row) {
      const auto keys = to_keys(worker, values, part.keep != nullptr ? part.keep + row : nullptr, n);
      search_.take(number, 0, bounds->least, bounds->greatest, keys.data(), keys.size(), flip);
    });
    return;
  }
  const bool whole = worker.keys.read(part);
  each_chunk(part, [&](const std::uint64_t* values, std::size_t n, std::size_t row) {
    const std::uint8_t* keep = part.keep != nullptr ? part.keep + row : nullptr;
    if (whole) {
      const auto keys = to_keys(worker, values, keep, n);
      search_.take(number, index_.at(worker.keys.key()), 0, UINT64_MAX, keys.data(), keys.size(), flip);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (keep != nullptr && keep[i] == 0) continue;
      const auto keys = to_keys(worker, values + i, nullptr, 1);
      search_.take(number, index_.at(worker.keys.at(row + i)), 0, UINT64_MAX, keys.data(), keys.size(), flip);
    }
  });
}

void Aggregation::find_quantiles() {
  targets_.resize(groups_.size());
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    for (const Operation& operation : q_.operations) {
      if (operation.kind != Kind::kQuantile) continue;
      if (groups_[g].moments.count == 0) {
        targets_[g].push_back(SIZE_MAX);
      } else {
        add_bounded_targets(g, operation.quantile);
      }
    }
  }
  while (search_.begin_round()) {
    const auto visit = [this](unsigned n, const Part& part) { show_numbers(n, part); };
    if (q_.keys.empty()) {
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
}

// Bars have equal widths, of integers whole ones.
std::size_t Aggregation::bar_of(const Moments& moments, std::size_t bars, std::uint64_t key) const {
  if (kind_ == NumberKind::kReal) {
    const double low = real_of_key(moments.least);
    const double width = (real_of_key(moments.greatest) - low) / static_cast<double>(bars);
    const double at = width > 0 ? (real_of_key(key) - low) / width : 0;
    return at < static_cast<double>(bars - 1) ? static_cast<std::size_t>(at) : std::isnan(at) ? 0 : bars - 1;
  }
  const std::uint64_t width = (moments.greatest - moments.least) / bars + 1;
  return (key - moments.least) / width;
}

void Aggregation::count_part(Worker& worker, const Part& part) {
  const bool whole = worker.keys.read(part);
  std::vector<std::size_t> sizes;
  for (const Operation& operation : q_.operations) {
    if (operation.kind == Kind::kHistogram) sizes.push_back(operation.size);
  }
  each_chunk(part, [&](const std::uint64_t* values, std::size_t n, std::size_t row) {
    for (std::size_t i = 0; i < n; ++i) {
      if (part.keep != nullptr && part.keep[row + i] == 0) continue;
      const auto keys = to_keys(worker, values + i, nullptr, 1);
      if (keys.empty()) continue;
      const std::uint64_t key = keys[0] ^ flip_of(kind_);
      const std::uint32_t group = index_.at(whole ? worker.keys.key() : worker.keys.at(row + i));
      if (worker.accumulators.size() <= group) worker.accumulators.resize(group + std::size_t{1});
      Accumulator& accumulator = worker.accumulators[group];
      accumulator.bars.resize(sizes.size());
      for (std::size_t b = 0; b < sizes.size(); ++b) {
        accumulator.bars[b].resize(sizes[b]);
        ++accumulator.bars[b][bar_of(groups_[group].moments, sizes[b], key)];
      }
    }
  });
}

void Aggregation::count_bars() {
  walk_.run([this](unsigned n, const Part& part) { count_part(workers_[n], part); });
  for (Worker& worker : workers_) {
    for (std::size_t g = 0; g < worker.accumulators.size(); ++g) {
      const auto& from = worker.accumulators[g].bars;
      auto& into = groups_[g].bars;
      into.resize(std::max(into.size(), from.size()));
      for (std::size_t b = 0; b < from.size(); ++b) {
        into[b].resize(from[b].size());
        for (std::size_t i = 0; i < from[b].size(); ++i) into[b][i] += from[b][i];
      }
    }
  }
}

Cell Aggregation::value_of(const Operation& operation, const Accumulator& accumulator, std::size_t group) const {
  const Moments& moments = accumulator.moments;
  const bool none = moments.count == 0;
  const auto real = [](double value) { return std::isnan(value) ? Cell() : Cell::of_real(value); };
  switch (operation.kind) {
    case Kind::kCount:
      return Cell::of(static_cast<text::Int128>(moments.records));
    case Kind::kMin:
      return none ? Cell() : cell_of_key(kind_, moments.least);
    case Kind::kMax:
      return none ? Cell() : cell_of_key(kind_, moments.greatest);
    case Kind::kMean:
      return real(moments.mean_value(kind_));
    case Kind::kSum:
      return none ? Cell() : moments.sum_cell(kind_);
    case Kind::kDeviation:
      return real(moments.deviation());
    case Kind::kDistinct:
      return Cell::of(static_cast<text::Int128>(accumulator.texts != nullptr     ? accumulator.texts->size()
                                                : accumulator.numbers != nullptr ? accumulator.numbers->size()
                                                                                 : 0));
    case Kind::kQuantile:
    case Kind::kTop:
    case Kind::kHistogram:
      break;
  }
  (void)group;
  return {};
}

std::vector<Frequency> Aggregation::most_frequent(const Accumulator& accumulator, std::size_t size) const {
  std::vector<Frequency> all;
  if (accumulator.texts != nullptr) {
    accumulator.texts->for_each([&](std::string_view text, std::uint64_t n) { all.push_back({Cell::of_text(text), n}); });
  }
  if (accumulator.numbers != nullptr) {
    accumulator.numbers->for_each([&](std::uint64_t key, std::uint64_t n) { all.push_back({cell_of_key(kind_, key), n}); });
  }
  const auto before = [](const Frequency& a, const Frequency& b) {
    return a.count != b.count ? a.count > b.count : a.value < b.value;
  };
  const std::size_t n = std::min(size, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(), before);
  all.resize(n);
  return all;
}

std::vector<Bar> Aggregation::bars_of(const Accumulator& accumulator, std::size_t index, std::size_t size) const {
  std::vector<Bar> bars;
  if (index >= accumulator.bars.size()) return bars;
  const Moments& moments = accumulator.moments;
  const double low = cell_of_key(kind_, moments.least).as_double();
  const double high = cell_of_key(kind_, moments.greatest).as_double();
  double width = (high - low) / static_cast<double>(size);
  if (kind_ != NumberKind::kReal) width = static_cast<double>((moments.greatest - moments.least) / size + 1);
  for (std::size_t i = 0; i < size; ++i) {
    const double begin = low + width * static_cast<double>(i);
    if (begin > high) break;
    bars.push_back({begin, begin + width, accumulator.bars[index][i]});
  }
  return bars;
}

void Aggregation::finish(Answer* answer) {
  std::vector<std::uint32_t> order(groups_.size());
  for (std::uint32_t g = 0; g < order.size(); ++g) order[g] = g;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    AnswerRow& row = answer->rows.emplace_back();
    for (std::size_t k = 0; k < q_.keys.size(); ++k) row.keys.push_back(cell_of(q_.keys[k], keys_[g][k], interner_));
    std::size_t quantile = 0;
    std::size_t histogram = 0;
    for (const Operation& operation : q_.operations) {
      Cell cell = value_of(operation, groups_[g], g);
      if (operation.kind == Kind::kQuantile) {
        const std::size_t target = targets_[g][quantile++];
        if (target != SIZE_MAX) cell = cell_of_key(kind_, search_.result(target));
      }
      if (operation.kind == Kind::kTop) row.top = most_frequent(groups_[g], operation.size);
      if (operation.kind == Kind::kHistogram) row.bars = bars_of(groups_[g], histogram++, operation.size);
      row.values.push_back(std::move(cell));
    }
  }
  // Levels in their order, not that of their names.
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t k = 0; k < q_.keys.size(); ++k) {
      if (q_.keys[k].by == KeySpec::By::kLevel) {
        if (keys_[a][k] != keys_[b][k]) return keys_[a][k] < keys_[b][k];
        continue;
      }
      const Cell& x = answer->rows[a].keys[k];
      const Cell& y = answer->rows[b].keys[k];
      if (x < y || y < x) return x < y;
    }
    return a < b;
  });
  std::vector<AnswerRow> sorted;
  for (const std::uint32_t g : order) sorted.push_back(std::move(answer->rows[g]));
  answer->rows = std::move(sorted);
  answer->failures = std::move(failures_);
}

Result<Answer> Aggregation::run() {
  if (Status status = plan(); !status.ok()) return status;
  Answer answer;
  try {
    first_pass();
    if (has(Kind::kQuantile)) find_quantiles();
    if (has(Kind::kHistogram)) count_bars();
  } catch (const TooMuch& limit) {
    return Status(StatusCode::kExhausted, std::string("too many ") + limit.what + "; ask for less with --where or --since");
  }
  finish(&answer);
  return answer;
}

}  // namespace

Result<Answer> aggregate(const Question& question) {
  return Aggregation(question).run();
}

}  // namespace steno::query
