// Exact quantiles of durations that come one by one, and perhaps are more than fit into memory.
//
// While they fit they are kept. When they no longer do, those that came are a sample, and from then on only those near
// the quantiles that it shows are kept and the rest is counted (QuantileGuess). If that guess was wrong, all durations
// have to be shown again, a few times (QuantileSearch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "query/statistics/moments.h"
#include "query/statistics/quantile.h"

namespace steno::query {

class DurationQuantiles {
 public:
  // `room`: of durations to keep.
  DurationQuantiles(std::vector<double> quantiles, std::size_t room);

  void add(std::int64_t duration);
  // All have been added. True: they have to be added again, in whatever order.
  bool end_of_sweep();

  // After the first sweep.
  const Moments& moments() const { return moments_; }
  // After the last one: a quantile each; none of nothing.
  const std::vector<std::int64_t>& results() const { return results_; }

 private:
  enum class Way { kKeep, kGuess, kSearch };
  void start_guess();
  void show();
  bool begin_round();

  std::vector<double> quantiles_;
  std::size_t room_;
  Way way_ = Way::kKeep;
  bool first_ = true;
  Moments moments_;
  std::vector<std::uint64_t> kept_;  // keys; when they are no longer kept, those to be shown next
  std::optional<QuantileGuess> guess_;
  QuantileSearch search_;
  std::vector<std::int64_t> results_;
};

}  // namespace steno::query
