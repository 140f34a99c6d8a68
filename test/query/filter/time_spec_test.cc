// Points in time as people write them.
#include "query/filter/time_spec.h"

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

// The last such time in the log, by the clock of whoever asks.
TEST(Time, OfTheLog) {
  TimeContext night;  // 2027-01-14 22:00 to 2027-01-15 03:00
  night.first = kSomeDay - 10 * 3600 * kOneSecond;
  night.last = kSomeDay - 5 * 3600 * kOneSecond;
  const auto at = [&](std::string_view text) { return (*parse_time(text, night) - kSomeDay) / kOneSecond; };
  EXPECT_EQ(at("02:41"), -(5 * 3600 + 19 * 60));
  EXPECT_EQ(at("2:41"), at("02:41"));
  EXPECT_EQ(at("2:41:00 UTC"), at("02:41"));
  EXPECT_EQ(at("3:41 +01:00"), at("02:41"));
  EXPECT_EQ(at("23:30"), -(8 * 3600 + 30 * 60));  // the day before
  EXPECT_EQ(at("12:00"), 4 * 3600);               // not in the log: on the day of its end
  EXPECT_EQ(at("21:59"), 13 * 3600 + 59 * 60);
  EXPECT_EQ(at("Jan 15 02:41"), at("02:41"));
  EXPECT_EQ(at("jan 14 23:30:00"), at("23:30"));
  EXPECT_EQ(at("15 Jan 2027 2:41"), at("02:41"));
  EXPECT_EQ(at("Fri Jan 15 02:41:00 2027"), at("02:41"));
  EXPECT_EQ(at("Fri, 15 Jan 2027 02:41:00 GMT"), at("02:41"));
  EXPECT_EQ(*parse_time("Dec 31", night), *parse_time("2026-12-31", night));  // the last before the log's end
}

TEST(Time, RangesMayEndOnTheNextDay) {
  TimeContext night;
  night.first = kSomeDay - 10 * 3600 * kOneSecond;
  night.last = kSomeDay - 5 * 3600 * kOneSecond;
  const auto length = [&](std::string_view text) {
    const auto span = parse_range(text, night);
    return (span->last + 1 - span->first) / kOneSecond;
  };
  EXPECT_EQ(length("02:41..02:50"), 9 * 60);
  EXPECT_EQ(length("23:50..00:10"), 20 * 60);
  EXPECT_EQ(length("02:55 .. 3:05"), 10 * 60);
  EXPECT_EQ(length("23:50..2027-01-15 00:10"), 20 * 60);
  EXPECT_EQ(parse_range("02:41..", night)->last, INT64_MAX);
  EXPECT_EQ(parse_range("..02:41", night)->first, INT64_MIN);
  EXPECT_EQ(parse_span("02:41", "02:41", night)->empty(), true);
  for (const char* text : {"..", "02:41", "tea..time", ""}) EXPECT_FALSE(parse_range(text, night).ok()) << text;
}

TEST(Time, RangesMayHaveALength) {
  const auto same = [](std::string_view text, std::string_view other) {
    const auto one = parse_range(text, context());
    const auto two = parse_range(other, context());
    ASSERT_TRUE(one.ok() && two.ok()) << text << ": " << one.status().message() << two.status().message();
    EXPECT_EQ(one->first, two->first) << text;
    EXPECT_EQ(one->last, two->last) << text;
  };
  for (const char* text : {"08:00:10..15s", "08:00:10+15s", "08:00:10 + 15s", "08:00:10..+15s", "08:00:10-08:00:25",
                           "08:00:10 - 08:00:25", "2027-01-15 08:00:10-8:00:25", "2027-01-15T08:00:10Z+15s"}) {
    same(text, "08:00:10..08:00:25");
  }
  same("start..15s", "start..15s after start");
  same("2027-01-15 - 2027-01-16", "2027-01-15..2027-01-16");
  same("30m..10m", "30m ago..10m ago");  // both are before now
  same("last 30m..10m", "30m before end..10m ago");
  same("..10m", "..10m ago");
  same("08:00..-10m", "08:00..10m ago");
  for (const char* text : {"08:00 +01:00", "08:00 - 15m", "2027-01-15", "-10m", "08:00+", "2027-01-15T08:00-05:00"}) {
    EXPECT_FALSE(parse_range(text, context()).ok()) << text;
  }
  for (const char* text : {"08:00..", "02:00-02:05", "02:03+1m"}) EXPECT_TRUE(is_range(text)) << text;
  for (const char* text : {"08:00", "2027-01-15T08:00-05:00", "-5m", "5m", "2027-01-15"})
    EXPECT_FALSE(is_range(text)) << text;
  EXPECT_EQ(parse_range("08:00", context()).status().message(),
            "'08:00' is not a range; write 08:00..END, 08:00..15m (for that long), 08:00.. or ..08:00");
  EXPECT_EQ(parse_range("tea", context()).status().message(),
            "'tea' is not a range; write 02:41..02:50, 02:41..15m (for that long), 02:41.. or ..02:41");
}

