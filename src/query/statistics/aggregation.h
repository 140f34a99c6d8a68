// The implementation of aggregate(): passes over the log, and what they gather.
//
// 1. If quantiles are asked of many numbers, without keys, a sample of some blocks guesses where they are.
// 2. One pass gathers everything else, and what the guess needs. Where nothing was guessed, it keeps the numbers
//    themselves, until they are too many.
// 3. Quantiles that this does not tell are searched for in rounds (quantile.h).
// 4. Histograms want the extremes first, so they take a pass of their own.
//
// Where the groups of all keys do not fit into memory, all of this is done for a range of the keys, from the least on,
// and again for the next one. A range is as long as there is room for: a worker that runs out of it lowers the range's
// end (the cut) and drops what is beyond. So a pass is never in vain, and rows come out in order. A group whose
// distinct values alone do not fit is cut within these, by their hashes.
#pragma once

#include <bit>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "base/raw_vector.h"
#include "query/search/number_stream.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/duration_bins.h"
#include "query/statistics/group_batches.h"
#include "query/statistics/group_index.h"
#include "query/statistics/key_list.h"
#include "query/statistics/key_reader.h"
#include "query/statistics/moments.h"
#include "query/statistics/quantile.h"
#include "query/statistics/tally.h"
#include "query/statistics/text_codes.h"

namespace steno::query {

// Ends the walk of all workers.
struct TooManyGroups {};

class Aggregation {
 public:
  explicit Aggregation(const Question& question)
      : q_(question), walk_(question.subject), order_(question.keys), search_(walk_.workers()) {}

  Result<Answer> run();

 private:
  // The values gathered for one key.
  struct Accumulator {
    Moments moments;
    std::unique_ptr<NumberTally> numbers;
    std::unique_ptr<TextTally> texts;
    std::vector<std::uint64_t> bars;
    std::vector<std::int64_t> edges;  // of bars of durations, ns; of others empty
    std::int64_t first = INT64_MAX;   // times of records
    std::int64_t last = INT64_MIN;
    std::vector<std::uint64_t> course;
    std::vector<std::uint64_t> hits;  // of records that fulfil the condition of a ratio, by ratio
    KeyList gathered;                 // keys of the numbers, for quantiles; of too many, some or none
    // Hashes of values that this pass tallies.
    std::uint64_t first_hash = 0;
    std::uint64_t last_hash = UINT64_MAX;
    // The distinct values of the group in passes before.
    std::uint64_t distinct_before = 0;
    std::vector<Frequency> top_before;

    bool continued() const { return first_hash != 0; }
    bool tallies(std::uint64_t hash) const { return hash >= first_hash && hash <= last_hash; }
    bool tallies_all() const { return first_hash == 0 && last_hash == UINT64_MAX; }
    std::size_t tally_bytes() const {
      return (numbers != nullptr ? numbers->bytes() : 0) + (texts != nullptr ? texts->bytes() : 0);
    }
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
    explicit Worker(Aggregation* of)
        : interner(std::make_unique<Interner>()), keys(of->q_.keys, interner.get()), index(of->seed_) {}
    std::unique_ptr<Interner> interner;
    KeyReader keys;
    GroupIndex index;
    std::vector<Accumulator> accumulators;  // as the index numbers them
    bool gathers_keys = false;              // gathers all numbers, for quantiles
    std::size_t gathered_bytes = 0;         // what they take
    std::vector<PartBounds> bounds;
    std::size_t tally_bytes = 0;
    std::uint64_t records = 0;              // in the range or not
    std::shared_ptr<const KeyRange> range;  // as of the part under way
    std::vector<std::uint8_t> keep;
    std::vector<std::uint8_t> has;                // rows of the part that have the argument
    Evaluator evaluator;                          // of ratios
    std::vector<std::vector<std::uint8_t>> hits;  // by ratio: which rows of the part fulfil it
    RawVector<std::uint32_t> of_row;              // groups of the part's rows, of those that are kept
    std::vector<std::uint64_t> counts;            // by code
    TextCodes texts;
    GroupBatches batches;
    void forget() {
      index.clear();
      accumulators.clear();
      bounds.clear();
      gathered_bytes = 0;
      tally_bytes = 0;
      records = 0;
      *interner = {};
    }

