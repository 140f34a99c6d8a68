#include "query/search/kernels.h"

#include "format/multiversion.h"
#include "query/by_blocks.h"

namespace steno::query {
namespace {

template <class T>
STENO_INLINE void keep_in_range_of(const T* __restrict values, std::size_t n, T low, T span, std::uint8_t inverted,
                                   std::uint8_t* __restrict keep) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    const T* v = values + first;
    std::uint8_t* k = keep + first;
    for (std::size_t i = 0; i < count; ++i) {
      const auto inside = static_cast<std::uint8_t>(static_cast<T>(v[i] - low) <= span ? 1 : 0);
      k[i] = static_cast<std::uint8_t>(k[i] & (inside ^ inverted));
    }
  });
}

// Side by side, for additions of doubles are not reordered by the compiler.
constexpr std::size_t kParts = 8;

template <class T, class ToDouble>
STENO_INLINE void squares_by(const T* values, std::size_t n, double* sum, double* square, ToDouble to_double) {
  double s[kParts] = {};
  double q[kParts] = {};
  std::size_t i = 0;
  for (; i + kParts <= n; i += kParts) {
    for (std::size_t k = 0; k < kParts; ++k) {
      const double d = to_double(values[i + k]);
      s[k] += d;
      q[k] += d * d;
    }
  }
  for (; i < n; ++i) {
    const double d = to_double(values[i]);
    s[0] += d;
    q[0] += d * d;
  }
  for (std::size_t k = 0; k < kParts; ++k) {
    *sum += s[k];
    *square += q[k];
  }
}

}  // namespace

STENO_MULTIVERSION(void, keep_in_range,
                   (const std::uint64_t* values, std::size_t n, std::uint64_t low, std::uint64_t span,
                    std::uint8_t inverted, std::uint8_t* keep),
                   (values, n, low, span, inverted, keep)) {
  keep_in_range_of(values, n, low, span, inverted, keep);
}

STENO_MULTIVERSION(void, keep_in_range,
                   (const std::uint32_t* values, std::size_t n, std::uint32_t low, std::uint32_t span,
                    std::uint8_t inverted, std::uint8_t* keep),
                   (values, n, low, span, inverted, keep)) {
  keep_in_range_of(values, n, low, span, inverted, keep);
}

// By each of the few that are searched for; a table, a value at a time, for many.
STENO_MULTIVERSION(void, keep_among_few,
                   (const std::uint8_t* __restrict states, std::size_t n, const std::uint8_t* few, std::size_t size,
                    std::uint8_t* __restrict keep),
                   (states, n, few, size, keep)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint8_t hits[format::kMiniBlock];
    for (std::size_t i = 0; i < count; ++i) hits[i] = 0;
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        hits[i] = static_cast<std::uint8_t>(hits[i] | (states[first + i] == few[k] ? 1 : 0));
      }
    }
    for (std::size_t i = 0; i < count; ++i) keep[first + i] = static_cast<std::uint8_t>(keep[first + i] & hits[i]);
  });
}

void keep_among(const std::uint8_t* states, std::size_t n, const StateSet& among, std::uint8_t* keep) {
  constexpr std::size_t kFew = 8;
  std::uint8_t few[kFew];
  std::uint8_t table[256] = {};
  std::size_t size = 0;
  among.each([&](std::uint8_t state) {
    if (size < kFew) few[size] = state;
    table[state] = 1;
    ++size;
  });
  if (size <= kFew) return keep_among_few(states, n, few, size, keep);
  for (std::size_t i = 0; i < n; ++i) keep[i] = static_cast<std::uint8_t>(keep[i] & table[states[i]]);
}

void keep_by_code(const std::uint64_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep) {
  for (std::size_t i = 0; i < n; ++i) keep[i] = static_cast<std::uint8_t>(keep[i] & table[codes[i]]);
}

void keep_by_code(const std::uint32_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep) {
  for (std::size_t i = 0; i < n; ++i) keep[i] = static_cast<std::uint8_t>(keep[i] & table[codes[i]]);
}

