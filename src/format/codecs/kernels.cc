#include "format/codecs/kernels.h"

#include <bit>
#include <cstring>

#include "format/codecs/multiversion.h"

namespace steno::format {
namespace {

constexpr std::size_t kRows = kMiniBlock / kLanes;

// A row of eight lanes as one value of the compiler's vector extension, where auto-vectorisation picks a worse shape. Never passed
// by value: how depends on the architecture level.
template <class T>
struct RowOf;
template <>
struct RowOf<std::uint32_t> {
  using Type __attribute__((vector_size(kLanes * 4))) = std::uint32_t;
};
template <>
struct RowOf<std::uint64_t> {
  using Type __attribute__((vector_size(kLanes * 8))) = std::uint64_t;
};

template <class T>
STENO_INLINE void lane_extents_of(const T* values, T flip, T* low, T* high) {
  using Row = typename RowOf<T>::Type;
  Row least;
  std::memcpy(&least, values, sizeof least);
  least ^= flip;
  Row greatest = least;
  for (std::size_t row = 1; row < kRows; ++row) {
    Row v;
    std::memcpy(&v, values + row * kLanes, sizeof v);
    v ^= flip;
    least = v < least ? v : least;
    greatest = v > greatest ? v : greatest;
  }
  std::memcpy(low, &least, sizeof least);
  std::memcpy(high, &greatest, sizeof greatest);
}

template <class T>
STENO_INLINE void count_wider_of(const T* values, unsigned first, std::uint32_t* counts) {
  using Row = typename RowOf<T>::Type;
  Row narrow0 = {};
  Row narrow1 = {};
  Row narrow2 = {};
  Row narrow3 = {};
  for (std::size_t row = 0; row < kRows; ++row) {
    Row v;
    std::memcpy(&v, values + row * kLanes, sizeof v);
    v >>= first;
    narrow0 -= v == 0;  // a true lane is all ones
    narrow1 -= (v >> 1) == 0;
    narrow2 -= (v >> 2) == 0;
    narrow3 -= (v >> 3) == 0;
  }
  T sums[4] = {};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums[0] += narrow0[lane];
    sums[1] += narrow1[lane];
    sums[2] += narrow2[lane];
    sums[3] += narrow3[lane];
  }
  for (std::size_t k = 0; k < 4; ++k) counts[k] = static_cast<std::uint32_t>(kMiniBlock - sums[k]);
}

template <class T>
STENO_INLINE std::uint64_t unlike_of(const T* values, T first) {
  T all = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) all |= values[i] ^ first;
  return all;
}

// 1.5 * 2^52: adding it leaves a double's rounded integer in its low bits, for magnitudes up to 2^51.
constexpr double kRounder = 6755399441055744.0;
constexpr std::uint64_t kRounderBits = std::bit_cast<std::uint64_t>(kRounder);
constexpr double kGreatest = 2251799813685248.0;  // 2^51

}  // namespace

STENO_MULTIVERSION void lane_extents(const std::uint32_t* values, std::uint32_t flip, std::uint32_t* low,
                                     std::uint32_t* high) {
  lane_extents_of(values, flip, low, high);
}

STENO_MULTIVERSION void lane_extents(const std::uint64_t* values, std::uint64_t flip, std::uint64_t* low,
                                     std::uint64_t* high) {
  lane_extents_of(values, flip, low, high);
}

STENO_MULTIVERSION void subtract(const std::uint32_t* __restrict values, std::uint32_t base,
                                 std::uint32_t* __restrict offsets) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) offsets[i] = values[i] - base;
}

STENO_MULTIVERSION void subtract(const std::uint64_t* __restrict values, std::uint64_t base,
                                 std::uint64_t* __restrict offsets) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) offsets[i] = values[i] - base;
}

STENO_MULTIVERSION void subtract(const std::uint64_t* __restrict values, std::uint64_t base,
                                 std::uint32_t* __restrict offsets) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) offsets[i] = static_cast<std::uint32_t>(values[i] - base);
}

STENO_MULTIVERSION void differences(const std::uint32_t* __restrict values, std::uint32_t* __restrict d) {
  for (std::size_t i = 1; i < kMiniBlock; ++i) d[i] = values[i] - values[i - 1];
  d[0] = d[1];
}

STENO_MULTIVERSION void differences(const std::uint64_t* __restrict values, std::uint64_t* __restrict d) {
  for (std::size_t i = 1; i < kMiniBlock; ++i) d[i] = values[i] - values[i - 1];
  d[0] = d[1];
}

