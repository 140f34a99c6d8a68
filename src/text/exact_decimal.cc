#include "text/exact_decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/bytes.h"

namespace steno::text {
namespace {

constexpr int kSpecialExponent = 0x7FFF;  // infinity or NaN, of the 16-byte formats

// An integer in limbs of nine decimal digits, the lowest first.
class BigDecimal {
 public:
  explicit BigDecimal(UInt128 value) {
    for (; value != 0; value /= kLimb) limbs_.push_back(static_cast<std::uint32_t>(value % kLimb));
  }

  // factor <= kLimb
  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& limb : limbs_) {
      carry += std::uint64_t{limb} * factor;
      limb = static_cast<std::uint32_t>(carry % kLimb);
      carry /= kLimb;
    }
    if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
  }
  void multiply_by_power(std::uint32_t base, std::uint32_t step, int step_exponent, int exponent) {
    for (; exponent >= step_exponent; exponent -= step_exponent) multiply(step);
    for (; exponent > 0; --exponent) multiply(base);
  }

  std::string digits() const {
    std::string text;
    for (std::size_t i = limbs_.size(); i-- != 0;) {
      char limb[9];
      std::uint32_t rest = limbs_[i];
      for (int at = 8; at >= 0; --at, rest /= 10) limb[at] = static_cast<char>('0' + rest % 10);
      text.append(limb, sizeof limb);
    }
    text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
    return text;
  }

 private:
  static constexpr std::uint32_t kLimb = 1'000'000'000;
  std::vector<std::uint32_t> limbs_;
};

void drop_trailing_zeros(std::string* digits) {
  digits->resize(digits->find_last_not_of('0') + 1);
}

// significand * 2^exponent, all its digits.
Decimal exact(UInt128 significand, int exponent) {
  constexpr std::uint32_t kTwoTo29 = 1u << 29;
  constexpr std::uint32_t kFiveTo12 = 244'140'625;
  while (exponent < 0 && significand != 0 && (significand & 1) == 0) {
    significand >>= 1;
    ++exponent;
  }
  BigDecimal big(significand);
  if (exponent >= 0) {
    big.multiply_by_power(2, kTwoTo29, 29, exponent);
  } else {
    big.multiply_by_power(5, kFiveTo12, 12, -exponent);  // and the point moves
  }
  Decimal decimal;
  decimal.digits = big.digits();
  decimal.point = static_cast<int>(decimal.digits.size()) + std::min(exponent, 0);
  drop_trailing_zeros(&decimal.digits);
  return decimal;
}

// Cuts to `count` digits; none are left if it is 0 or negative. Adds one to the last of them if `up`; count is at least
// 0 then.
Decimal cut(const Decimal& from, int count, bool up) {
  Decimal to;
  to.point = from.point;
  if (count > 0) to.digits = from.digits.substr(0, static_cast<std::size_t>(count));
  if (up) {
    std::size_t at = to.digits.size();
    while (at != 0 && to.digits[at - 1] == '9') to.digits[--at] = '0';
    if (at != 0) {
      ++to.digits[at - 1];
    } else {  // 0.999 became 1
      to.digits = "1";
      ++to.point;
    }
  }
  drop_trailing_zeros(&to.digits);
  return to;
}

// Returns whether digits from `count` on round up: more than half, or half and the digit before is odd.
bool rounds_up(const Decimal& decimal, int count) {
  const int size = static_cast<int>(decimal.digits.size());
  if (count < 0 || count >= size) return false;
  const char next = decimal.digits[static_cast<std::size_t>(count)];
  if (next != '5') return next > '5';
  if (count + 1 < size) return true;  // there are no trailing zeros
  return count > 0 && (decimal.digits[static_cast<std::size_t>(count) - 1] - '0') % 2 != 0;
}

Decimal rounded(const Decimal& decimal, int count) {
  return cut(decimal, count, rounds_up(decimal, count));
}

// -1, 0, 1. Both have no leading or trailing zeros.
int compare(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) return static_cast<int>(!a.digits.empty()) - !b.digits.empty();
  if (a.point != b.point) return a.point < b.point ? -1 : 1;
  const int order = a.digits.compare(b.digits);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool is_double(const BinaryNumber& number) {
  return number.type == ArgType::kF32 || number.type == ArgType::kF64;
}

// Reads the text of to_chars(): "1.25e-07", "0.0125".
Decimal read_decimal(const char* text, const char* end) {
  Decimal decimal;
  const char* const exponent = std::find(text, end, 'e');
  int point = 0;
  bool behind = false;
  for (const char* p = text; p != exponent; ++p) {
    if (*p == '.') {
      behind = true;
    } else if (*p == '0' && decimal.digits.empty()) {
      point -= behind;
    } else {
      decimal.digits += *p;
      point += !behind;
    }
  }
  if (exponent != end) {
    int value = 0;
    std::from_chars(exponent + (exponent[1] == '+' ? 2 : 1), end, value);
    point += value;
  }
  decimal.point = point;
  drop_trailing_zeros(&decimal.digits);
  return decimal;
}

