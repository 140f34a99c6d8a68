// Points in time as people write them.
#include "query/time_spec.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace steno::query {
namespace {

constexpr std::int64_t kOneSecond = 1'000'000'000;
constexpr std::int64_t kSomeDay = 1'800'000'000 * kOneSecond;  // 2027-01-15T08:00:00Z

TimeContext context() {
  return {kSomeDay + 3600 * kOneSecond, kSomeDay, kSomeDay + 60 * kOneSecond, false};
}

std::int64_t time_of(std::string_view text) {
  const auto time = parse_time(text, context());
  EXPECT_TRUE(time.ok()) << text << ": " << time.status().message();
  return time.ok() ? *time : -1;
}

TEST(Time, Absolute) {
  EXPECT_EQ(time_of("2027-01-15T08:00:00Z"), kSomeDay);
  EXPECT_EQ(time_of("2027-01-15 08:00:00.123456789Z"), kSomeDay + 123456789);
  EXPECT_EQ(time_of("2027-01-15T08:00:00.5"), kSomeDay + kOneSecond / 2);
  EXPECT_EQ(time_of("2027-01-15 08:00"), kSomeDay);
  EXPECT_EQ(time_of("2027-01-15 09:00:00+01:00"), kSomeDay);
  EXPECT_EQ(time_of("2027-01-15 03:30:00-0430"), kSomeDay);
  EXPECT_EQ(time_of("2027-01-15"), kSomeDay - 8 * 3600 * kOneSecond);
}

TEST(Time, OfTheLastDay) {
  EXPECT_EQ(time_of("08:00:30"), kSomeDay + 30 * kOneSecond);
  EXPECT_EQ(time_of("14:03"), kSomeDay + (6 * 3600 + 3 * 60) * kOneSecond);
  EXPECT_EQ(time_of("08:00:00.000000001"), kSomeDay + 1);
}

TEST(Time, Relative) {
  EXPECT_EQ(time_of("10m ago"), kSomeDay + 50 * 60 * kOneSecond);
  EXPECT_EQ(time_of("last 30s before end"), kSomeDay + 30 * kOneSecond);
  EXPECT_EQ(time_of("30s before end"), kSomeDay + 30 * kOneSecond);
  EXPECT_EQ(time_of("last 1.5s"), kSomeDay + 60 * kOneSecond - 1'500'000'000);
  EXPECT_EQ(time_of("1m30s after start"), kSomeDay + 90 * kOneSecond);
  EXPECT_EQ(time_of("first 5ms"), kSomeDay + 5'000'000);
  EXPECT_EQ(time_of("end"), kSomeDay + 60 * kOneSecond);
  EXPECT_EQ(time_of("start"), kSomeDay);
  EXPECT_EQ(time_of("now"), kSomeDay + 3600 * kOneSecond);
}

TEST(Time, Local) {
  ::setenv("TZ", "Europe/Vienna", 1);
  ::tzset();
  TimeContext local = context();
  local.local = true;
  EXPECT_EQ(*parse_time("2027-01-15 09:00:00", local), kSomeDay);
  EXPECT_EQ(*parse_time("09:00", local), kSomeDay);
  EXPECT_EQ(*parse_time("2027-01-15T08:00:00Z", local), kSomeDay);
  ::unsetenv("TZ");
  ::tzset();
}

TEST(Time, Nonsense) {
  for (const char* text :
       {"", "noon", "2027-13-01", "2027-02-31", "25:00", "08:61", "10 parsecs ago", "ago", "last", "-5s ago",
        "2027-01-15T08:00:00Q", "2027-01-15T", "1e3s ago", "0s ago", "99999999999d ago", "9999-01-01"}) {
    const auto time = parse_time(text, context());
    EXPECT_FALSE(time.ok()) << text;
    EXPECT_EQ(time.status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(Duration, Units) {
  EXPECT_EQ(*parse_duration("7ns"), 7);
  EXPECT_EQ(*parse_duration("1us"), 1'000);
  EXPECT_EQ(*parse_duration("250 ms"), 250'000'000);
  EXPECT_EQ(*parse_duration("2min"), 120 * kOneSecond);
  EXPECT_EQ(*parse_duration("1h 30m"), 5400 * kOneSecond);
  EXPECT_EQ(*parse_duration("2w"), 14 * 86400 * kOneSecond);
}

}  // namespace
}  // namespace steno::query
