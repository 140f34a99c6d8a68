#include "query/statistics/heat_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "query/search/number_stream.h"

namespace steno::query {
namespace {

constexpr int kBucketsAnOctave = 4;
constexpr int kNotPositive = INT32_MIN;

Status numbers_only(const ArgumentOf& argument) {
  for (const ArgType type : argument.types) {
    if (!is_string(type)) continue;
    return Status(StatusCode::kInvalidArgument, "'" + argument.name + "' is a string, not a number");
  }
  return {};
}

// The numbers of a part's rows as they are in the unit of the argument.
void read_numbers(const Part& part, const ArgumentOf& argument, std::vector<double>* out) {
  const reader::Site& site = *part.view->groups()[part.group].site;
  const double scale = argument.scale_in(site);
  NumberStream stream(*part.view, part.group, argument.index_in(site), NumberKind::kReal);
  out->clear();
  std::uint64_t buffer[format::kMiniBlock];
  for (Numbers numbers; stream.next(&numbers);) {
    const std::uint64_t* values = numbers.unpack(buffer);
    for (std::size_t i = 0; i < numbers.n; ++i) out->push_back(std::bit_cast<double>(values[i]) * scale);
  }
}

int bucket_of(double value) {
  if (!(value > 0)) return kNotPositive;
  return static_cast<int>(std::floor(std::log2(value) * kBucketsAnOctave));
}

int floor_divide(int value, int by) {
  return value >= 0 ? value / by : -((-value + by - 1) / by);
}

// Spreads a record's place over all numbers.
std::uint64_t spread_of(const RecordRef& ref) {
  std::uint64_t value = (std::uint64_t{ref.file} << 48) ^ (std::uint64_t{ref.block} << 28) ^ ref.record;
  value = (value + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9;
  return (value ^ value >> 31) * 0x94D049BB133111EB ^ value >> 29;
}

bool is_earlier(const PairOfValues& a, const PairOfValues& b) {
  return is_before(a.ref, b.ref);
}

}  // namespace

Result<HeatMap> make_heat_map(const Subject& subject, const ArgumentOf& argument, const TimeLine& steps,
                              std::size_t most_buckets) {
  if (Status status = numbers_only(argument); !status.ok()) return status;
  using Buckets = std::map<int, std::vector<std::uint64_t>>;  // by bucket, a count a step
  const std::size_t n = steps.steps.size();
  PartWalk walk(subject);
  struct HeatCounts {
    Buckets buckets;
    double least = 0;  // of those that are not positive
    std::vector<double> values;
  };
  std::vector<HeatCounts> found(walk.workers());
  walk.run([&](unsigned number, const Part& part) {
    HeatCounts& mine = found[number];
    read_numbers(part, argument, &mine.values);
    const std::span<const std::int64_t> walls = part.view->walls_of(part.group);
    for (std::size_t row = 0; row < std::min(walls.size(), mine.values.size()); ++row) {
      const double value = mine.values[row];
      if (!part.is_kept(row) || !std::isfinite(value) || walls[row] < steps.from) continue;
      const std::uint64_t step = (static_cast<std::uint64_t>(walls[row]) - static_cast<std::uint64_t>(steps.from)) /
                                 static_cast<std::uint64_t>(steps.step);
      if (step >= n) continue;
      std::vector<std::uint64_t>& counts = mine.buckets[bucket_of(value)];
      counts.resize(n);
      ++counts[step];
      mine.least = std::min(mine.least, value);
    }
  });
  Buckets all;
  double least = 0;
  for (HeatCounts& one : found) {
    least = std::min(least, one.least);
    for (auto& [bucket, counts] : one.buckets) {
      std::vector<std::uint64_t>& sum = all[bucket];
      sum.resize(n);
      for (std::size_t s = 0; s < n; ++s) sum[s] += counts[s];
    }
  }
  HeatMap map;
  map.failures = walk.failures();
  if (all.empty()) return map;
  const bool any_not_positive = all.begin()->first == kNotPositive;
  const auto first_positive = any_not_positive ? std::next(all.begin()) : all.begin();
  const bool any_positive = first_positive != all.end();
  const int low = any_positive ? first_positive->first : 0;
  const int high = any_positive ? all.rbegin()->first : 0;
  int together = 1;  // buckets that are shown as one
  const auto room = static_cast<int>(std::max<std::size_t>(most_buckets, 2)) - 1;
  while (any_positive && floor_divide(high, together) - floor_divide(low, together) + 1 > room) together *= 2;
  const int base = floor_divide(low, together);
  const std::size_t shown = any_positive ? static_cast<std::size_t>(floor_divide(high, together) - base + 1) : 0;
  const std::size_t before = any_not_positive ? 1 : 0;
  const auto edge = [&](std::size_t i) {
    const double bound = std::exp2(static_cast<double>((base + static_cast<int>(i)) * together) / kBucketsAnOctave);
    return std::min(bound, std::numeric_limits<double>::max());
  };
  if (any_not_positive) map.edges.push_back(any_positive || least < 0 ? least : 0);
  for (std::size_t i = 0; i <= shown; ++i) map.edges.push_back(any_positive ? edge(i) : std::nextafter(0.0, 1.0));
  map.cells.assign(n, std::vector<std::uint64_t>(before + shown));
  for (const auto& [bucket, counts] : all) {
    const std::size_t at =
        bucket == kNotPositive ? 0 : before + static_cast<std::size_t>(floor_divide(bucket, together) - base);
    for (std::size_t s = 0; s < n; ++s) map.cells[s][at] += counts[s];
  }
  return map;
}

Result<Scatter> make_scatter(const Subject& subject, const ArgumentOf& x, const ArgumentOf& y, std::size_t most) {
  for (const ArgumentOf* argument : {&x, &y}) {
    if (Status status = numbers_only(*argument); !status.ok()) return status;
  }
  PartWalk walk(subject);
  struct ChosenPairs {
    std::vector<PairOfValues> chosen;  // a heap by rank, the greatest on top
    std::uint64_t total = 0;
    std::vector<double> xs;
    std::vector<double> ys;
  };
  const auto by_rank = [](const PairOfValues& a, const PairOfValues& b) { return is_before(a.ref, b.ref); };
  std::vector<ChosenPairs> found(walk.workers());
  const auto add = [&](std::vector<PairOfValues>* chosen, const PairOfValues& one) {
    if (chosen->size() == most) {
      if (most == 0 || !by_rank(one, chosen->front())) return;
      std::pop_heap(chosen->begin(), chosen->end(), by_rank);
      chosen->pop_back();
    }
    chosen->push_back(one);
    std::push_heap(chosen->begin(), chosen->end(), by_rank);
  };
  walk.run([&](unsigned number, const Part& part) {
    ChosenPairs& mine = found[number];
    read_numbers(part, x, &mine.xs);
    read_numbers(part, y, &mine.ys);
    for (std::uint32_t row = 0; row < std::min(mine.xs.size(), mine.ys.size()); ++row) {
      if (!part.is_kept(row)) continue;
      if (!std::isfinite(mine.xs[row]) || !std::isfinite(mine.ys[row])) continue;
      ++mine.total;
      PairOfValues one{mine.xs[row], mine.ys[row], ref_of(part, row, 0)};
      one.ref.rank = spread_of(one.ref);
      add(&mine.chosen, one);
    }
  });
  Scatter scatter;
  scatter.failures = walk.failures();
  for (const ChosenPairs& one : found) {
    scatter.total += one.total;
    for (const PairOfValues& point : one.chosen) add(&scatter.points, point);
  }
  for (PairOfValues& point : scatter.points) point.ref.rank = 0;
  std::sort(scatter.points.begin(), scatter.points.end(), is_earlier);
  return scatter;
}

}  // namespace steno::query
