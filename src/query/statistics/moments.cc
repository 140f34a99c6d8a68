#include "query/statistics/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/search/kernels.h"

namespace steno::query {
namespace {

using format::kMiniBlock;
using text::Int128;

Int128 widened(NumberKind kind, std::uint64_t value) {
  return kind == NumberKind::kSigned ? Int128{static_cast<std::int64_t>(value)} : static_cast<Int128>(value);
}

// Adds `count` numbers around origin + mean. long double holds all 64-bit integers exactly.
void merge_spread(Moments* into, double count, long double origin, double mean, double m2) {
  if (count == 0) return;
  if (into->count == 0) {
    into->origin = origin;
    into->mean = 0;
  }
  const auto before = static_cast<double>(into->count);
  const double total = before + count;
  const double delta = static_cast<double>(origin - into->origin) + mean - into->mean;
  into->m2 += m2 + delta * delta * before * count / total;
  into->mean += delta * count / total;
}

void add_reals(const std::uint64_t* values, std::size_t n, Moments* moments) {
  Moments part;
  part.records = n;
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = std::bit_cast<double>(values[i]);
    if (std::isnan(v)) continue;
    const std::uint64_t key = key_of_real(v);
    part.least = std::min(part.least, key);
    part.greatest = std::max(part.greatest, key);
    part.real_sum += v;
    ++part.count;
  }
  if (part.count != 0) {
    part.origin = part.real_sum / static_cast<long double>(part.count);
    const auto mean = static_cast<double>(part.origin);
    for (std::size_t i = 0; i < n; ++i) {
      const double d = std::bit_cast<double>(values[i]) - mean;
      if (!std::isnan(d)) part.m2 += d * d;
    }
  }
  moments->merge(part);
}

void add_packed(NumberKind kind, const Numbers& numbers, const MomentNeeds& needs, Moments* moments) {
  const std::size_t n = numbers.n;
  if (n == 0) return;
  if (needs.extremes) {
    std::uint32_t least = UINT32_MAX;
    std::uint32_t greatest = 0;
    extremes_of(numbers.offsets, n, &least, &greatest);
    const std::uint64_t base = numbers.base ^ flip_of(kind);
    moments->least = std::min(moments->least, base + least * numbers.factor);
    moments->greatest = std::max(moments->greatest, base + greatest * numbers.factor);
  }
  if (needs.sum) {
    moments->sum += widened(kind, numbers.base) * static_cast<Int128>(n) +
                    static_cast<Int128>(sum_of(numbers.offsets, n)) * numbers.factor;
  }
  if (needs.spread) {
    double sum = 0;
    double square = 0;
    squares_of(numbers.offsets, n, &sum, &square);
    const auto count = static_cast<double>(n);
    const auto factor = static_cast<double>(numbers.factor);
    merge_spread(moments, count, static_cast<long double>(widened(kind, numbers.base)), factor * sum / count,
                 factor * factor * std::max(0.0, square - sum * sum / count));
  }
  moments->count += n;
  moments->records += n;
}

void add_integers(NumberKind kind, const std::uint64_t* values, std::size_t n, const MomentNeeds& needs,
                  Moments* moments) {
  if (n == 0) return;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t greatest = 0;
  if (needs.extremes || needs.spread) {
    extremes_of(values, n, flip_of(kind), &least, &greatest);
    if (needs.extremes) moments->least = std::min(moments->least, least);
    if (needs.extremes) moments->greatest = std::max(moments->greatest, greatest);
  }
  if (needs.sum) {
    std::uint64_t low = 0;
    std::int64_t high = 0;
    sum_halves(values, n, &low, &high);
    moments->sum += (Int128{high} << 32) + low;
    // Unsigned values above 2^63 were taken for negative ones: they lack 2^64 each.
    if (kind == NumberKind::kUnsigned)
      moments->sum += static_cast<Int128>(n - count_below(values, n, 0, kSignBit)) << 64;
  }
  if (needs.spread && greatest - least >= kSignBit) {  // distances of more than 63 bits
    Moments one;
    for (std::size_t i = 0; i < n; ++i) one.add(kind, values[i] ^ flip_of(kind), {.spread = true});
    merge_spread(moments, static_cast<double>(n), one.origin, one.mean, one.m2);
  } else if (needs.spread) {
    double sum = 0;
    double square = 0;
    squares_of(values, n, values[0], &sum, &square);
    const auto count = static_cast<double>(n);
    merge_spread(moments, count, static_cast<long double>(widened(kind, values[0])), sum / count,
                 std::max(0.0, square - sum * sum / count));
  }
  moments->count += n;
  moments->records += n;
}

}  // namespace

void Moments::merge(const Moments& other) {
  merge_spread(this, static_cast<double>(other.count), other.origin, other.mean, other.m2);
  records += other.records;
  count += other.count;
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  sum += other.sum;
  real_sum += other.real_sum;
}

void Moments::add(NumberKind kind, std::uint64_t key, const MomentNeeds& needs) {
  if (needs.extremes) {
    least = std::min(least, key);
    greatest = std::max(greatest, key);
  }
  if (needs.sum || needs.spread) {
    long double value;
    if (kind == NumberKind::kReal) {
      value = real_of_key(key);
      real_sum += value;
    } else {
      const Int128 integer = widened(kind, key ^ flip_of(kind));
      sum += integer;
      value = static_cast<long double>(integer);
    }
    if (needs.spread) merge_spread(this, 1, value, 0, 0);
  }
  ++records;
  ++count;
}

Cell Moments::sum_cell(NumberKind kind) const {
  if (kind == NumberKind::kReal) return Cell::of_real(static_cast<double>(real_sum));
  return Cell::of(sum);
}

double Moments::mean_value(NumberKind kind) const {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  const long double total = kind == NumberKind::kReal ? real_sum : static_cast<long double>(sum);
  return static_cast<double>(total / static_cast<long double>(count));
}

double Moments::deviation() const {
  return count < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(m2 / static_cast<double>(count - 1));
}

void add_numbers(NumberKind kind, const Numbers& numbers, const std::uint8_t* keep, const MomentNeeds& needs,
                 Moments* moments) {
  if (keep == nullptr) {
    if (numbers.offsets != nullptr) return add_packed(kind, numbers, needs, moments);
    if (kind == NumberKind::kReal) return add_reals(numbers.values, numbers.n, moments);
    return add_integers(kind, numbers.values, numbers.n, needs, moments);
  }
  Numbers kept = numbers;
  if (numbers.offsets != nullptr && !needs.extremes && !needs.spread) {
    kept.n = count_kept(keep, numbers.n);
    moments->sum += widened(kind, numbers.base) * static_cast<Int128>(kept.n) +
                    static_cast<Int128>(sum_of(numbers.offsets, keep, numbers.n)) * numbers.factor;
    moments->count += kept.n;
    moments->records += kept.n;
    return;
  }
  std::uint64_t values[kMiniBlock];
  std::uint32_t offsets[kMiniBlock];
  if (numbers.offsets != nullptr) {
    kept.n = compact(numbers.offsets, keep, numbers.n, offsets);
    kept.offsets = offsets;
  } else {
    kept.n = compact(numbers.values, keep, numbers.n, values);
    kept.values = values;
  }
  add_numbers(kind, kept, nullptr, needs, moments);
}

}  // namespace steno::query
