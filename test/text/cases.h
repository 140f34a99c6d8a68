// Random cases for property tests: how many, from which seed, and values of every type with their C++ selves beside
// them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../sanitizers.h"
#include "arguments.h"
#include "text/number.h"
#include "text/printer.h"
#include "text/value.h"

namespace steno::text::testing {

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// STENO_PROPERTY_CASES and STENO_PROPERTY_SEED change what a run does; `make test-long` looks at more. Sanitizers look
// at fewer of the same cases: what they find is found early.
inline std::uint64_t property_cases() {
  constexpr bool kSanitized = test::kAddressSanitizer || test::kThreadSanitizer;
  return from_environment("STENO_PROPERTY_CASES", kSanitized ? 20'000 : 40'000);
}

class Random {
 public:
  // Prints the seed, so that a failure can be repeated.
  explicit Random(const char* test, std::uint64_t seed = from_environment("STENO_PROPERTY_SEED", 20'240'607))
      : state_(seed) {
    std::printf("%s: %llu cases, STENO_PROPERTY_SEED=%llu\n", test, static_cast<unsigned long long>(property_cases()),
                static_cast<unsigned long long>(seed));
  }

  std::uint64_t bits() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  char pick(std::string_view from) { return from[below(from.size())]; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::uint64_t state_;
};

inline std::uint64_t random_integer(Random& random) {
  switch (random.below(5)) {
    case 0:
      return random.below(10);
    case 1:
      return 0 - static_cast<std::uint64_t>(random.below(200));
    case 2:
      return std::uint64_t{1} << random.below(64);
    case 3:
      return (std::uint64_t{1} << random.below(64)) - 1;
    default:
      return random.bits() >> random.below(64);
  }
}

inline double random_double(Random& random) {
  static const double kSpecial[] = {0.0,
                                    -0.0,
                                    0.5,
                                    1.5,
                                    2.5,
                                    -0.5,
                                    0.05,
                                    0.125,
                                    0.375,
                                    1e-4,
                                    9.9999e-5,
                                    999999.5,
                                    1e15,
                                    1e16,
                                    1e17,
                                    1e22,
                                    123456789.125,
                                    4503599627370495.5,
                                    9007199254740993.0,
                                    1e300,
                                    5e-324,
                                    std::numeric_limits<double>::max(),
                                    std::numeric_limits<double>::min(),
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN(),
                                    -std::numeric_limits<double>::quiet_NaN()};
  switch (random.below(5)) {
    case 0:
      return kSpecial[random.below(std::size(kSpecial))];
    case 1:
      return static_cast<double>(static_cast<std::int64_t>(random_integer(random))) / 1000;
    case 2:
      return static_cast<double>(random.below(100000)) / 64;  // ties
    case 3:
      return static_cast<double>(random.below(1000000)) / 1e4;
    default: {
      const std::uint64_t bits = random.bits();
      double value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
  }
}

inline std::u32string random_text(Random& random, bool ascii) {
  static const std::u32string kMore = U"äßéλжक你好世界€\u00a0\u200b🎉🧵\U0010FFFF";
  std::u32string text;
  for (std::size_t n = random.one_in(4) ? random.below(40) : random.below(8); n != 0; --n) {
    text +=
        ascii || !random.one_in(4) ? static_cast<char32_t>(' ' + random.below(95)) : kMore[random.below(kMore.size())];
  }
  return text;
}

inline std::string to_utf8(std::u32string_view text) {
  ByteBuffer out;
  append_utf8({reinterpret_cast<const char*>(text.data()), text.size() * 4}, 4, out);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

inline std::u16string to_utf16(std::u32string_view text) {
  std::u16string units;
  for (const char32_t c : text) {
    if (c >= 0x10000) {
      units += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
      units += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
      units += static_cast<char16_t>(c);
    }
  }
  return units;
}

inline constexpr std::string_view kAllTypes = "bcasilnhtjmofdegpuwSUW";
// The letter of `long double` here: libraries do not know the other one's digits.
inline constexpr ArgType kOurLongDouble = LDBL_MANT_DIG == 64 ? ArgType::kF80 : ArgType::kF128;

inline Argument random_argument(Random& random, ArgType type) {
  const std::uint64_t n = random_integer(random);
  switch (type) {
    case ArgType::kBool:
      return Argument::integer(type, n & 1);
    case ArgType::kChar:
      return Argument::integer(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(
                                         static_cast<std::int8_t>(random.one_in(8) ? n : ' ' + n % 95))));
    case ArgType::kI8:
      return Argument::integer(type, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(n)}));
    case ArgType::kI16:
      return Argument::integer(type, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(n)}));
    case ArgType::kErrno:
    case ArgType::kI32:
      return Argument::integer(type, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(n)}));
    case ArgType::kU8:
      return Argument::integer(type, static_cast<std::uint8_t>(n));
    case ArgType::kU16:
      return Argument::integer(type, static_cast<std::uint16_t>(n));
    case ArgType::kU32:
      return Argument::integer(type, static_cast<std::uint32_t>(n));
    case ArgType::kI64:
    case ArgType::kU64:
    case ArgType::kPointer:
      return Argument::integer(type, n);
    case ArgType::kI128:
    case ArgType::kU128:
      return Argument::wide(type, random.one_in(3) ? n : static_cast<UInt128>(n) << 64 | random.bits());
    case ArgType::kF32:
      return Argument::floating(type, static_cast<float>(random_double(random)));
    case ArgType::kF64:
      return Argument::floating(type, random_double(random));
    case ArgType::kF80: {
      const long double number = static_cast<long double>(random_double(random)) / 3;
      const int scale = static_cast<int>(random.below(32000)) - 16000;  // to the ends of its range, and past them
      return Argument::floating(type, random.one_in(20) ? std::ldexp(number, scale) : number);
    }
    case ArgType::kF128: {
#if LDBL_MANT_DIG == 64
      __extension__ using Float128 = __float128;
      return Argument::floating(type, static_cast<Float128>(random_double(random)));
#else
      return Argument::floating(type, static_cast<long double>(random_double(random)));
#endif
    }
    case ArgType::kChar16:
      return Argument::integer(type, random.one_in(3) ? 0x4E00 + n % 0x5000 : ' ' + n % 95);
    case ArgType::kChar32:
      return Argument::integer(type, random.one_in(3) ? 0x10000 + n % 0x10000 : ' ' + n % 95);
    case ArgType::kString:
      return Argument::string(to_utf8(random_text(random, random.one_in(2))));
    case ArgType::kString16:
      return Argument::string(to_utf16(random_text(random, random.one_in(2))));
    case ArgType::kString32:
      return Argument::string(random_text(random, random.one_in(2)));
  }
  return Argument();
}

