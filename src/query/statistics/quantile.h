// Exact quantiles of more numbers than fit into memory.
//
// Each quantile is the number of a known rank. Where it can be is an interval; a round either counts the numbers of
// the interval in equal buckets, which leaves one of them, or, once few are left, gathers them and selects. Memory is
// bounded by the buckets and by kMostGathered numbers, whatever the log's size; the price is a round or two more.
#pragma once

#include <cstdint>
#include <vector>

#include "query/search/number_stream.h"
#include "query/statistics/key_list.h"

namespace steno::query {

inline constexpr std::size_t kMostGathered = std::size_t{1} << 23;  // 64 MiB
inline constexpr std::size_t kMostBuckets = std::size_t{1} << 23;   // over all intervals and threads: 64 MiB
inline constexpr std::size_t kBucketsOfOne = std::size_t{1} << 12;  // of one interval: they stay in the nearest cache

// All numbers by their keys (ordered.h). Results are collected in groups, each with numbers of its own.
class QuantileSearch {
 public:
  // Tests gather fewer, to have more rounds.
  explicit QuantileSearch(unsigned workers, std::size_t most_gathered = kMostGathered)
      : workers_(workers), most_gathered_(most_gathered) {}

  // Asks for the number of rank `rank` (0: the least) among those of a group, of which `count` at most lie in [least,
  // greatest], where it is. `below`: how many of parts that are wholly less than `least` are known to be so. Returns
  // the number of the target.
  std::size_t add_target(std::uint32_t group, std::uint64_t rank, std::uint64_t least, std::uint64_t greatest,
                         std::uint64_t count, std::uint64_t below);

  // Prepares the next round; false: all targets are found. Then show the numbers of every part of every group that
  // needs() it.
  bool begin_round();
  // Returns whether a part whose numbers lie between these keys matters in this round.
  bool needs(std::uint32_t group, std::uint64_t least, std::uint64_t greatest) const;
  // Numbers of a part with these bounds, whose keys are value ^ flip. Called by workers at once, each with its number.
  void take(unsigned worker, std::uint32_t group, std::uint64_t least, std::uint64_t greatest, const Numbers& numbers,
            std::uint64_t flip);
  void end_round();

  // The key of a target that was found.
  std::uint64_t result(std::size_t target) const { return targets_[target].low; }

 private:
  struct Target {
    std::uint32_t group = 0;
    std::uint64_t rank = 0;  // among all of the group
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t count = 0;  // in [low, high], at most
    std::uint64_t below = 0;  // less than low; until the first round is over, of parts that are not shown
    bool loose = true;        // those that are shown are to be counted too
    bool done() const { return low == high; }
  };
  // An interval that is counted or gathered in a round: targets with the same bounds share it.
  struct Interval {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    unsigned shift = 0;
    std::size_t first_bucket = 0;
    std::uint64_t below = 0;  // as of its targets
    bool loose = true;
    std::vector<std::size_t> targets;
  };
  struct Scratch {
    std::vector<std::uint64_t> buckets;
    std::vector<std::uint64_t> below;  // by interval
    std::vector<KeyList> gathered;     // by interval
  };

  void settle_by_counts(std::size_t index, std::uint64_t below);
  void settle_by_selection(std::size_t index, std::uint64_t below);

  unsigned workers_;
  std::size_t most_gathered_;
  bool gathers_ = false;
  std::size_t buckets_each_ = 0;
  std::vector<Target> targets_;
  std::vector<Interval> intervals_;
  std::vector<std::vector<std::uint32_t>> of_group_;  // intervals
  std::vector<Scratch> scratch_;
};

// A sample of many numbers tells where their quantiles are, nearly for certain: within narrow intervals. One pass
// gathers those, and counts what is below, while the sums are made; then the ranks tell whether the guess was right.
class QuantileGuess {
 public:
  // `sample`: keys, drawn evenly. Guesses nothing from too few.
  QuantileGuess(unsigned workers, const std::vector<double>& quantiles, std::vector<std::uint64_t> sample);

  bool active() const { return !intervals_.empty(); }
  // Returns whether a part with these bounds is to be shown; else it is to be counted.
  bool wants(std::uint64_t least, std::uint64_t greatest) const;
  void count(unsigned worker, std::uint64_t least, std::uint64_t greatest, std::uint64_t numbers);
  void take(unsigned worker, std::uint64_t least, std::uint64_t greatest, const Numbers& numbers, std::uint64_t flip);
  // After all: the key of that rank, of quantile `index`; to be asked once for each. False: the guess was wrong.
  bool find(std::size_t index, std::uint64_t rank, std::uint64_t* key);

 private:
  struct Interval {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  struct Scratch {
    std::vector<std::uint64_t> below;  // by interval
    std::vector<KeyList> gathered;     // by interval
    std::size_t size = 0;
    bool too_many = false;
  };

  std::vector<Interval> intervals_;
  std::vector<Scratch> scratch_;
};

// The rank (0: the least) of a quantile of `count` numbers: that of the least number that at least this share of all
// does not exceed. Requires count != 0.
std::uint64_t rank_of(double quantile, std::uint64_t count);

}  // namespace steno::query
