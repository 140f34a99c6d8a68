// Tests how many lines a second of a statement are printed, whatever order their times have.
#include "lines/rate_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace steno::lines {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kFirst = 1'800'000'000 * kSecond;

reader::Site busy_site() {
  wire::SiteInfo info;
  info.id = 16;
  info.line = 88;
  info.format = "busy";
  info.file = "src/server.cc";
  return {std::move(info), true, 0, reader::Secrets::kRedacted, 0};
}

// One that fails to count every record, or prints more of them than it may, fails.
struct Printed {
  explicit Printed(std::uint64_t most) : limit(most) {}

  void add(std::int64_t time) {
    lines += limit.takes(site, time, &text);
    ++records;
  }
  std::uint64_t counted() const {
    std::uint64_t sum = 0;
    for (std::size_t at = text.find("… "); at != std::string::npos; at = text.find("… ", at + 1)) {
      std::string number = text.substr(at + std::string("… ").size(), 20);
      number.erase(std::remove(number.begin(), number.end(), ','), number.end());
      sum += std::stoull(number);
    }
    return sum;
  }

  const reader::Site site = busy_site();
  RateLimit limit;
  std::string text;
  std::uint64_t lines = 0;
  std::uint64_t records = 0;
};

// Two threads, or two files, whose records come a little out of order around the end of a second.
TEST(RateLimit, ASecondIsNotBegunAgainByARecordThatComesLate) {
  Printed printed(10);
  for (int i = 0; i < 1000; ++i) printed.add(kFirst + kSecond - 1 + i % 2);
  EXPECT_EQ(printed.lines, 11u);
  printed.text += printed.limit.counted();
  EXPECT_EQ(printed.lines + printed.counted(), printed.records) << printed.text;
}

// Nothing is held back for long: where a clock was set back, or another host's is behind, its seconds count.
TEST(RateLimit, AClockThatWasSetBackBeginsASecond) {
  Printed printed(10);
  for (int i = 0; i < 100; ++i) printed.add(kFirst);
  for (std::int64_t second = -3600; second < -3590; ++second) {
    for (int i = 0; i < 100; ++i) printed.add(kFirst + second * kSecond + i);
  }
  EXPECT_EQ(printed.lines, 110u);
}

TEST(RateLimitProperty, AllAreLinesOrCounted) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t most = random() % 20 + 1;
    Printed printed(most);
    std::int64_t time = kFirst;
    for (int i = 0; i < 2000; ++i) {
      time += static_cast<std::int64_t>(random() % 5'000'000);
      printed.add(time - static_cast<std::int64_t>(random() % kSecond));
    }
    printed.text += printed.limit.counted();
    ASSERT_EQ(printed.lines + printed.counted(), printed.records) << printed.text;
    ASSERT_LE(printed.lines, most * static_cast<std::uint64_t>((time - kFirst) / kSecond + 3));
  }
}

}  // namespace
}  // namespace steno::lines
