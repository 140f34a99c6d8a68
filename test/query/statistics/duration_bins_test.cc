// Bars of durations: together they hold each once, between edges that are round numbers.
#include "query/statistics/duration_bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace steno::query {
namespace {

bool is_round(std::int64_t edge) {
  while (edge >= 100 && edge % 10 == 0) edge /= 10;
  return edge < 100;
}

TEST(DurationBinsProperty, EachDurationIsInOneBar) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const unsigned least = static_cast<unsigned>(random() % 60);
    const unsigned width = 1 + static_cast<unsigned>(random() % (round % 3 == 0 ? 63 - least : 4));
    std::vector<std::int64_t> all;
    DurationBins bins;
    for (std::uint64_t i = random() % 500 + 1; i != 0; --i) {
      const std::uint64_t most = std::uint64_t{1} << std::min(62u, least + static_cast<unsigned>(random() % width));
      const auto value = static_cast<std::int64_t>((std::uint64_t{1} << least) / 2 + random() % most);
      all.push_back(value);
      bins.add(value);
    }
    const std::vector<DurationBar> bars = bins.bars();
    ASSERT_FALSE(bars.empty());
    EXPECT_LE(bars.size(), 60u);
    EXPECT_NE(bars.front().count, 0u);
    EXPECT_NE(bars.back().count, 0u);
    for (std::size_t i = 0; i < bars.size(); ++i) {
      EXPECT_LT(bars[i].low, bars[i].high);
      EXPECT_TRUE(is_round(bars[i].low) && is_round(bars[i].high)) << bars[i].low << " " << bars[i].high;
      if (i != 0) {
        EXPECT_EQ(bars[i].low, bars[i - 1].high);
      }
      EXPECT_EQ(bars[i].count, static_cast<std::uint64_t>(std::count_if(
                                   all.begin(), all.end(),
                                   [&](std::int64_t value) { return value >= bars[i].low && value < bars[i].high; })))
          << bars[i].low << " .. " << bars[i].high;
    }
  }
}

TEST(DurationBins, NothingAndTheEnds) {
  EXPECT_TRUE(DurationBins().bars().empty());
  DurationBins bins;
  for (const std::int64_t value : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1}, INT64_MAX}) bins.add(value);
  const auto bars = bins.bars();
  EXPECT_EQ(bars.front().low, 0);
  EXPECT_EQ(bars.front().count, 2u);
  EXPECT_EQ(bars[1].low, 1);
  EXPECT_EQ(bars[1].count, 1u);
  EXPECT_EQ(bars.back().high, INT64_MAX);
  EXPECT_EQ(bars.back().count, 1u);
}

}  // namespace
}  // namespace steno::query