STENO_MULTIVERSION void divide_exactly(const std::uint32_t* __restrict offsets, std::uint32_t inverse, unsigned shift,
                                       std::uint32_t* __restrict quotients, std::uint32_t* __restrict high) {
  using Row = RowOf<std::uint32_t>::Type;
  const unsigned up = (32 - shift) & 31;
  Row greatest = {};
  for (std::size_t row = 0; row < kRows; ++row) {
    Row q;
    std::memcpy(&q, offsets + row * kLanes, sizeof q);
    q *= inverse;
    q = q >> shift | q << up;
    std::memcpy(quotients + row * kLanes, &q, sizeof q);
    greatest = q > greatest ? q : greatest;
  }
  std::memcpy(high, &greatest, sizeof greatest);
}

STENO_MULTIVERSION void count_wider(const std::uint32_t* values, unsigned first, std::uint32_t* counts) {
  count_wider_of(values, first, counts);
}

STENO_MULTIVERSION void count_wider(const std::uint64_t* values, unsigned first, std::uint32_t* counts) {
  count_wider_of(values, first, counts);
}

STENO_MULTIVERSION void flag_wider(const std::uint32_t* __restrict values, unsigned width,
                                   std::uint8_t* __restrict flags) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) flags[i] = (values[i] >> width) != 0;
}

STENO_MULTIVERSION void flag_wider(const std::uint64_t* __restrict values, unsigned width,
                                   std::uint8_t* __restrict flags) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) flags[i] = (values[i] >> width) != 0;
}

STENO_MULTIVERSION void mask_all(std::uint32_t* values, std::uint32_t mask) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) values[i] &= mask;
}

STENO_MULTIVERSION void split(const std::uint64_t* __restrict values, std::uint32_t* __restrict low,
                              std::uint32_t* __restrict high) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) low[i] = static_cast<std::uint32_t>(values[i]);
  for (std::size_t i = 0; i < kMiniBlock; ++i) high[i] = static_cast<std::uint32_t>(values[i] >> 32);
}

STENO_MULTIVERSION std::uint64_t unlike(const std::uint32_t* values, std::uint32_t first) {
  return unlike_of(values, first);
}

STENO_MULTIVERSION std::uint64_t unlike(const std::uint64_t* values, std::uint64_t first) {
  return unlike_of(values, first);
}

STENO_MULTIVERSION void scale_and_add(const std::uint32_t* __restrict offsets, std::uint64_t factor, std::uint64_t base,
                                      std::uint64_t* __restrict out) {
  if (factor == 1) {
    for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + offsets[i];
  } else {
    for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + offsets[i] * factor;
  }
}

STENO_MULTIVERSION void scale_and_add(const std::uint64_t* __restrict offsets, std::uint64_t factor, std::uint64_t base,
                                      std::uint64_t* __restrict out) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + offsets[i] * factor;
}

STENO_MULTIVERSION std::uint32_t decimals_from_f64(const std::uint64_t* __restrict bits, double scale,
                                                   std::uint64_t* __restrict integers, std::uint8_t* __restrict bad) {
  std::uint64_t wrong[kMiniBlock];
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) {
    const double scaled = std::bit_cast<double>(bits[i]) * scale + kRounder;
    const double rounded = scaled - kRounder;
    // Not `&&`: a branch would keep the loop scalar. A NaN is not inside.
    const std::uint64_t differs = std::bit_cast<std::uint64_t>(rounded / scale) ^ bits[i];
    const std::uint64_t outside = (rounded <= kGreatest) & (rounded >= -kGreatest) ? 0 : 1;
    integers[i] = std::bit_cast<std::uint64_t>(scaled) - kRounderBits;
    wrong[i] = (differs | outside) != 0 ? 1 : 0;
    count += wrong[i];
  }
  for (std::size_t i = 0; i < kMiniBlock; ++i) bad[i] = static_cast<std::uint8_t>(wrong[i]);
  return static_cast<std::uint32_t>(count);
}

STENO_MULTIVERSION std::uint32_t decimals_from_f32(const std::uint32_t* __restrict bits, double scale,
                                                   std::uint64_t* __restrict integers, std::uint8_t* __restrict bad) {
  std::uint32_t wrong[kMiniBlock];
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) {
    const double scaled = static_cast<double>(std::bit_cast<float>(bits[i])) * scale + kRounder;
    const double rounded = scaled - kRounder;
    const std::uint32_t differs = std::bit_cast<std::uint32_t>(static_cast<float>(rounded / scale)) ^ bits[i];
    const std::uint32_t outside = (rounded <= kGreatest) & (rounded >= -kGreatest) ? 0 : 1;
    integers[i] = std::bit_cast<std::uint64_t>(scaled) - kRounderBits;
    wrong[i] = (differs | outside) != 0 ? 1 : 0;
    count += wrong[i];
  }
  for (std::size_t i = 0; i < kMiniBlock; ++i) bad[i] = static_cast<std::uint8_t>(wrong[i]);
  return count;
}

}  // namespace steno::format