// Two times that were swapped are no night.
TEST(Time, RangesThatEndBeforeTheyBegin) {
  TimeContext day;  // 2027-01-15 00:00 to 20:00
  day.first = kSomeDay - 8 * 3600 * kOneSecond;
  day.last = kSomeDay + 12 * 3600 * kOneSecond;
  for (const char* text : {"02:50..02:35", "02:50-02:35", "18:00..06:30"})
    EXPECT_FALSE(parse_range(text, day).ok()) << text;
  EXPECT_EQ(parse_range("02:50..02:35", day).status().message(),
            "'02:35' is before '02:50', and the log has no records of the day after");
  EXPECT_FALSE(parse_span("02:50", "02:35", day).ok());
  for (const char* text : {"19:50..00:10", "20:30..20:10"}) EXPECT_TRUE(parse_range(text, day).ok()) << text;
  day.last = kSomeDay + 17 * 3600 * kOneSecond;  // until 01:00
  const auto night = parse_range("18:00..06:30", day);
  ASSERT_TRUE(night.ok());
  EXPECT_EQ(night->last + 1 - night->first, 12 * 3600 * kOneSecond + 1800 * kOneSecond);
}

TEST(Time, BeforeNow) {
  EXPECT_EQ(time_of("5m"), kSomeDay + 55 * 60 * kOneSecond);
  EXPECT_EQ(time_of("-5m"), time_of("5m"));
  EXPECT_EQ(time_of("1 hour ago"), kSomeDay);
  EXPECT_EQ(time_of("30 minutes 30 seconds ago"), kSomeDay + 1770 * kOneSecond);
  EXPECT_EQ(time_of("today"), kSomeDay - 8 * 3600 * kOneSecond);
  EXPECT_EQ(time_of("yesterday"), kSomeDay - 32 * 3600 * kOneSecond);
  EXPECT_EQ(time_of("yesterday 08:00"), kSomeDay - 24 * 3600 * kOneSecond);
  EXPECT_EQ(time_of("Today 8:00 UTC"), kSomeDay);
}

TEST(Time, SinceTheEpoch) {
  for (const char* text : {"@1800000000", "1800000000", "1800000000000", "1800000000000000", "1800000000000000000"}) {
    EXPECT_EQ(time_of(text), kSomeDay) << text;
  }
  EXPECT_EQ(time_of("@1800000000.25"), kSomeDay + kOneSecond / 4);
  EXPECT_EQ(time_of("@5"), 5 * kOneSecond);
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
  for (const char* text : {"",
                           "noon",
                           "2027-13-01",
                           "2027-02-31",
                           "25:00",
                           "08:61",
                           "10 parsecs ago",
                           "ago",
                           "last",
                           "-5s ago",
                           "2027-01-15T08:00:00Q",
                           "@",
                           "@x",
                           "123",
                           "2:5",
                           "Jan 32",
                           "Jin 3",
                           "yesterdays",
                           "5 m s",
                           "30 Feb",
                           "1800000000x",
                           "2027-01-15T",
                           "1e3s ago",
                           "0s ago",
                           "99999999999d ago",
                           "@9999999999",
                           "99999999999",
                           "99999999999999",
                           "99999999999999999",
                           "@9223372036854775808",
                           "9999-01-01"}) {
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
