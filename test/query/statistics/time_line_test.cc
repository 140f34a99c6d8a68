// The time line of random logs: what the records say, from their index alone where that tells.
#include "query/statistics/time_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "../random_cases.h"
#include "../reader/indexed_log.h"
#include "../reader/temp_file.h"
#include "query/filter/filter.h"
#include "random_log.h"

namespace steno::query {
namespace {

using test::KnownLog;
using test::KnownRecord;

struct Opened {
  explicit Opened(const std::string& bytes) : file(bytes), logs(test::kByIndex) {
    EXPECT_TRUE(logs.add(file.path()).ok());
  }
  test::TempFile file;
  reader::LogSet logs;
};

TimeSpan span_of(const KnownLog& log) {
  TimeSpan span{INT64_MAX, INT64_MIN};
  for (const KnownRecord& record : log.records) {
    span.first = std::min(span.first, record.time);
    span.last = std::max(span.last, record.time);
  }
  return span;
}

TEST(TimeLine, CountsWhatWasLogged) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const KnownLog log = test::random_log(seed, seed % 4 == 0, 12, 500);
    const Opened opened(test::with_indexes(log.bytes, 4));
    std::mt19937 random(seed);
    for (int round = 0; round < test::random_cases(20); ++round) {
      const test::KnownCondition condition = test::random_condition(random, log, round % 3);
      FilterOptions options;
      options.where = condition.text;
      auto expression = make_expression(options, opened.logs);
      ASSERT_TRUE(expression.ok()) << condition.text;
      const Predicate predicate(std::move(expression).value(), opened.logs);
      TimeLine line = make_time_line(span_of(log), 1 + random() % 50);
      std::vector<std::array<std::uint64_t, kLevelPlaces>> expected(line.steps.size());
      for (const KnownRecord& record : log.records) {
        if (round % 2 == 0 && !condition.holds(record).value_or(false)) continue;
        const auto step = static_cast<std::size_t>((record.time - line.from) / line.step);
        ++expected[step][static_cast<std::size_t>(record.level)];
      }
      count_on({&opened.logs, nullptr, round % 2 == 0 ? &predicate : nullptr}, &line);
      ASSERT_EQ(line.steps, expected) << condition.text << " seed " << seed;
    }
  }
}

// Blocks whose records the index counts may hold any bytes: nobody looks.
TEST(TimeLine, BlocksWithinAStepAreNotRead) {
  const KnownLog log = test::random_log(3, false, 12, 500);
  std::string bytes = test::with_indexes(log.bytes, 4);
  std::size_t told = 0;
  {
    const Opened sound(bytes);
    for (const reader::BlockEntry& block : sound.logs.files()[0]->blocks()) {
      if (block.sites == 0) continue;
      std::memset(bytes.data() + block.offset, 0xA5, block.length);
      ++told;
    }
  }
  ASSERT_GT(told, 8u);
  const Opened opened(bytes);
  TimeLine line = make_time_line({INT64_MIN / 4, INT64_MAX / 4}, 1);
  count_on({&opened.logs}, &line);
  std::uint64_t all = 0;
  for (const auto& step : line.steps) all = std::accumulate(step.begin(), step.end(), all);
  EXPECT_EQ(all, log.records.size());
  EXPECT_TRUE(line.failures.empty());
}

}  // namespace
}  // namespace steno::query