// Returns the text of values in columns of three records, of which these are the second; `constant`: the columns have
// one value for all.
inline std::string printed_row(const Printer& printer, const std::vector<Value>& values, bool constant) {
  std::vector<Column> columns(values.size());
  std::vector<std::vector<std::uint64_t>> ints(values.size());
  std::vector<std::vector<std::string_view>> strings(values.size());
  std::vector<std::vector<std::uint8_t>> wide(values.size());
  const std::size_t count = constant ? 1 : 3;
  const std::size_t at = constant ? 0 : 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    columns[i].type = values[i].type;
    if (constant) columns[i].mask = 0;
    if (is_string(values[i].type)) {
      strings[i].resize(count, "other");
      strings[i][at] = values[i].string;
      columns[i].strings = strings[i].data();
    } else if (fixed_size(values[i].type) == 16) {
      wide[i].resize(16 * count, 7);
      if (values[i].wide != nullptr) std::memcpy(wide[i].data() + 16 * at, values[i].wide, 16);
      columns[i].wide = wide[i].data();
    } else {
      ints[i].resize(count, 12345);
      ints[i][at] = values[i].bits;
      columns[i].ints = ints[i].data();
    }
  }
  ByteBuffer out;
  Cursor cursor(out);
  cursor.settle(printer.print_row(columns.data(), 1, cursor.begin(), cursor));
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

// Prints in both ways, which agree. The values must be of the printer's types.
inline std::string printed(const Printer& printer, const std::vector<Argument>& arguments) {
  const std::vector<Value> values = values_of(arguments);
  const std::string text = printed_values(printer, values);
  EXPECT_EQ(printed_row(printer, values, false), text);
  EXPECT_EQ(printed_row(printer, values, true), text);
  if (printer.plain()) {
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; })) << text;
  }
  return text;
}

// Compiles and prints; a refusal is "!" and its message.
inline std::string print(wire::Style style, std::string_view format, const std::vector<Argument>& arguments) {
  const Result<Printer> printer = Printer::compile(style, format, types_of(arguments));
  return printer.ok() ? printed(printer.value(), arguments) : "!" + printer.status().message();
}

template <class... A>
std::vector<Argument> arguments(A&&... a) {
  std::vector<Argument> all;
  (all.push_back(std::forward<A>(a)), ...);
  return all;
}

inline Argument i32(int n) {
  return Argument::integer(ArgType::kI32, static_cast<std::uint64_t>(std::int64_t{n}));
}
inline Argument u32(unsigned n) {
  return Argument::integer(ArgType::kU32, n);
}
inline Argument i64(std::int64_t n) {
  return Argument::integer(ArgType::kI64, static_cast<std::uint64_t>(n));
}
inline Argument u64(std::uint64_t n) {
  return Argument::integer(ArgType::kU64, n);
}
inline Argument f64(double n) {
  return Argument::floating(ArgType::kF64, n);
}
inline Argument str(std::string_view s) {
  return Argument::string(s);
}

}  // namespace steno::text::testing