STENO_MULTIVERSION(void, keep_either,
                   (const std::uint8_t* __restrict other, std::size_t n, std::uint8_t* __restrict keep),
                   (other, n, keep)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    for (std::size_t i = 0; i < count; ++i)
      keep[first + i] = static_cast<std::uint8_t>(keep[first + i] | other[first + i]);
  });
}

STENO_MULTIVERSION(void, keep_both,
                   (const std::uint8_t* __restrict other, std::size_t n, std::uint8_t* __restrict keep),
                   (other, n, keep)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    for (std::size_t i = 0; i < count; ++i)
      keep[first + i] = static_cast<std::uint8_t>(keep[first + i] & other[first + i]);
  });
}

STENO_MULTIVERSION(void, replace, (std::uint8_t from, std::uint8_t to, std::size_t n, std::uint8_t* bytes),
                   (from, to, n, bytes)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    for (std::size_t i = 0; i < count; ++i) bytes[first + i] = bytes[first + i] == from ? to : bytes[first + i];
  });
}

STENO_MULTIVERSION(void, choose,
                   (const std::uint8_t* __restrict found, std::uint8_t held, std::uint8_t other, std::uint8_t most,
                    std::size_t n, std::uint8_t* __restrict bytes),
                   (found, held, other, most, n, bytes)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t chosen = found[first + i] != 0 ? held : other;
      bytes[first + i] = bytes[first + i] <= most ? bytes[first + i] : chosen;
    }
  });
}

STENO_MULTIVERSION(std::size_t, count_kept, (const std::uint8_t* keep, std::size_t n), (keep, n)) {
  std::size_t total = 0;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint32_t part = 0;
    for (std::size_t i = 0; i < count; ++i) part += keep[first + i];
    total += part;
  });
  return total;
}

namespace {

// Without a branch: which are kept is not to be guessed.
template <class T>
std::size_t compact_values(const T* values, const std::uint8_t* keep, std::size_t n, T* out) {
  std::size_t m = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out[m] = values[i];
    m += keep[i];
  }
  return m;
}

}  // namespace

std::size_t compact(const std::uint64_t* values, const std::uint8_t* keep, std::size_t n, std::uint64_t* out) {
  return compact_values(values, keep, n, out);
}

std::size_t compact(const std::uint32_t* values, const std::uint8_t* keep, std::size_t n, std::uint32_t* out) {
  return compact_values(values, keep, n, out);
}

STENO_MULTIVERSION(std::size_t, count_below,
                   (const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t low),
                   (values, n, flip, low)) {
  std::uint64_t total = 0;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t part = 0;
    for (std::size_t i = 0; i < count; ++i) part += (values[first + i] ^ flip) < low ? 1 : 0;
    total += part;
  });
  return total;
}

STENO_MULTIVERSION(std::size_t, count_in_range,
                   (const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t low,
                    std::uint64_t span),
                   (values, n, flip, low, span)) {
  std::uint64_t total = 0;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t part = 0;
    for (std::size_t i = 0; i < count; ++i) part += (values[first + i] ^ flip) - low <= span ? 1 : 0;
    total += part;
  });
  return total;
}

STENO_MULTIVERSION(std::size_t, count_below, (const std::uint32_t* values, std::size_t n, std::uint32_t low),
                   (values, n, low)) {
  std::size_t total = 0;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint32_t part = 0;
    for (std::size_t i = 0; i < count; ++i) part += values[first + i] < low ? 1u : 0u;
    total += part;
  });
  return total;
}

