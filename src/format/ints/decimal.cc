// decimal: floats that are integers divided by a power of ten, as those integers (file.md §9.1).
//
// Division of two exact doubles is correctly rounded, so k / 10^e is the very double that the text "k e-e" reads as:
// prices, percentages and measured values with a few digits come back to the bit. What does not (NaN, -0.0, infinities,
// values with a full mantissa) is an exception, in its wire bytes. After ALP (Afroozeh and others, SIGMOD 2023), whose
// second multiplication is faster to undo and fits fewer values.
#include <algorithm>
#include <bit>
#include <cmath>

#include "format/ints/codec.h"
#include "format/ints/column.h"
#include "format/multiversion.h"

namespace steno::format {
namespace {

constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
constexpr unsigned kMaxExponent = 12;
constexpr unsigned kNone = 99;
constexpr double kGreatest = 2251799813685248.0;  // 2^51: what the kernel's rounding holds for
constexpr std::size_t kLook = 32;                 // values that the exponent is chosen from
constexpr std::size_t kExceptionBytes = 10;

double value_of(std::uint64_t bits, IntType type) {
  return type.bytes == 8 ? std::bit_cast<double>(bits)
                         : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

std::uint64_t bits_of(double value, IntType type) {
  return type.bytes == 8 ? std::bit_cast<std::uint64_t>(value)
                         : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

// To the nearest integer, for magnitudes up to 2^51; std::nearbyint is a call on machines before SSE4.1.
double round(double v) {
  constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
  return v + kRounder - kRounder;
}

bool is_exact(std::uint64_t bits, IntType type, unsigned exponent) {
  const double rounded = round(value_of(bits, type) * kPowers[exponent]);
  return bits_of(rounded / kPowers[exponent], type) == bits;
}

// The least exponent that gives the value back, kNone if none does. What one exponent gives back, all greater ones do
// until the integer grows too large: so values without one are found out by a single trial.
unsigned least_exponent(std::uint64_t bits, IntType type) {
  const double magnitude = std::fabs(value_of(bits, type));
  if (!(magnitude < kGreatest)) return kNone;
  unsigned most = kMaxExponent;
  while (magnitude * kPowers[most] >= kGreatest) --most;
  if (!is_exact(bits, type, most)) return kNone;
  unsigned exponent = 0;
  while (exponent < most && !is_exact(bits, type, exponent)) ++exponent;
  return exponent;
}

// The exponent that suits nine in ten of a sample, kNone if fewer than three in four have any.
unsigned choose_exponent(const IntSample& sample) {
  std::size_t tally[kMaxExponent + 1] = {};
  std::size_t misses = 0;
  const std::size_t look = std::min(kLook, sample.sampled);
  for (std::size_t i = 0; i < look; ++i) {
    const std::size_t window = i % sample.windows;
    const std::size_t at = i * (sample.sizes[window] - 1) / look;
    const std::uint64_t bits = sample.type.is_narrow() ? sample.narrow[window][at] : sample.wide[window][at];
    const unsigned exponent = least_exponent(bits, sample.type);
    if (exponent != kNone) {
      ++tally[exponent];
    } else if (++misses > look / 4) {
      return kNone;
    }
  }
  const std::size_t most = (look - misses) * 9 / 10;
  std::size_t covered = 0;
  for (unsigned exponent = 0; exponent <= kMaxExponent; ++exponent) {
    covered += tally[exponent];
    if (covered > most || covered == look - misses) return exponent;
  }
  return kNone;
}

std::uint32_t convert(const std::uint32_t* bits, double scale, std::uint64_t* integers, std::uint8_t* bad) {
  return decimals_from_f32(bits, scale, integers, bad);
}

std::uint32_t convert(const std::uint64_t* bits, double scale, std::uint64_t* integers, std::uint8_t* bad) {
  return decimals_from_f64(bits, scale, integers, bad);
}

// Puts a neighbour where a value did not fit, so that it widens nothing.
void fill_bad(const std::uint8_t* bad, std::size_t n, std::uint64_t* integers) {
  const auto first_good = static_cast<std::size_t>(std::find(bad, bad + n, 0) - bad);
  std::uint64_t neighbour = first_good < n ? integers[first_good] : 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (bad[i] != 0) integers[i] = neighbour;
    neighbour = integers[i];
  }
}

template <class Lane>
std::size_t estimate_as(const IntSample& sample, const Lane (*windows)[kMiniBlock], IntScratch& scratch) {
  const unsigned exponent = choose_exponent(sample);
  scratch.exponent = exponent;
  if (exponent == kNone) return kNoFit;
  alignas(64) std::uint64_t integers[kMiniBlock];
  std::uint8_t bad[kMiniBlock];
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < sample.windows; ++k) {
    const std::size_t exceptions = convert(windows[k], kPowers[exponent], integers, bad);
    if (exceptions != 0) fill_bad(bad, kMiniBlock, integers);
    bytes += scratch.mini_block.plan(integers, sample.sizes[k], order_flip<std::uint64_t>(kTypeI64), Divisor());
    bytes += exceptions * kExceptionBytes;
  }
  return sample.scale(bytes);
}

std::size_t estimate(const IntSample& sample, IntScratch& scratch) {
  if (!sample.type.is_float) return kNoFit;
  return sample.type.is_narrow() ? estimate_as(sample, sample.narrow, scratch)
                                 : estimate_as(sample, sample.wide, scratch);
}

// Fills scratch.values with the integers and scratch.exceptions with index and bits of what is none.
template <class Lane>
bool collect(const IntSource& source, double scale, IntScratch& scratch) {
  scratch.values.resize(round_up(source.count, kMiniBlock));
  scratch.exceptions.clear();
  alignas(64) Lane scratch_bits[kMiniBlock];
  std::uint8_t bad[kMiniBlock];
  for (std::size_t at = 0; at < source.count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, source.count - at);
    const Lane* bits = mini_block_of(source, at, n, scratch_bits);
    std::uint64_t* integers = scratch.values.data() + at;
    if (convert(bits, scale, integers, bad) == 0) continue;
    fill_bad(bad, n, integers);
    for (std::size_t i = 0; i < n; ++i) {
      if (bad[i] == 0) continue;
      scratch.exceptions.push_back(at + i);
      scratch.exceptions.push_back(bits[i]);
    }
    if (scratch.exceptions.size() / 2 > 64 + (at + n) / 4) return false;
  }
  return true;
}

bool encode(const IntSource& source, const IntSample&, IntScratch& scratch, Zone*, ByteBuffer& out) {
  const unsigned exponent = scratch.exponent;
  if (exponent == kNone) return false;
  const IntType type = source.type;
  if (!(type.is_narrow() ? collect<std::uint32_t>(source, kPowers[exponent], scratch)
                         : collect<std::uint64_t>(source, kPowers[exponent], scratch))) {
    return false;
  }
  out.put(static_cast<std::uint8_t>(exponent));
  // Before the integers, whose encoding may use the scratch again.
  out.put_varint(scratch.exceptions.size() / 2);
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i < scratch.exceptions.size(); i += 2) {
    out.put_varint(scratch.exceptions[i] - previous);
    previous = scratch.exceptions[i];
    out.put_bytes(&scratch.exceptions[i + 1], type.bytes);
  }
  scratch.integers.swap(scratch.values);
  encode_ints(IntSource::array(scratch.integers.data(), source.count, kTypeI64), IntHint::kAny, scratch, out);
  return true;
}

