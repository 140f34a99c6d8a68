#include "query/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/codecs/multiversion.h"
#include "query/kernels.h"

namespace steno::query {
namespace {

// Sums of the low and the high halves: n below 2^31 of each do not overflow.
struct Halves {
  std::uint64_t low = 0;
  std::int64_t high = 0;
};

STENO_MULTIVERSION void sum_signed(const std::uint64_t* values, std::size_t n, std::uint64_t* low, std::int64_t* high) {
  std::uint64_t l = 0;
  std::int64_t h = 0;
  for (std::size_t i = 0; i < n; ++i) {
    l += values[i] & 0xFFFFFFFF;
    h += static_cast<std::int64_t>(values[i]) >> 32;
  }
  *low = l;
  *high = h;
}

STENO_MULTIVERSION void extremes(const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t* least,
                                 std::uint64_t* greatest) {
  auto low = static_cast<std::int64_t>(*least ^ kSignBit);
  auto high = static_cast<std::int64_t>(*greatest ^ kSignBit);
  const std::uint64_t to_signed = flip ^ kSignBit;
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = static_cast<std::int64_t>(values[i] ^ to_signed);
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  *least = static_cast<std::uint64_t>(low) ^ kSignBit;
  *greatest = static_cast<std::uint64_t>(high) ^ kSignBit;
}

// Of the distances from `base`.
STENO_MULTIVERSION void squares(const std::uint64_t* values, std::size_t n, std::uint64_t base, double* sum,
                                double* square) {
  constexpr std::size_t kParts = 8;  // side by side: additions of doubles are not reordered by the compiler
  double s[kParts] = {};
  double q[kParts] = {};
  std::size_t i = 0;
  for (; i + kParts <= n; i += kParts) {
    for (std::size_t k = 0; k < kParts; ++k) {
      const auto d = static_cast<double>(static_cast<std::int64_t>(values[i + k] - base));
      s[k] += d;
      q[k] += d * d;
    }
  }
  for (; i < n; ++i) {
    const auto d = static_cast<double>(static_cast<std::int64_t>(values[i] - base));
    s[0] += d;
    q[0] += d * d;
  }
  for (std::size_t k = 0; k < kParts; ++k) {
    *sum += s[k];
    *square += q[k];
  }
}

void merge_spread(Moments* into, double count, double mean, double m2) {
  if (count == 0) return;
  const auto before = static_cast<double>(into->count);
  const double total = before + count;
  const double delta = mean - into->mean;
  into->m2 += m2 + delta * delta * before * count / total;
  into->mean += delta * count / total;
}

void add_reals(const std::uint64_t* values, std::size_t n, Moments* moments) {
  Moments part;
  part.records = n;
  double sum = 0;
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
    part.mean = static_cast<double>(part.real_sum / static_cast<long double>(part.count));
    for (std::size_t i = 0; i < n; ++i) {
      const double d = std::bit_cast<double>(values[i]) - part.mean;
      if (!std::isnan(d)) sum += d * d;
    }
    part.m2 = sum;
  }
  moments->merge(part);
}

void add_integers(NumberKind kind, const std::uint64_t* values, std::size_t n, const MomentNeeds& needs,
                  Moments* moments) {
  if (n == 0) return;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t greatest = 0;
  if (needs.extremes || needs.spread) {
    extremes(values, n, flip_of(kind), &least, &greatest);
    if (needs.extremes) moments->least = std::min(moments->least, least);
    if (needs.extremes) moments->greatest = std::max(moments->greatest, greatest);
  }
  if (needs.sum || needs.spread) {
    Halves halves;
    sum_signed(values, n, &halves.low, &halves.high);
    // Of unsigned values the high half was taken for signed; those above 2^63 lack 2^64 each.
    text::Int128 sum = (text::Int128{halves.high} << 32) + halves.low;
    if (kind == NumberKind::kUnsigned) {
      for (std::size_t i = 0; i < n; ++i) sum += text::Int128{static_cast<std::int64_t>(values[i]) < 0 ? 1 : 0} << 64;
    }
    moments->sum += sum;
  }
  if (needs.spread && greatest - least >= kSignBit) {  // distances need more than 63 bits
    Moments one;
    for (std::size_t i = 0; i < n; ++i) one.add(kind, values[i] ^ flip_of(kind));
    merge_spread(moments, static_cast<double>(n), one.mean, one.m2);
  } else if (needs.spread) {
    const std::uint64_t base = values[0];
    double sum = 0;
    double square = 0;
    squares(values, n, base, &sum, &square);
    const auto count = static_cast<double>(n);
    const double base_value = kind == NumberKind::kSigned ? static_cast<double>(static_cast<std::int64_t>(base))
                                                          : static_cast<double>(base);
    merge_spread(moments, count, base_value + sum / count, std::max(0.0, square - sum * sum / count));
  }
  moments->count += n;
  moments->records += n;
}

}  // namespace

void Moments::merge(const Moments& other) {
  merge_spread(this, static_cast<double>(other.count), other.mean, other.m2);
  records += other.records;
  count += other.count;
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  sum += other.sum;
  real_sum += other.real_sum;
}

void Moments::add(NumberKind kind, std::uint64_t key) {
  double value;
  if (kind == NumberKind::kReal) {
    value = real_of_key(key);
    real_sum += value;
  } else {
    const text::Int128 integer =
        kind == NumberKind::kSigned ? text::Int128{static_cast<std::int64_t>(key ^ kSignBit)} : static_cast<text::Int128>(key);
    sum += integer;
    value = static_cast<double>(integer);
  }
  merge_spread(this, 1, value, 0);
  ++records;
  ++count;
  least = std::min(least, key);
  greatest = std::max(greatest, key);
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

void add_column(NumberKind kind, const std::uint64_t* values, std::size_t n, const std::uint8_t* keep,
                const MomentNeeds& needs, Moments* moments) {
  if (keep == nullptr) {
    kind == NumberKind::kReal ? add_reals(values, n, moments) : add_integers(kind, values, n, needs, moments);
    return;
  }
  constexpr std::size_t kPart = 256;
  std::uint64_t packed[kPart];
  for (std::size_t at = 0; at < n; at += kPart) {
    const std::size_t size = std::min(kPart, n - at);
    const std::size_t m = compact(values + at, keep + at, size, packed);
    add_column(kind, packed, m, nullptr, needs, moments);
  }
}

}  // namespace steno::query
