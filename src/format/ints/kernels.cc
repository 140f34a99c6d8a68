#include "format/ints/kernels.h"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "format/multiversion.h"

namespace steno::format {
namespace {

// Vectors of the compiler's own type, kBytes long, where auto-vectorisation picks a worse shape. Signed, because SSE2
// and AVX2 compare nothing else: unsigned order is had by flipping sign bits. Never passed by value: how depends on the
// level.
template <class T, std::size_t kBytes>
struct VectorOf;
template <>
struct VectorOf<std::uint32_t, 16> {
  using Type __attribute__((vector_size(16))) = std::int32_t;
};
template <>
struct VectorOf<std::uint32_t, 32> {
  using Type __attribute__((vector_size(32))) = std::int32_t;
};
template <>
struct VectorOf<std::uint64_t, 16> {
  using Type __attribute__((vector_size(16))) = std::int64_t;
};
template <>
struct VectorOf<std::uint64_t, 32> {
  using Type __attribute__((vector_size(32))) = std::int64_t;
};

template <class T>
constexpr std::make_signed_t<T> kSignBit = std::numeric_limits<std::make_signed_t<T>>::min();

template <std::size_t kBytes, class T>
STENO_INLINE void lane_extents_of(const T* values, T flip, T* low, T* high) {
  using Vector = typename VectorOf<T, kBytes>::Type;
  constexpr std::size_t kStep = kBytes / sizeof(T);
  constexpr std::size_t kParts = kLanes / kStep;  // of a row; side by side, for they wait for one another
  const std::make_signed_t<T> to_signed = static_cast<std::make_signed_t<T>>(flip) ^ kSignBit<T>;
  Vector least[kParts];
  Vector greatest[kParts];
  for (std::size_t part = 0; part < kParts; ++part) {
    std::memcpy(&least[part], values + part * kStep, kBytes);
    least[part] ^= to_signed;
    greatest[part] = least[part];
  }
  for (std::size_t row = kLanes; row < kMiniBlock; row += kLanes) {
    for (std::size_t part = 0; part < kParts; ++part) {
      Vector v;
      std::memcpy(&v, values + row + part * kStep, kBytes);
      v ^= to_signed;
      least[part] = v < least[part] ? v : least[part];
      greatest[part] = v > greatest[part] ? v : greatest[part];
    }
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    least[part] ^= kSignBit<T>;
    greatest[part] ^= kSignBit<T>;
    std::memcpy(low + part * kStep, &least[part], kBytes);
    std::memcpy(high + part * kStep, &greatest[part], kBytes);
  }
}

template <std::size_t kBytes, class T>
STENO_INLINE void count_wider_of(const T* values, unsigned first, std::uint32_t* counts) {
  using Vector = typename VectorOf<T, kBytes>::Type;
  std::make_signed_t<T> below[4];  // the greatest value that is not wider, in flipped order
  for (unsigned k = 0; k < 4; ++k) {
    below[k] = static_cast<std::make_signed_t<T>>((T{1} << (first + k)) - 1) ^ kSignBit<T>;
  }
  Vector wider[4] = {};
  for (std::size_t i = 0; i < kMiniBlock; i += kBytes / sizeof(T)) {
    Vector v;
    std::memcpy(&v, values + i, kBytes);
    v ^= kSignBit<T>;
    wider[0] -= v > below[0];  // a true lane is all ones
    wider[1] -= v > below[1];
    wider[2] -= v > below[2];
    wider[3] -= v > below[3];
  }
  for (std::size_t k = 0; k < 4; ++k) {
    std::make_signed_t<T> sum = 0;
    for (std::size_t lane = 0; lane < kBytes / sizeof(T); ++lane) sum += wider[k][lane];
    counts[k] = static_cast<std::uint32_t>(sum);
  }
}

template <std::size_t kBytes>
STENO_INLINE void divide_exactly_by(const std::uint32_t* offsets, std::uint32_t inverse, unsigned shift,
                                    std::uint32_t* quotients, std::uint32_t* high) {
  using Vector = typename VectorOf<std::uint32_t, kBytes>::Type;
  using Unsigned __attribute__((vector_size(kBytes))) = std::uint32_t;
  constexpr std::size_t kStep = kBytes / sizeof(std::uint32_t);
  const unsigned up = (32 - shift) & 31;
  for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
    Vector greatest = Vector{} + kSignBit<std::uint32_t>;
    for (std::size_t i = lane; i < kMiniBlock; i += kLanes) {
      Unsigned q;
      std::memcpy(&q, offsets + i, kBytes);
      q *= inverse;
      q = q >> shift | q << up;
      std::memcpy(quotients + i, &q, kBytes);
      const Vector flipped = reinterpret_cast<Vector>(q) ^ kSignBit<std::uint32_t>;
      greatest = flipped > greatest ? flipped : greatest;
    }
    greatest ^= kSignBit<std::uint32_t>;
    std::memcpy(high + lane, &greatest, kBytes);
  }
}

STENO_WITH_AVX2 void lane_extents_avx2(const std::uint32_t* values, std::uint32_t flip, std::uint32_t* low,
                                       std::uint32_t* high) {
  lane_extents_of<kWideVector>(values, flip, low, high);
}

STENO_WITH_AVX2 void lane_extents_avx2(const std::uint64_t* values, std::uint64_t flip, std::uint64_t* low,
                                       std::uint64_t* high) {
  lane_extents_of<kWideVector>(values, flip, low, high);
}

STENO_WITH_AVX2 void divide_exactly_avx2(const std::uint32_t* offsets, std::uint32_t inverse, unsigned shift,
                                         std::uint32_t* quotients, std::uint32_t* high) {
  divide_exactly_by<kWideVector>(offsets, inverse, shift, quotients, high);
}

STENO_WITH_AVX2 void count_wider_avx2(const std::uint32_t* values, unsigned first, std::uint32_t* counts) {
  count_wider_of<kWideVector>(values, first, counts);
}

STENO_WITH_AVX2 void count_wider_avx2(const std::uint64_t* values, unsigned first, std::uint32_t* counts) {
  count_wider_of<kWideVector>(values, first, counts);
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

void lane_extents(const std::uint32_t* values, std::uint32_t flip, std::uint32_t* low, std::uint32_t* high) {
  have_avx2() ? lane_extents_avx2(values, flip, low, high) : lane_extents_of<kBaselineVector>(values, flip, low, high);
}

void lane_extents(const std::uint64_t* values, std::uint64_t flip, std::uint64_t* low, std::uint64_t* high) {
  have_avx2() ? lane_extents_avx2(values, flip, low, high) : lane_extents_of<kBaselineVector>(values, flip, low, high);
}

void divide_exactly(const std::uint32_t* offsets, std::uint32_t inverse, unsigned shift, std::uint32_t* quotients,
                    std::uint32_t* high) {
  have_avx2() ? divide_exactly_avx2(offsets, inverse, shift, quotients, high)
              : divide_exactly_by<kBaselineVector>(offsets, inverse, shift, quotients, high);
}

void count_wider(const std::uint32_t* values, unsigned first, std::uint32_t* counts) {
  have_avx2() ? count_wider_avx2(values, first, counts) : count_wider_of<kBaselineVector>(values, first, counts);
}

void count_wider(const std::uint64_t* values, unsigned first, std::uint32_t* counts) {
  have_avx2() ? count_wider_avx2(values, first, counts) : count_wider_of<kBaselineVector>(values, first, counts);
}

STENO_MULTIVERSION(void, subtract,
                   (const std::uint32_t* __restrict values, std::uint32_t base, std::uint32_t* __restrict offsets),
                   (values, base, offsets)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) offsets[i] = values[i] - base;
}

STENO_MULTIVERSION(void, subtract,
                   (const std::uint64_t* __restrict values, std::uint64_t base, std::uint64_t* __restrict offsets),
                   (values, base, offsets)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) offsets[i] = values[i] - base;
}

