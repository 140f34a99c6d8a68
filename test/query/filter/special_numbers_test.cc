// Conditions on numbers that are special: NaN of either sign, infinities, zeros of either sign, the ends of integers.
// The fast path and comparisons by the machine of each record's own value agree, for columns of every kind and in rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "../random_cases.h"
#include "../reader/temp_file.h"
#include "comparison.h"
#include "query/filter/filter.h"
#include "random_log.h"
#include "reader/decoded_block.h"

namespace steno {
namespace {

using test::compare;

using test::Args;
using test::FileBuilder;

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One record of a log: of statement 16, which has all of these, or of 17, which has none.
struct Record {
  bool has = true;
  double d = 0;
  float f = 0;
  long double e = 0;
  std::int64_t l = 0;
  std::uint64_t m = 0;
  Int128 n = 0;
  UInt128 o = 0;
  std::int64_t time = 0;
};

constexpr double kDoubles[] = {kNan,
                               -kNan,
                               kInfinity,
                               -kInfinity,
                               0.0,
                               -0.0,
                               1,
                               -1,
                               0.1,
                               2.5,
                               -3,
                               100,
                               1e300,
                               -1e300,
                               9007199254740992.0,
                               9007199254740994.0,
                               5e-324,
                               16777216,
                               0.30000000000000004};
constexpr const char* kConstants[] = {"0",
                                      "-0.0",
                                      "1",
                                      "-1",
                                      "0.1",
                                      "2.5",
                                      "-3",
                                      "100",
                                      "1e300",
                                      "-1e300",
                                      "1e309",
                                      "-1e309",
                                      "9007199254740992",
                                      "9007199254740993.0",
                                      "5e-324",
                                      "16777216",
                                      "16777217",
                                      "0.30000000000000004",
                                      "0.1000000014",
                                      "0.1000000016",
                                      "3.4e38",
                                      "18446744073709551615",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "18446744073709551615.5",
                                      "170141183460469231731687303715884105727",
                                      "1e31",
                                      "9223372036854775806.5",
                                      "18446744073709551614.5"};

// Returns a double of one of several distributions, which decide how a block is written.
double draw(std::mt19937_64& random, unsigned kind) {
  switch (kind) {
    case 0:
      return kNan;  // constant
    case 1:
      return kDoubles[random() % 3];  // a dictionary
    case 2:
      return random() % 50 == 0 ? kNan : static_cast<double>(random() % 2000) / 100;  // decimals
    case 3:
      return random() % 9 == 0 ? kDoubles[random() % std::size(kDoubles)]
                               : std::ldexp(static_cast<double>(random()), -64);  // no two alike
    case 4:
      return random() % 20 == 0 ? -kNan : static_cast<double>(random() % 8);  // whole numbers
    case 5:
      return 7;  // a constant that is a number
    default:
      return kDoubles[random() % std::size(kDoubles)];
  }
}

Record draw_record(std::mt19937_64& random, unsigned kind) {
  Record r;
  r.has = random() % 8 != 0;
  r.d = draw(random, kind);
  r.f = static_cast<float>(draw(random, (kind + 1) % 7));
  r.e = static_cast<long double>(draw(random, (kind + 2) % 7));
  const std::uint64_t few[] = {0,
                               1,
                               UINT64_MAX,
                               std::uint64_t{1} << 63,
                               (std::uint64_t{1} << 63) - 1,
                               (std::uint64_t{1} << 53) + 1,
                               100,
                               static_cast<std::uint64_t>(-3)};
  r.l = static_cast<std::int64_t>(kind == 5 ? few[2] : few[random() % 8]);
  r.m = kind == 5 ? few[3] : few[random() % 8];
  r.n = random() % 3 == 0 ? static_cast<Int128>(r.m) << 63 : static_cast<Int128>(r.l);
  r.o = random() % 3 == 0 ? static_cast<UInt128>(r.m) << 64 : static_cast<UInt128>(r.m);
  return r;
}

// The bytes of a type of 16.
template <class T>
Args& add_wide(Args& args, char type, const T& value) {
  struct Bytes {
    std::uint8_t bytes[16];
  } wide{};
  std::memcpy(wide.bytes, &value, type == 'e' ? 10 : 16);
  return args.add(type, wide);
}

constexpr char kReal = std::numeric_limits<long double>::digits == 64 ? 'e' : 'g';

struct Log {
  std::string bytes;
  std::vector<Record> records;
};

Log make_log(std::uint64_t seed, bool rows) {
  std::mt19937_64 random(seed);
  FileBuilder builder(rows);
  Log log;
  builder.session();
  builder.site(16, Level::kInfo, "{d} {f} {e} {l} {m} {n} {o}", std::string("df") + kReal + "lmno", 1);
  builder.site(17, Level::kWarn, "nothing", "", 2);
  builder.thread(0, 1, "main", 7);
  std::int64_t time = FileBuilder::kStart;
  for (unsigned block = 0; block < 14; ++block) {
    const std::size_t n = 1 + random() % (block % 3 == 0 ? 20 : 700);
    for (std::size_t i = 0; i < n; ++i) {
      Record r = draw_record(random, block % 7);
      r.time = time += 1 + static_cast<std::int64_t>(random() % 100);
      Args args;
      if (r.has) {
        args.add('d', r.d).add('f', r.f);
        add_wide(args, kReal, r.e);
        args.add('l', r.l).add('m', r.m);
        add_wide(add_wide(args, 'n', r.n), 'o', r.o);
      }
      builder.log(0, r.has ? 16 : 17, static_cast<std::uint64_t>(r.time), args);
      log.records.push_back(r);
    }
    builder.flush();
  }
  log.bytes = builder.end().bytes();
  return log;
}

// -1, 0, 1: how an integer stands to a decimal number as it is written. Exact: by digits.
int order_of(bool negative, UInt128 magnitude, const std::string& constant) {
  const bool other_negative = constant[0] == '-';
  std::string digits = constant.substr(other_negative ? 1 : 0);
  const std::size_t e = digits.find('e');
  long exponent = e == std::string::npos ? 0 : std::stol(digits.substr(e + 1));
  digits = digits.substr(0, e);
  const std::size_t dot = digits.find('.');
  std::string whole = digits.substr(0, dot);
  std::string fraction = dot == std::string::npos ? "" : digits.substr(dot + 1);
  for (; exponent > 0; --exponent) {
    whole += fraction.empty() ? '0' : fraction[0];
    if (!fraction.empty()) fraction.erase(0, 1);
  }
  for (; exponent < 0; ++exponent) {
    fraction.insert(0, 1, whole.empty() ? '0' : whole.back());
    if (!whole.empty()) whole.pop_back();
  }
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  std::string mine;
  for (UInt128 rest = magnitude; rest != 0; rest /= 10) mine.insert(0, 1, static_cast<char>('0' + int(rest % 10)));
  const bool zero = whole.empty() && fraction.empty();
  const int sign = magnitude == 0 ? 0 : negative ? -1 : 1;
  const int other_sign = zero ? 0 : other_negative ? -1 : 1;
  if (sign != other_sign) return sign < other_sign ? -1 : 1;
  int order = mine.size() != whole.size() ? (mine.size() < whole.size() ? -1 : 1) : mine.compare(whole);
  if (order == 0 && !fraction.empty()) order = -1;
  order = order < 0 ? -1 : order > 0 ? 1 : 0;
  return sign < 0 ? -order : order;
}

bool compare_to_decimal(const std::string& op, Int128 value, const std::string& constant) {
  const bool negative = value < 0;
  const auto magnitude = static_cast<UInt128>(value);
  return compare(op, order_of(negative, negative ? 0 - magnitude : magnitude, constant), 0);
}

struct Truth {
  std::string text;
  std::function<std::optional<bool>(const Record&)> holds;
};

// A float is what it prints as.
double printed(float value) {
  return std::isfinite(value) ? std::stod(fmt::format("{}", value)) : static_cast<double>(value);
}

Truth leaf(std::mt19937_64& random) {
  static constexpr const char* kOps[] = {"==", "!=", "<", "<=", ">", ">="};
  static constexpr const char* kFlipped[] = {"==", "!=", ">", ">=", "<", "<="};
  const std::size_t which = random() % 6;
  const std::string op = kOps[which];
  const std::string constant = kConstants[random() % std::size(kConstants)];
  static constexpr const char* kNames[] = {"d", "f", "e", "l", "m", "n", "o"};
  const std::string name = kNames[random() % 7];
  const double nearest = std::strtod(constant.c_str(), nullptr);
  const long double real = std::strtold(constant.c_str(), nullptr);
  return {random() % 4 == 0 ? constant + " " + kFlipped[which] + " " + name : name + " " + op + " " + constant,
          [=](const Record& r) -> std::optional<bool> {
            if (!r.has) return {};
            if (name == "d") return compare(op, r.d, nearest);
            if (name == "f") return compare(op, printed(r.f), nearest);
            if (name == "e") return compare(op, r.e, real);
            if (name == "l") return compare_to_decimal(op, Int128{r.l}, constant);
            if (name == "m") return compare_to_decimal(op, static_cast<Int128>(r.m), constant);
            if (name == "n") return compare_to_decimal(op, r.n, constant);
            return compare(op, order_of(false, r.o, constant), 0);
          }};
}

Truth expression(std::mt19937_64& random, int depth) {
  const std::uint64_t kind = depth > 0 ? random() % 4 : 3;
  if (kind == 3) return leaf(random);
  const Truth a = expression(random, depth - 1);
  if (kind == 2) {
    return {"not (" + a.text + ")", [a](const Record& r) -> std::optional<bool> {
              const auto truth = a.holds(r);
              return truth ? std::optional<bool>(!*truth) : std::nullopt;
            }};
  }
  const Truth b = expression(random, depth - 1);
  const bool decides = kind == 1;  // `or` is decided by true, `and` by false
  return {"(" + a.text + (decides ? ") or (" : ") and (") + b.text + ")", [=](const Record& r) -> std::optional<bool> {
            const auto x = a.holds(r);
            const auto y = b.holds(r);
            if ((x && *x == decides) || (y && *y == decides)) return decides;
            return x && y ? std::optional<bool>(!decides) : std::nullopt;
          }};
}

std::vector<std::int64_t> kept(const reader::LogSet& logs, const reader::RowFilter& filter) {
  std::vector<std::int64_t> times;
  const reader::LogFile& file = *logs.files()[0];
  for (const reader::BlockEntry& entry : file.blocks()) {
    const bool may = filter.may_match(file, entry);
    reader::DecodedBlock block;
    EXPECT_TRUE(block.decode(file, entry, {}).ok());
    std::vector<std::uint8_t> keep(block.records(), 1);
    EXPECT_TRUE(filter.select(block, keep).ok());
    for (std::uint32_t i = 0; i < block.records(); ++i) {
      if (keep[i] == 0) continue;
      EXPECT_TRUE(may) << "may_match() was wrong";
      times.push_back(block.wall(i));
    }
  }
  return times;
}

class SpecialNumbers : public testing::TestWithParam<bool> {};

TEST_P(SpecialNumbers, AreComparedAsTheMachineComparesThem) {
  const int rounds = test::random_cases(320);
  int some = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Log log = make_log(seed, GetParam());
    const test::TempFile file(log.bytes);
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    std::mt19937_64 random(seed);
    for (int round = 0; round < rounds; ++round) {
      const Truth truth = expression(random, round % 4);
      query::FilterOptions options;
      options.where = truth.text;
      auto filter = query::make_filter(options, logs);
      ASSERT_TRUE(filter.ok()) << truth.text << ": " << filter.status().message();
      std::vector<std::int64_t> expected;
      for (const Record& r : log.records) {
        if (truth.holds(r).value_or(false)) expected.push_back(r.time);
      }
      ASSERT_EQ(kept(logs, **filter), expected) << truth.text << " seed " << seed;
      some += !expected.empty() && expected.size() != log.records.size() ? 1 : 0;
    }
  }
  EXPECT_GT(some, rounds);  // conditions that decide nothing prove nothing
}
INSTANTIATE_TEST_SUITE_P(Kinds, SpecialNumbers, testing::Bool(),
                         [](const auto& rows) { return rows.param ? "Rows" : "Columns"; });

// docs/cli.md states this in words.
TEST(SpecialNumbers, NanIsNeitherLessNorEqualNorGreater) {
  FileBuilder builder;
  builder.session().site(16, Level::kInfo, "{x}", "d").thread(0, 1, "main", 7);
  for (const double x : {1.0, kNan, 9.0, -kNan, kInfinity}) {
    builder.log(0, 16, static_cast<std::uint64_t>(FileBuilder::kStart), Args().f64(x));
  }
  const test::TempFile file(builder.end().bytes());
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  const auto count = [&](const char* where) {
    query::FilterOptions options;
    options.where = where;
    return kept(logs, **query::make_filter(options, logs)).size();
  };
  EXPECT_EQ(count("x > 5"), 2u);
  EXPECT_EQ(count("5 < x"), 2u);
  EXPECT_EQ(count("x >= 5"), 2u);
  EXPECT_EQ(count("x < 5"), 1u);
  EXPECT_EQ(count("x <= 5"), 1u);
  EXPECT_EQ(count("x == 5"), 0u);
  EXPECT_EQ(count("x != 5"), 5u);
  EXPECT_EQ(count("not (x <= 5)"), 4u);
  EXPECT_EQ(count("not (x > 5)"), 3u);
  EXPECT_EQ(count("x not in (1, 9)"), 3u);
  EXPECT_EQ(count("not (x <= 5 or x > 5)"), 2u);  // NaN alone
  EXPECT_EQ(count("x is null"), 0u);
}

}  // namespace
}  // namespace steno