// Few are in the range: rows without any are passed over.
STENO_MULTIVERSION(std::size_t, select_in_range,
                   (const std::uint32_t* values, std::size_t n, std::uint32_t low, std::uint32_t span,
                    std::uint32_t* out),
                   (values, n, low, span, out)) {
  std::size_t m = 0;
  std::size_t i = 0;
  for (; i + kRow <= n; i += kRow) {
    std::uint32_t part = 0;
    for (std::size_t k = 0; k < kRow; ++k) part += values[i + k] - low <= span ? 1u : 0u;
    if (part == 0) continue;
    for (std::size_t k = 0; k < kRow; ++k) {
      out[m] = values[i + k];
      m += values[i + k] - low <= span ? 1 : 0;
    }
  }
  for (; i < n; ++i) {
    out[m] = values[i];
    m += values[i] - low <= span ? 1 : 0;
  }
  return m;
}

STENO_MULTIVERSION(std::uint64_t, sum_of, (const std::uint32_t* values, std::size_t n), (values, n)) {
  std::uint64_t total = 0;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t part = 0;
    for (std::size_t i = 0; i < count; ++i) part += values[first + i];
    total += part;
  });
  return total;
}

STENO_MULTIVERSION(std::uint64_t, sum_of, (const std::uint32_t* values, const std::uint8_t* keep, std::size_t n),
                   (values, keep, n)) {
  std::uint64_t total = 0;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t part = 0;
    for (std::size_t i = 0; i < count; ++i) part += values[first + i] & (0u - keep[first + i]);
    total += part;
  });
  return total;
}

STENO_MULTIVERSION(void, sum_halves,
                   (const std::uint64_t* values, std::size_t n, std::uint64_t* low, std::int64_t* high),
                   (values, n, low, high)) {
  std::uint64_t all_low = 0;
  std::int64_t all_high = 0;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t l = 0;
    std::int64_t h = 0;
    for (std::size_t i = 0; i < count; ++i) {
      l += values[first + i] & 0xFFFFFFFF;
      h += static_cast<std::int64_t>(values[first + i]) >> 32;
    }
    all_low += l;
    all_high += h;
  });
  *low = all_low;
  *high = all_high;
}

STENO_MULTIVERSION(void, extremes_of,
                   (const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t* least,
                    std::uint64_t* greatest),
                   (values, n, flip, least, greatest)) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;  // signed order is what machines before AVX-512 compare by
  auto low = static_cast<std::int64_t>(*least ^ kSign);
  auto high = static_cast<std::int64_t>(*greatest ^ kSign);
  const std::uint64_t to_signed = flip ^ kSign;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::int64_t l = low;
    std::int64_t h = high;
    for (std::size_t i = 0; i < count; ++i) {
      const auto v = static_cast<std::int64_t>(values[first + i] ^ to_signed);
      l = v < l ? v : l;
      h = v > h ? v : h;
    }
    low = l;
    high = h;
  });
  *least = static_cast<std::uint64_t>(low) ^ kSign;
  *greatest = static_cast<std::uint64_t>(high) ^ kSign;
}

STENO_MULTIVERSION(void, extremes_of,
                   (const std::uint32_t* values, std::size_t n, std::uint32_t* least, std::uint32_t* greatest),
                   (values, n, least, greatest)) {
  std::uint32_t low = *least;
  std::uint32_t high = *greatest;
  by_blocks(n, [&](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint32_t l = low;
    std::uint32_t h = high;
    for (std::size_t i = 0; i < count; ++i) {
      l = values[first + i] < l ? values[first + i] : l;
      h = values[first + i] > h ? values[first + i] : h;
    }
    low = l;
    high = h;
  });
  *least = low;
  *greatest = high;
}

STENO_MULTIVERSION(void, squares_of,
                   (const std::uint64_t* values, std::size_t n, std::uint64_t base, double* sum, double* square),
                   (values, n, base, sum, square)) {
  squares_by(values, n, sum, square, [base](std::uint64_t v) STENO_INLINE_LAMBDA {
    return static_cast<double>(static_cast<std::int64_t>(v - base));
  });
}

STENO_MULTIVERSION(void, squares_of, (const std::uint32_t* values, std::size_t n, double* sum, double* square),
                   (values, n, sum, square)) {
  squares_by(values, n, sum, square, [](std::uint32_t v) STENO_INLINE_LAMBDA { return static_cast<double>(v); });
}

}  // namespace steno::query
