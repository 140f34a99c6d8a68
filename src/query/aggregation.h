// The work behind aggregate(): passes over the log, and what they gather.
//
// 1. If quantiles are asked of many numbers, a sample of some blocks guesses where they are.
// 2. One pass gathers all else, and what the guess wants.
// 3. Quantiles that the guess missed, or that are asked by keys, are searched for in rounds (quantile.h).
// 4. Histograms want the extremes first, so they take a pass of their own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/aggregate.h"
#include "query/moments.h"
#include "query/number_stream.h"
#include "query/quantile.h"
#include "query/tally.h"

namespace steno::query {

class Aggregation {
 public:
  explicit Aggregation(const Question& question) : q_(question), walk_(question.subject), search_(walk_.workers()) {}

  Result<Answer> run();

 private:
  // What is gathered for one key.
  struct Accumulator {
    Moments moments;
    std::unique_ptr<NumberTally> numbers;
    std::unique_ptr<TextTally> texts;
    std::vector<std::uint64_t> bars;
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
  struct Worker {
    explicit Worker(Aggregation* of) : keys(of->q_.keys, &of->interner_) {}
    KeyReader keys;
    std::unordered_map<Key, std::uint32_t, KeyHash> index;
    std::vector<Accumulator> accumulators;
    std::vector<PartBounds> bounds;
    void forget() {
      index.clear();
      accumulators.clear();
      bounds.clear();
    }

    alignas(64) std::uint64_t values[format::kMiniBlock];
    alignas(64) std::uint32_t offsets[format::kMiniBlock];
  };
  // Thrown in the middle of a pass.
  struct TooMuch {
    const char* what;
  };

  Status plan();
  bool has(Operation::Kind kind) const;
  bool without_keys() const { return q_.keys.empty(); }
  static bool before(const PartBounds& a, const PartBounds& b);
  std::uint64_t key_of(std::uint64_t value) const;
  // visit(numbers, first row) for the numbers of a part, front to back.
  template <class Visit>
  void each_chunk(const Part& part, const Visit& visit) const {
    NumberStream stream(*part.view, part.group, q_.argument.index, kind_);
    std::size_t row = 0;
    for (Numbers numbers; stream.next(&numbers); row += numbers.n) visit(numbers, row);
  }
  // visit(value, row) for those that are kept, one by one.
  template <class Visit>
  void each_value(const Part& part, const Visit& visit) const {
    each_chunk(part, [&](const Numbers& numbers, std::size_t first) {
      std::uint64_t buffer[format::kMiniBlock];
      const std::uint64_t* values = numbers.unpack(buffer);
      for (std::size_t i = 0; i < numbers.n; ++i) {
        if (part.keep == nullptr || part.keep[first + i] != 0) visit(values[i], first + i);
      }
    });
  }
  // Those that are kept, NaN left out; of reals their keys. In the worker's memory.
  Numbers kept_keys(Worker& worker, const Numbers& numbers, const std::uint8_t* keep) const;
  std::uint64_t flip() const { return flip_of(kind_); }

  // aggregate_gather.cc
  void guess_quantiles();
  void gather();
  void gather_part(unsigned number, const Part& part);
  void gather_whole(unsigned number, const Part& part);
  void gather_numbers(unsigned number, const Part& part, Moments* moments);
  void gather_rows(Worker& worker, const Part& part);
  void tally_whole(const Part& part, Accumulator* accumulator) const;
  void tally_rows(Worker& worker, const Part& part, const std::vector<std::uint32_t>& of_row) const;
  Accumulator& accumulator_of(Worker& worker, const Key& key) const;
  void merge(Worker& worker);
  void merge_tallies(Accumulator& into, Accumulator& from) const;

  // aggregate_steps.cc
  void add_empty_steps(Answer* answer);

  // aggregate_ranks.cc
  void find_quantiles();
  std::size_t add_target(std::uint32_t group, std::uint64_t rank);
  void show_numbers(unsigned number, const Part& part);
  void count_bars();
  void count_part(Worker& worker, const Part& part);
  std::size_t bar_of(const Moments& moments, std::uint64_t key) const;
  std::vector<Bar> bars_of(const Accumulator& accumulator) const;

  void note_failures();
  void finish(Answer* answer);
  Cell value_of(const Operation& operation, const Accumulator& accumulator) const;
  std::vector<Frequency> most_frequent(const Accumulator& accumulator, std::size_t size) const;
  void sort_rows(Answer* answer) const;

  const Question& q_;
  PartWalk walk_;
  Interner interner_;
  NumberKind kind_ = NumberKind::kSigned;
  bool numbers_ = false;  // moments beyond the count are wanted
  bool tallies_ = false;
  bool tally_texts_ = false;
  std::size_t bars_ = 0;  // of a histogram; 0: none is asked for
  MomentNeeds needs_;
  std::vector<double> quantiles_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<QuantileGuess> guess_;
  std::unordered_map<Key, std::uint32_t, KeyHash> index_;  // after the gathering pass: constant
  std::vector<Key> keys_;
  std::vector<Accumulator> groups_;
  std::vector<PartBounds> bounds_;  // without keys only; sorted
  QuantileSearch search_;
  std::vector<std::vector<Cell>> found_;  // by group, a quantile each
  std::vector<reader::DecodeFailure> failures_;
};

}  // namespace steno::query