STENO_MULTIVERSION(void, divide_all, (std::uint64_t * values, std::size_t n, double scale), (values, n, scale)) {
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(values[i])) / scale);
  }
}

bool decode(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out) {
  const unsigned exponent = in.get<std::uint8_t>();
  const std::uint64_t exceptions = in.get_varint();
  if (!type.is_float || exponent > kMaxExponent || exceptions > n) return false;
  ByteReader patches = in;
  for (std::uint64_t i = 0; i < exceptions; ++i) {
    in.get_varint();
    in.take(type.bytes);
  }
  if (!in.ok() || !decode_ints(in, kTypeI64, n, depth + 1, out)) return false;
  divide_all(out, n, kPowers[exponent]);
  if (type.bytes == 4) {
    for (std::size_t i = 0; i < n; ++i) out[i] = bits_of(std::bit_cast<double>(out[i]), type);
  }
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < exceptions; ++i) {
    const std::uint64_t gap = patches.get_varint();
    if (gap >= n - at) return false;
    at += gap;
    out[at] = 0;
    std::memcpy(&out[at], patches.take(type.bytes), type.bytes);
  }
  return true;
}

}  // namespace

bool encode_short_decimals(const std::uint64_t* bits, std::size_t n, IntType type, IntScratch& scratch,
                           ByteBuffer& out) {
  unsigned exponent = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (is_exact(bits[i], type, exponent)) continue;
    const unsigned least = least_exponent(bits[i], type);
    if (least == kNone) return false;
    exponent = std::max(exponent, least);
  }
  std::uint64_t integers[kShortColumn];
  for (std::size_t i = 0; i < n; ++i) {
    const double scaled = value_of(bits[i], type) * kPowers[exponent];
    if (!(std::fabs(scaled) < kGreatest) || !is_exact(bits[i], type, exponent)) return false;
    integers[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(round(scaled)));
  }
  out.put(static_cast<std::uint8_t>(CodecId::kDecimal));
  out.put(static_cast<std::uint8_t>(exponent));
  out.put_varint(0);
  encode_short_ints(IntSource::array(integers, n, kTypeI64), scratch, out);
  return true;
}

bool open_decimals(ByteReader in, unsigned* exponent, ByteReader* integers) {
  const bool decimals = static_cast<CodecId>(in.get<std::uint8_t>()) == CodecId::kDecimal;
  *exponent = in.get<std::uint8_t>();
  const std::uint64_t exceptions = in.get_varint();
  *integers = in;
  return in.ok() && decimals && exceptions == 0 && *exponent <= kMaxExponent;
}

const IntCodec kDecimalCodec{CodecId::kDecimal, "decimal", estimate, encode, decode};

}  // namespace steno::format