    alignas(64) std::uint64_t values[format::kMiniBlock];
    alignas(64) std::uint32_t offsets[format::kMiniBlock];
  };
  Status plan();
  void plan_histogram(const Operation& operation);
  bool has(Operation::Kind kind) const;
  bool without_keys() const { return q_.keys.empty(); }
  static bool before(const PartBounds& a, const PartBounds& b);
  std::uint64_t key_of(std::uint64_t value) const;
  // The key of a value among values that are told apart: equal ones have one key.
  std::uint64_t tally_key_of(std::uint64_t value) const;
  bool is_nan(std::uint64_t value) const;
  bool is_nan_text(std::string_view text) const;
  // A value that was logged, by its key.
  Cell cell_of_value(std::uint64_t key) const;
  // visit(numbers, first row) for the numbers of a part, front to back.
  template <class Visit>
  void each_chunk(const Part& part, const Visit& visit) const {
    const reader::Site& site = *part.view->groups()[part.group].site;
    NumberStream stream(*part.view, part.group, q_.argument.index_in(site), kind_);
    const double scale = q_.argument.scale_in(site);
    std::size_t row = 0;
    for (Numbers numbers; stream.next(&numbers); row += numbers.n) {
      if (scale == 1) {
        visit(numbers, row);
        continue;
      }
      std::uint64_t buffer[format::kMiniBlock];
      std::uint64_t scaled[format::kMiniBlock];
      const std::uint64_t* values = numbers.unpack(buffer);
      for (std::size_t i = 0; i < numbers.n; ++i) {
        scaled[i] = std::bit_cast<std::uint64_t>(std::bit_cast<double>(values[i]) * scale);
      }
      visit(Numbers{numbers.n, scaled}, row);
    }
  }
  // The value that has this key; not of one that is NaN.
  std::uint64_t value_of_key(std::uint64_t key) const {
    return kind_ == NumberKind::kReal ? std::bit_cast<std::uint64_t>(real_of_key(key)) : key ^ flip();
  }
  // visit(value, row) for those that are kept, one by one.
  template <class Visit>
  void each_value(const Part& part, const Visit& visit) const {
    each_chunk(part, [&](const Numbers& numbers, std::size_t first) {
      std::uint64_t buffer[format::kMiniBlock];
      const std::uint64_t* values = numbers.unpack(buffer);
      for (std::size_t i = 0; i < numbers.n; ++i) {
        if (part.is_kept(first + i)) visit(values[i], first + i);
      }
    });
  }
  // Those that are kept, NaN left out; of reals their keys. In the worker's memory.
  Numbers kept_numbers(Worker& worker, const Numbers& numbers, const std::uint8_t* keep) const;
  std::uint64_t flip() const { return flip_of(kind_); }

  // aggregate_gather.cc
  void guess_quantiles();
  void gather();
  void gather_part(unsigned number, const Part& part);
  void gather_whole(unsigned number, const Part& part, const Part& numbers);
  void gather_numbers(unsigned number, const Part& part, Accumulator* accumulator, Moments* moments);
  void gather_keys(Worker& worker, std::span<const std::uint64_t> keys, Accumulator* accumulator) const;
  // How many rows that are kept have each code; codes of the others may be anything.
  static void count_codes(const Part& part, std::span<const std::uint32_t> codes, std::size_t all,
                          std::vector<std::uint64_t>* counts);
  const TextCodes& texts_of(Worker& worker, const Part& part) const;
  // Leaves of a part those rows that have the argument. False: none.
  bool with_argument(Worker& worker, Part* part) const;
  void find_hits(Worker& worker, const Part& part) const;
  void gather_times(const Part& part, Accumulator* accumulator) const;
  void gather_course(const Part& part, Accumulator* accumulator) const;
  // Steps of the course; those that are outside: beyond its end.
  std::size_t step_at(std::int64_t time) const {
    const auto since = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(q_.course.from);
    return time < q_.course.from ? SIZE_MAX : since / static_cast<std::uint64_t>(q_.course.step);
  }
  void tally_whole(Worker& worker, const Part& part, Accumulator* accumulator) const;
  std::uint32_t group_of(Worker& worker, const Key& key) const;
  void merge(Worker& worker);
  static void merge_tallies(Accumulator& into, Accumulator& from);

