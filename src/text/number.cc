#include "text/number.h"

#include <fmt/compile.h>

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/bytes.h"

namespace steno::text {
namespace {

constexpr std::uint64_t kPowersOf10[kMaxFixedPrecision + 1] = {
    1, 10, 100, 1000, 10000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

// x87: 64 bits of significand with an explicit leading one, 15 of exponent, sign.
struct Extended {
  std::uint64_t significand;
  std::uint16_t sign_exponent;
};

// Makes what the processor calls invalid a NaN: an exponent without the leading one.
Extended canonical(Extended x) {
  const unsigned exponent = x.sign_exponent & 0x7FFF;
  const bool leading_one = x.significand >> 63 != 0;
  if (exponent == 0 && leading_one) {
    ++x.sign_exponent;
  } else if (exponent != 0 && !leading_one) {
    x = {0xC000'0000'0000'0000, 0x7FFF};
  }
  return x;
}

long double from_extended(const std::uint8_t* wide) {
  const Extended x = canonical({load<std::uint64_t>(wide), load<std::uint16_t>(wide + 8)});
  long double result = 0;
#if LDBL_MANT_DIG == 64
  store(&result, x.significand);
  store(reinterpret_cast<std::uint8_t*>(&result) + 8, x.sign_exponent);
#elif LDBL_MANT_DIG == 113
  // Exponents are biased alike; binary128 has 112 bits of fraction and no leading one.
  const UInt128 fraction = static_cast<UInt128>(x.significand & ~(std::uint64_t{1} << 63)) << 49;
  store(&result, fraction | static_cast<UInt128>(x.sign_exponent) << 112);
#else
  const int exponent = x.sign_exponent & 0x7FFF;
  const double magnitude = exponent == 0x7FFF ? (x.significand << 1 == 0 ? std::numeric_limits<double>::infinity()
                                                                         : std::numeric_limits<double>::quiet_NaN())
                                              : std::ldexp(static_cast<double>(x.significand), exponent - 16446);
  result = x.sign_exponent >> 15 != 0 ? -magnitude : magnitude;
#endif
  return result;
}

long double from_binary128(const std::uint8_t* wide) {
#if LDBL_MANT_DIG == 113
  return load<long double>(wide);
#elif defined(__SIZEOF_FLOAT128__)
  __extension__ using Float128 = __float128;
  return static_cast<long double>(load<Float128>(wide));
#else
#error "port from_binary128"
#endif
}

}  // namespace

long double to_long_double(const Value& value) {
  if (value.wide == nullptr) return 0;
  return value.type == ArgType::kF128 ? from_binary128(value.wide) : from_extended(value.wide);
}

UInt128 to_uint128(const Value& value) {
  return value.wide != nullptr ? load<UInt128>(value.wide) : 0;
}

char* write_long_decimal(std::uint64_t value, char* p) {
  constexpr std::uint64_t kStep = 100'000'000;
  const std::uint64_t high = value / kStep;
  if (high < kSmallDecimals) {
    p = write_small_decimal(high, p);
  } else {
    p = high < kStep ? write_short_decimal(static_cast<std::uint32_t>(high), p) : write_long_decimal(high, p);
  }
  write_eight_digits(static_cast<std::uint32_t>(value % kStep), p);
  return p + 8;
}
char* write_shortest(double value, char* p) {
  return fmt::format_to(p, FMT_COMPILE("{}"), value);
}
char* write_shortest(float value, char* p) {
  // Versions of {fmt} disagree on where an exponent is shown: with no exponent here, to 10^16.
  const float magnitude = std::fabs(value);
  if (!(magnitude >= 1e7F && magnitude < 1e16F)) return fmt::format_to(p, FMT_COMPILE("{}"), value);
  if (value < 0) *p++ = '-';
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific).ptr;
  // d[.ddd]e+dd, of an integer: the digits, then zeros.
  char* const after = p + (end[-2] - '0') * 10 + (end[-1] - '0') + 1;
  *p++ = text[0];
  for (const char* digit = text + 2; text[1] == '.' && *digit != 'e'; ++digit) *p++ = *digit;
  while (p != after) *p++ = '0';
  return p;
}

bool round_fixed(double value, int precision, std::uint64_t* digits) {
  // value = significand * 2^-shift. Scaled by 10^precision < 2^30 it is an integer below 2^83, exactly; one shift then
  // rounds it.
  const auto bits = load<std::uint64_t>(&value);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t significand = exponent != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
  const int shift = exponent != 0 ? 1075 - exponent : 1074;
  if (shift <= 0) return false;  // 2^52 or more, infinite, NaN

  const std::uint64_t power = kPowersOf10[precision];
  const UInt128 scaled = static_cast<UInt128>(significand) * power;
  std::uint64_t rounded = 0;  // less than half a unit if shifted further than this
  if (shift < 84) {
    const UInt128 quotient = scaled >> shift;
    if (quotient >> 63 != 0) return false;
    rounded = static_cast<std::uint64_t>(quotient);
    const UInt128 rest = scaled - (quotient << shift);
    const UInt128 half = static_cast<UInt128>(1) << (shift - 1);
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  }
  *digits = rounded;
  return true;
}

char* write_fixed(double value, int precision, char* p) {
  std::uint64_t rounded = 0;
  if (!round_fixed(value, precision, &rounded)) return nullptr;
  if (std::signbit(value)) *p++ = '-';
  if (precision == 0) return write_decimal(rounded, p);
  if (rounded < 100'000'000 && precision < 8) {
    // All digits, one before the point at least; then those after it once more, one further.
    const auto digits = static_cast<std::uint32_t>(rounded);
    const int size = std::max(static_cast<int>(count_digits(digits)), precision + 1);
    const std::uint64_t text = eight_digits(digits) >> 8 * (8 - size);
    const std::uint64_t behind = text >> 8 * (size - precision);
    store(p, text);
    p += size - precision;
    *p++ = '.';
    store(p, behind);
    return p + precision;
  }
  const std::uint64_t power = kPowersOf10[precision];
  p = write_decimal(rounded / power, p);
  *p++ = '.';
  std::uint64_t digits = rounded % power;
  for (int i = precision - 1; i >= 0; --i) {
    p[i] = static_cast<char>('0' + digits % 10);
    digits /= 10;
  }
  return p + precision;
}

}  // namespace steno::text