STENO_MULTIVERSION(void, subtract,
                   (const std::uint64_t* __restrict values, std::uint64_t base, std::uint32_t* __restrict offsets),
                   (values, base, offsets)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) offsets[i] = static_cast<std::uint32_t>(values[i] - base);
}

STENO_MULTIVERSION(std::uint64_t, subtract_near,
                   (const std::uint64_t* __restrict values, std::uint64_t base, std::uint32_t* __restrict offsets),
                   (values, base, offsets)) {
  std::uint64_t far = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) {
    const std::uint64_t d = values[i] - base;
    far |= (d + 0x8000'0000) >> 32;
    offsets[i] = static_cast<std::uint32_t>(d);
  }
  return far;
}

STENO_MULTIVERSION(void, differences, (const std::uint32_t* __restrict values, std::uint32_t* __restrict d),
                   (values, d)) {
  for (std::size_t i = 1; i < kMiniBlock; ++i) d[i] = values[i] - values[i - 1];
  d[0] = d[1];
}

STENO_MULTIVERSION(void, differences, (const std::uint64_t* __restrict values, std::uint64_t* __restrict d),
                   (values, d)) {
  for (std::size_t i = 1; i < kMiniBlock; ++i) d[i] = values[i] - values[i - 1];
  d[0] = d[1];
}

STENO_MULTIVERSION(void, flag_wider,
                   (const std::uint32_t* __restrict values, unsigned width, std::uint8_t* __restrict flags),
                   (values, width, flags)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) flags[i] = (values[i] >> width) != 0;
}

