#include "text/float_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>

#include "text/exact_decimal.h"
#include "text/number.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

constexpr int kDefaultPrecision = 6;
constexpr int kLeastFixedExponent = -4;
constexpr int kMostFixedExponent = 15;  // of the shortest text

// The digits from `begin` on, `count` of them; zeros before and after those there are.
void put_digits(const Decimal& decimal, int begin, int count, ByteBuffer& out) {
  const int size = static_cast<int>(decimal.digits.size());
  auto* p = reinterpret_cast<char*>(out.grow(static_cast<std::size_t>(std::max(count, 0))));
  for (int i = begin; i < begin + count; ++i) {
    *p++ = i >= 0 && i < size ? decimal.digits[static_cast<std::size_t>(i)] : '0';
  }
}

void put_fixed(const Decimal& decimal, int decimals, bool alternate, ByteBuffer& out) {
  const int point = decimal.digits.empty() ? 0 : decimal.point;
  put_digits(decimal, std::min(point - 1, 0), std::max(point, 1), out);
  if (decimals > 0 || alternate) out.put('.');
  put_digits(decimal, point, decimals, out);
}

void put_exponent(char letter, int exponent, int digits, ByteBuffer& out) {
  out.put(letter);
  out.put(exponent < 0 ? '-' : '+');
  const std::string text = std::to_string(std::abs(exponent));
  append(std::string_view("0").substr(static_cast<int>(text.size()) < digits ? 0 : 1), out);
  append(text, out);
}

void put_scientific(const Decimal& decimal, int decimals, const FloatStyle& style, ByteBuffer& out) {
  put_digits(decimal, 0, 1, out);
  if (decimals > 0 || style.alternate) out.put('.');
  put_digits(decimal, 1, decimals, out);
  put_exponent(style.upper ? 'E' : 'e', decimal.digits.empty() ? 0 : decimal.point - 1, 2, out);
}

// `precision` significant digits at most; exponents from `precision` on are written as such.
void put_general(const Decimal& decimal, int precision, const FloatStyle& style, ByteBuffer& out) {
  const int exponent = decimal.digits.empty() ? 0 : decimal.point - 1;
  const int size = std::max(static_cast<int>(decimal.digits.size()), 1);
  const int shown = style.alternate && style.conversion == 'g' ? precision : size;
  if (exponent < kLeastFixedExponent || exponent >= precision) return put_scientific(decimal, shown - 1, style, out);
  put_fixed(decimal, std::max(shown - 1 - exponent, 0), style.alternate, out);
}

// Prints what %a of the C library prints on the machines that have the format: a double begins with one bit, x87 with
// four.
void put_hex(const BinaryNumber& number, const FloatStyle& style, ByteBuffer& out) {
  const char* const hex = style.upper ? "0123456789ABCDEF" : "0123456789abcdef";
  const int nibbles = number.type == ArgType::kF128 ? 28 : number.type == ArgType::kF80 ? 15 : 13;  // after the point
  UInt128 significand = number.significand;
  int exponent = significand == 0 ? 0 : number.exponent + 4 * nibbles;
  int shown = nibbles;
  if (style.precision >= 0 && style.precision < nibbles) {
    shown = style.precision;
    const int dropped = 4 * (nibbles - shown);
    const UInt128 unit = static_cast<UInt128>(1) << dropped;
    const UInt128 rest = significand & (unit - 1);
    significand >>= dropped;
    if (rest > unit / 2 || (rest == unit / 2 && (significand & 1) != 0)) ++significand;
  }
  auto leading = static_cast<unsigned>(significand >> (4 * shown));
  if (leading == 16) {  // only x87's can
    leading = 1;
    exponent += 4;
  }
  std::string digits;
  for (int i = shown - 1; i >= 0; --i) digits += hex[static_cast<unsigned>(significand >> (4 * i)) & 15];
  if (style.precision < 0) {
    digits.resize(digits.find_last_not_of('0') + 1);
  } else {
    digits.resize(static_cast<std::size_t>(style.precision), '0');
  }
  out.put(hex[leading]);
  if (!digits.empty() || style.alternate) out.put('.');
  append(digits, out);
  put_exponent(style.upper ? 'P' : 'p', exponent, 1, out);
}

// Few decimals of most doubles, the quick way. False: nothing was written.
bool put_few_decimals(const BinaryNumber& number, int precision, ByteBuffer& out) {
  if (precision > kMaxFixedPrecision || (number.type != ArgType::kF32 && number.type != ArgType::kF64)) return false;
  auto* const p = reinterpret_cast<char*>(out.reserve(kMaxNumberSize));
  const char* const end = write_fixed(number.as_double, precision, p);
  if (end == nullptr) return false;
  out.commit(static_cast<std::size_t>(end - p));
  return true;
}

}  // namespace

FloatText append_float(const Value& value, const FloatStyle& style, ByteBuffer& out) {
  const BinaryNumber number = binary_number(value);
  FloatText text;
  text.negative = number.negative;
  text.finite = number.kind == BinaryNumber::Kind::kFinite;
  if (!text.finite) {
    const bool infinite = number.kind == BinaryNumber::Kind::kInfinite;
    append(infinite ? (style.upper ? "INF" : "inf") : (style.upper ? "NAN" : "nan"), out);
    return text;
  }
  const int precision = style.precision < 0 ? kDefaultPrecision : style.precision;
  switch (style.conversion) {
    case 'f':
      if (!style.alternate && put_few_decimals(number, precision, out)) break;
      put_fixed(fixed_digits(number, precision), precision, style.alternate, out);
      break;
    case 'e':
      put_scientific(significant_digits(number, precision + 1), precision, style, out);
      break;
    case 'g': {
      const int digits = std::max(precision, 1);
      put_general(significant_digits(number, digits), digits, style, out);
      break;
    }
    case 'a':
      text.hex = true;
      put_hex(number, style, out);
      break;
    default:
      put_general(shortest_digits(number), kMostFixedExponent + 1, style, out);
      break;
  }
  return text;
}

}  // namespace steno::text
