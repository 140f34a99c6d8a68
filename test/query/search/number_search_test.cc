// Patterns of digits in messages of numbers that lie packed in the file: what is counted is what the messages have,
// with numbers that grow, that are near each other, in equal steps, scattered, or rounded when they are printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../random_cases.h"
#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "count_records.h"
#include "query/search/pattern.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using Rng = std::mt19937_64;

// A column of integers of one kind.
class Integers {
 public:
  explicit Integers(Rng& rng)
      : rng_(rng), kind_(rng() % 5), shift_(40 + rng() % 23), value_(rng() >> shift_ >> rng() % 8) {}

  std::uint64_t next() {
    switch (kind_) {
      case 0:
        return rng_() >> shift_;
      case 1:
        return value_ += rng_() % 4;
      case 2:
        return value_ += 3;
      case 3:
        return value_ + 10 * (rng_() % 40);
      default:
        return rng_() % 50 == 0 ? rng_() >> (shift_ - 8) : rng_() % 300;
    }
  }

 private:
  Rng& rng_;
  const std::uint64_t kind_, shift_;
  std::uint64_t value_;
};

struct Log {
  std::string bytes;
  std::vector<std::string> messages;
};

Log random_numbers(Rng& rng) {
  Log log;
  FileBuilder b;
  const int first = static_cast<int>(rng() % 4);
  const int second = static_cast<int>(rng() % 3);
  const bool at_end = rng() % 2 == 0;
  const std::string end = at_end ? "" : " us";
  b.session()
      .thread(0, 1, "main")
      .site(16, Level::kInfo, fmt::format("n {{n}} of {{x:.{}f}}, {{y:.{}f}}: {{i}}{}", first, second, end), "mddi");
  const double x_scale = std::pow(10.0, static_cast<double>(rng() % 5));
  const double y_scale = std::pow(10.0, static_cast<double>(rng() % 4));
  std::int64_t at = FileBuilder::kStart;
  for (int block = 0; block < 3; ++block) {
    Integers n(rng);
    Integers x(rng);
    Integers y(rng);
    Integers i(rng);
    const std::int32_t less = rng() % 3 == 0 ? 500 : 0;
    for (std::size_t records = 100 + rng() % 4'000; records > 0; --records) {
      const std::uint64_t a = n.next();
      const double p = static_cast<double>(x.next()) / x_scale;
      const double q = static_cast<double>(y.next()) / y_scale * (rng() % 500 == 0 ? -1 : 1);
      const auto k = static_cast<std::int32_t>(i.next() & INT32_MAX) - less;
      b.log(0, 16, static_cast<std::uint64_t>(++at), Args().u64(a).f64(p).f64(q).i32(k));
      log.messages.push_back(fmt::format("n {} of {:.{}f}, {:.{}f}: {}{}", a, p, first, q, second, k, end));
    }
    b.flush();
  }
  log.bytes = b.end().bytes();
  return log;
}

std::string random_digits(Rng& rng, const Log& log) {
  if (rng() % 8 == 0) return std::to_string(rng() >> (40 + rng() % 22));
  const std::string& message = log.messages[rng() % log.messages.size()];
  for (;;) {
    const std::size_t at = rng() % message.size();
    const std::string text = message.substr(at, 1 + rng() % 9);
    if (text.find_first_of("0123456789") != std::string::npos) return text;
  }
}

TEST(NumberSearch, FindsWhatIsPrinted) {
  const int rounds = test::random_cases(60);
  std::size_t found = 0;
  std::size_t none = 0;
  for (std::uint32_t seed = 1; seed <= 16; ++seed) {
    Rng rng(seed);
    const Log log = random_numbers(rng);
    const test::TempFile file(log.bytes);
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    for (int round = 0; round < rounds; ++round) {
      const bool negated = rng() % 4 == 0;  // then nothing goes by what columns claim
      const std::string text = random_digits(rng, log);
      FilterOptions options;
      options.where = fmt::format("{}message contains \"{}\"{}", negated ? "not (" : "", text, negated ? ")" : "");
      const auto answer = count_records(logs, options);
      ASSERT_TRUE(answer.ok()) << answer.status().message();
      ASSERT_TRUE(answer->failures.empty());
      std::size_t expected = 0;
      for (const std::string& message : log.messages) expected += (message.find(text) != std::string::npos) != negated;
      ASSERT_EQ(answer->rows.at(0).values[0].as_double(), static_cast<double>(expected))
          << options.where << ", seed " << seed;
      found += expected != 0 && expected != log.messages.size() ? 1 : 0;
      none += expected == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(found, 6u * rounds);
  EXPECT_GT(none, 0u);
}

}  // namespace
}  // namespace steno::query