STENO_MULTIVERSION(void, flag_wider,
                   (const std::uint64_t* __restrict values, unsigned width, std::uint8_t* __restrict flags),
                   (values, width, flags)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) flags[i] = (values[i] >> width) != 0;
}

STENO_MULTIVERSION(void, mask_all, (std::uint32_t * values, std::uint32_t mask), (values, mask)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) values[i] &= mask;
}

STENO_MULTIVERSION(void, split,
                   (const std::uint64_t* __restrict values, std::uint32_t* __restrict low,
                    std::uint32_t* __restrict high),
                   (values, low, high)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) low[i] = static_cast<std::uint32_t>(values[i]);
  for (std::size_t i = 0; i < kMiniBlock; ++i) high[i] = static_cast<std::uint32_t>(values[i] >> 32);
}

STENO_MULTIVERSION(std::uint64_t, unlike, (const std::uint32_t* values, std::uint32_t first), (values, first)) {
  return unlike_of(values, first);
}

STENO_MULTIVERSION(std::uint64_t, unlike, (const std::uint64_t* values, std::uint64_t first), (values, first)) {
  return unlike_of(values, first);
}

STENO_MULTIVERSION(std::uint64_t, beyond, (const std::uint64_t* values, std::uint64_t low, std::uint64_t span),
                   (values, low, span)) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) any |= values[i] - low > span ? 1 : 0;
  return any;
}

STENO_MULTIVERSION(void, scale_and_add,
                   (const std::uint32_t* __restrict offsets, std::uint64_t factor, std::uint64_t base,
                    std::uint64_t* __restrict out),
                   (offsets, factor, base, out)) {
  if (factor == 1) {
    for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + offsets[i];
  } else {
    for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + offsets[i] * factor;
  }
}

STENO_MULTIVERSION(void, scale_and_add,
                   (const std::uint64_t* __restrict offsets, std::uint64_t factor, std::uint64_t base,
                    std::uint64_t* __restrict out),
                   (offsets, factor, base, out)) {
  for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + offsets[i] * factor;
}

STENO_MULTIVERSION(void, join_and_add,
                   (const std::uint32_t* __restrict low, const std::uint32_t* __restrict high, std::uint64_t factor,
                    std::uint64_t base, std::uint64_t* __restrict out),
                   (low, high, factor, base, out)) {
  if (factor == 1) {
    for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + (std::uint64_t{high[i]} << 32 | low[i]);
  } else {
    for (std::size_t i = 0; i < kMiniBlock; ++i) out[i] = base + (std::uint64_t{high[i]} << 32 | low[i]) * factor;
  }
}

STENO_MULTIVERSION(std::uint32_t, decimals_from_f64,
                   (const std::uint64_t* __restrict bits, double scale, std::uint64_t* __restrict integers,
                    std::uint8_t* __restrict bad),
                   (bits, scale, integers, bad)) {
  std::uint64_t wrong[kMiniBlock];
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) {
    const double scaled = std::bit_cast<double>(bits[i]) * scale + kRounder;
    const double rounded = scaled - kRounder;
    // Not `&&`: a branch would keep the loop scalar. A NaN is not inside.
    const std::uint64_t differs = std::bit_cast<std::uint64_t>(rounded / scale) ^ bits[i];
    const std::uint64_t outside = ((rounded <= kGreatest) & (rounded >= -kGreatest)) ? 0 : 1;
    integers[i] = std::bit_cast<std::uint64_t>(scaled) - kRounderBits;
    wrong[i] = (differs | outside) != 0 ? 1 : 0;
    count += wrong[i];
  }
  for (std::size_t i = 0; i < kMiniBlock; ++i) bad[i] = static_cast<std::uint8_t>(wrong[i]);
  return static_cast<std::uint32_t>(count);
}

STENO_MULTIVERSION(std::uint32_t, decimals_from_f32,
                   (const std::uint32_t* __restrict bits, double scale, std::uint64_t* __restrict integers,
                    std::uint8_t* __restrict bad),
                   (bits, scale, integers, bad)) {
  std::uint32_t wrong[kMiniBlock];
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kMiniBlock; ++i) {
    const double scaled = static_cast<double>(std::bit_cast<float>(bits[i])) * scale + kRounder;
    const double rounded = scaled - kRounder;
    const std::uint32_t differs = std::bit_cast<std::uint32_t>(static_cast<float>(rounded / scale)) ^ bits[i];
    const std::uint32_t outside = ((rounded <= kGreatest) & (rounded >= -kGreatest)) ? 0 : 1;
    integers[i] = std::bit_cast<std::uint64_t>(scaled) - kRounderBits;
    wrong[i] = (differs | outside) != 0 ? 1 : 0;
    count += wrong[i];
  }
  for (std::size_t i = 0; i < kMiniBlock; ++i) bad[i] = static_cast<std::uint8_t>(wrong[i]);
  return count;
}

}  // namespace steno::format