  // aggregate_rows.cc
  void gather_rows(Worker& worker, const Part& part, const Part& numbers);
  template <class Groups>
  void count_rows(Worker& worker, const Part& part, Groups& groups) const;
  void gather_row_facts(Worker& worker, const Part& part) const;
  void gather_row_numbers(Worker& worker, const Part& numbers);
  void tally_rows(Worker& worker, const Part& part) const;

  // aggregate_ranges.cc
  std::size_t group_bytes() const;
  std::uint64_t hash_of(std::uint64_t key) const;
  std::uint64_t hash_of(std::string_view text) const;
  std::shared_ptr<const KeyRange> range();
  void set_range(KeyRange range);
  bool several_passes() const { return range_->from || range_->cut; }
  // Leaves of a part those rows whose keys are in the worker's range. False: none.
  bool in_range(Worker& worker, bool same_key, Part* part) const;
  std::size_t bytes_of(const Worker& worker) const;
  void lower_cut(Worker& worker);
  void drop_beyond(Worker& worker, const KeyBound& cut) const;
  void cut_tallies(Accumulator* accumulator, std::uint64_t hash) const;
  void take_up_group();
  void put_off_group();
  void expect_passes();

  // aggregate_steps.cc
  void add_empty_steps(Answer* answer);

  // aggregate_ranks.cc
  void find_quantiles();
  std::size_t add_target(std::uint32_t group, std::uint64_t rank);
  void show_numbers(unsigned number, const Part& part);
  void count_bars();
  void count_part(Worker& worker, const Part& part);
  void set_edges(Accumulator* accumulator) const;
  std::int64_t duration_of(std::uint64_t key) const;
  std::size_t bar_of(const Accumulator& accumulator, std::uint64_t key) const;
  std::vector<Bar> bars_of(const Accumulator& accumulator) const;

  void note_failures();
  Status answer_range(Answer* answer);
  std::vector<AnswerRow> make_rows();
  Cell value_of(const Operation& operation, const Accumulator& accumulator) const;
  static Cell ratio_of(const Accumulator& accumulator, std::size_t ratio);
  std::vector<Frequency> most_frequent(const Accumulator& accumulator, std::size_t size) const;
  std::vector<std::uint32_t> sorted_groups() const;

  const Question& q_;
  PartWalk walk_;
  const KeyOrder order_;
  Interner interner_;  // of the groups, once they are merged
  NumberKind kind_ = NumberKind::kSigned;
  bool numbers_ = false;  // moments beyond the count are wanted
  bool tallies_ = false;
  bool tally_texts_ = false;
  bool tally_real_texts_ = false;  // of numbers of 16 bytes
  bool narrow_ = false;            // all are binary32
  std::size_t bars_ = 0;           // of a histogram; 0: none is asked for
  double tick_ns_ = 0;             // of a histogram of durations: their unit; 0: bars are equally wide
  MomentNeeds needs_;
  bool times_ = false;  // the first or the last is asked for
  std::vector<const Predicate*> ratios_;
  std::vector<double> quantiles_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<QuantileGuess> guess_;
  std::uint64_t seed_ = std::random_device()();
  GroupIndex index_{seed_};          // after the gathering pass: constant
  std::vector<Accumulator> groups_;  // as the index numbers them
  std::vector<PartBounds> bounds_;   // without keys only; sorted
  QuantileSearch search_;
  std::vector<std::vector<Cell>> found_;  // by group, a quantile each
  std::vector<reader::DecodeFailure> failures_;
  std::size_t room_ = 0;  // of a worker, in bytes
  std::size_t group_bytes_ = 0;
  std::mutex range_mutex_;
  std::shared_ptr<const KeyRange> range_ = std::make_shared<KeyRange>();
  std::optional<Accumulator> put_off_;  // the group at the end of the last range, which goes on in this one
  std::uint64_t records_ = 0;           // of all groups
  double done_ = 0;                     // of those that are done
};

}  // namespace steno::query