Decimal double_digits(double value, std::chars_format format, int precision) {
  constexpr std::size_t kMostWithoutDecimals = 320;
  char usual[kMostWithoutDecimals + 32];
  std::string longer;
  char* text = usual;
  const std::size_t room = static_cast<std::size_t>(precision) + kMostWithoutDecimals;
  if (room > sizeof usual) {
    longer.resize(room);
    text = longer.data();
  }
  const auto written = std::to_chars(text, text + room, value, format, precision);
  return read_decimal(text, written.ptr);
}

BinaryNumber read_double(ArgType type, std::uint64_t bits) {
  BinaryNumber number;
  const double value = to_double(type, bits);
  number.type = type;
  number.negative = std::signbit(value);
  number.as_double = std::fabs(value);
  if (!std::isfinite(value)) {
    number.kind = std::isnan(value) ? BinaryNumber::Kind::kNan : BinaryNumber::Kind::kInfinite;
    return number;
  }
  const auto all = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>(all >> 52 & 0x7FF);
  const std::uint64_t fraction = all & ((std::uint64_t{1} << 52) - 1);
  number.significand = exponent != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
  number.exponent = std::max(exponent, 1) - 1075;
  return number;
}

// 64 bits of significand with an explicit leading one. What the processor calls invalid is a NaN: an exponent without
// the leading one.
BinaryNumber read_extended(const std::uint8_t* wide) {
  BinaryNumber number;
  const auto significand = load<std::uint64_t>(wide);
  const auto sign_exponent = load<std::uint16_t>(wide + 8);
  const int exponent = sign_exponent & 0x7FFF;
  const bool leading_one = significand >> 63 != 0;
  number.negative = sign_exponent >> 15 != 0;
  if (exponent == kSpecialExponent || (exponent != 0 && !leading_one)) {
    const bool infinite = leading_one && significand << 1 == 0;
    number.kind = infinite ? BinaryNumber::Kind::kInfinite : BinaryNumber::Kind::kNan;
    if (!leading_one) number.negative = false;
    return number;
  }
  number.significand = significand;
  number.exponent = std::max(exponent, 1) - 16446;
  number.at_power_of_two = significand << 1 == 0 && exponent > 1;
  return number;
}

BinaryNumber read_binary128(const std::uint8_t* wide) {
  constexpr int kFractionBits = 112;
  BinaryNumber number;
  const auto bits = load<UInt128>(wide);
  const UInt128 one = static_cast<UInt128>(1) << kFractionBits;
  const UInt128 fraction = bits & (one - 1);
  const int exponent = static_cast<int>(bits >> kFractionBits) & 0x7FFF;
  number.negative = bits >> 127 != 0;
  if (exponent == kSpecialExponent) {
    number.kind = fraction == 0 ? BinaryNumber::Kind::kInfinite : BinaryNumber::Kind::kNan;
    return number;
  }
  number.significand = exponent != 0 ? fraction | one : fraction;
  number.exponent = std::max(exponent, 1) - 16383 - kFractionBits;
  number.at_power_of_two = fraction == 0 && exponent > 1;
  return number;
}

}  // namespace

BinaryNumber binary_number(const Value& value) {
  BinaryNumber number;
  if (value.type == ArgType::kF32 || value.type == ArgType::kF64) return read_double(value.type, value.bits);
  if (value.type != ArgType::kF80 && value.type != ArgType::kF128) {  // of another type than its field
    number.kind = BinaryNumber::Kind::kNan;
    return number;
  }
  if (value.wide != nullptr) {
    number = value.type == ArgType::kF128 ? read_binary128(value.wide) : read_extended(value.wide);
  }
  number.type = value.type;
  return number;
}

Decimal significant_digits(const BinaryNumber& number, int count) {
  if (is_double(number)) return double_digits(number.as_double, std::chars_format::scientific, count - 1);
  return rounded(exact(number.significand, number.exponent), count);
}

Decimal fixed_digits(const BinaryNumber& number, int decimals) {
  if (is_double(number)) return double_digits(number.as_double, std::chars_format::fixed, decimals);
  const Decimal all = exact(number.significand, number.exponent);
  return rounded(all, all.point + decimals);
}

Decimal shortest_digits(const BinaryNumber& number) {
  if (is_double(number)) {
    char text[64];
    const auto written = number.type == ArgType::kF32
                             ? std::to_chars(text, text + sizeof text, static_cast<float>(number.as_double),
                                             std::chars_format::scientific)
                             : std::to_chars(text, text + sizeof text, number.as_double, std::chars_format::scientific);
    return read_decimal(text, written.ptr);
  }
  if (number.significand == 0) return {};
  // Every decimal number between the middles to both neighbours reads back as this one; the middles do if it is even.
  const UInt128 quarters = number.significand * 4;
  const int exponent = number.exponent - 2;
  const Decimal all = exact(quarters, exponent);
  const Decimal low = exact(quarters - (number.at_power_of_two ? 1 : 2), exponent);
  const Decimal high = exact(quarters + 2, exponent);
  const int margin = (number.significand & 1) == 0 ? 1 : 0;
  const int size = static_cast<int>(all.digits.size());
  for (int count = 1; count < size; ++count) {
    const bool up = rounds_up(all, count);
    for (const bool this_way : {up, !up}) {  // the closer one first
      Decimal candidate = cut(all, count, this_way);
      if (compare(low, candidate) < margin && compare(candidate, high) < margin) return candidate;
    }
  }
  return all;
}

}  // namespace steno::text
