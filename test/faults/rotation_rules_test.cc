// When files are rotated, and what closed ones are called: the rules alone.
#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/iso_time.h"
#include "logfile/closed_name.h"
#include "logfile/rotation_schedule.h"
#include "logfile/rotator.h"

namespace steno::logfile {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// "2026-03-29T00:30:00", UTC.
std::int64_t utc(const char* text) {
  tm parts{};
  EXPECT_NE(strptime(text, "%Y-%m-%dT%H:%M:%S", &parts), nullptr) << text;
  return static_cast<std::int64_t>(timegm(&parts)) * kSecond;
}

class ZoneScope {
 public:
  explicit ZoneScope(const char* zone) {
    const char* before = getenv("TZ");
    had_ = before != nullptr;
    if (had_) before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  ~ZoneScope() {
    if (had_) setenv("TZ", before_.c_str(), 1);
    if (!had_) unsetenv("TZ");
    tzset();
  }

 private:
  bool had_ = false;
  std::string before_;
};

bool has_zone(const char* zone, const char* winter_and_summer) {
  const ZoneScope scope(zone);
  const time_t january = 1'767'225'600;
  const time_t july = january + 181 * 86400;
  tm parts{};
  std::string offsets;
  for (const time_t when : {january, july}) offsets += std::to_string(localtime_r(&when, &parts)->tm_gmtoff) + " ";
  return offsets == winter_and_summer;
}

// The moments after `from`, in UTC.
std::vector<std::string> moments(const char* when, const char* from, int count, bool local = true) {
  const auto schedule = RotationSchedule::parse(when, local);
  EXPECT_TRUE(schedule.ok()) << schedule.status().message();
  std::vector<std::string> out;
  std::int64_t at = utc(from);
  for (int i = 0; i < count && schedule.ok(); ++i) {
    at = schedule->next(at);
    out.push_back(iso_time(at).substr(0, 16));
  }
  return out;
}

using Times = std::vector<std::string>;

TEST(RotationSchedule, Utc) {
  EXPECT_EQ(moments("hourly", "2026-11-22T20:15:00", 2, false), (Times{"2026-11-22T21:00", "2026-11-22T22:00"}));
  EXPECT_EQ(moments("hourly", "2026-11-22T20:00:00", 1, false), (Times{"2026-11-22T21:00"})) << "after, not at";
  EXPECT_EQ(moments("daily", "2026-11-22T20:15:00", 2, false), (Times{"2026-11-23T00:00", "2026-11-24T00:00"}));
  EXPECT_EQ(moments("midnight", "2026-11-22T20:15:00", 2, false), (Times{"2026-11-23T00:00", "2026-11-24T00:00"}));
  EXPECT_EQ(moments("daily 20:16", "2026-11-22T20:15:00", 2, false), (Times{"2026-11-22T20:16", "2026-11-23T20:16"}));
  EXPECT_EQ(moments("weekly", "2026-11-22T20:15:00", 2, false), (Times{"2026-11-23T00:00", "2026-11-30T00:00"}));
  EXPECT_EQ(moments("weekly sun 03:30", "2026-11-22T20:15:00", 1, false), (Times{"2026-11-29T03:30"}));
  EXPECT_EQ(moments("every 15m", "2026-11-22T20:15:00", 2, false), (Times{"2026-11-22T20:30", "2026-11-22T20:45"}));
  EXPECT_EQ(moments("every 6h", "2026-11-22T20:15:00", 2, false), (Times{"2026-11-23T00:00", "2026-11-23T06:00"}));
  EXPECT_EQ(moments("hourly", "1969-12-31T22:30:00", 1, false), (Times{"1969-12-31T23:00"}));
  EXPECT_TRUE(RotationSchedule::parse("", false)->never());
  EXPECT_TRUE(RotationSchedule::parse(" ", false)->never());
}

TEST(RotationSchedule, LocalTimeWithoutDaylightSaving) {
  if (!has_zone("Asia/Kolkata", "19800 19800 ")) GTEST_SKIP() << "no zone rules here";
  const ZoneScope zone("Asia/Kolkata");  // 5:30 east
  EXPECT_EQ(moments("daily", "2026-11-22T20:15:00", 2), (Times{"2026-11-23T18:30", "2026-11-24T18:30"}));
  EXPECT_EQ(moments("hourly", "2026-11-22T20:15:00", 1), (Times{"2026-11-22T20:30"}));
}

TEST(RotationSchedule, ZonesThatAreRulesOnly) {
  const ZoneScope zone("EST5");
  EXPECT_EQ(moments("daily 01:00", "2026-07-01T12:00:00", 2), (Times{"2026-07-02T06:00", "2026-07-03T06:00"}));
}

TEST(RotationSchedule, TheClockIsSetForward) {
  if (!has_zone("Europe/Berlin", "3600 7200 ")) GTEST_SKIP() << "no zone rules here";
  const ZoneScope zone("Europe/Berlin");  // at 01:00 UTC on 2026-03-29 from 02:00 to 03:00
  EXPECT_EQ(moments("daily", "2026-03-28T12:00:00", 3),
            (Times{"2026-03-28T23:00", "2026-03-29T22:00", "2026-03-30T22:00"}));
  EXPECT_EQ(moments("daily 02:30", "2026-03-28T12:00:00", 2), (Times{"2026-03-29T01:00", "2026-03-30T00:30"}))
      << "it is left out: when the clock goes past it";
  EXPECT_EQ(moments("hourly", "2026-03-29T00:00:00", 3),
            (Times{"2026-03-29T01:00", "2026-03-29T02:00", "2026-03-29T03:00"}));
  EXPECT_EQ(moments("every 6h", "2026-03-28T23:00:00", 2), (Times{"2026-03-29T04:00", "2026-03-29T10:00"}));
}

TEST(RotationSchedule, TheClockIsSetBack) {
  if (!has_zone("Europe/Berlin", "3600 7200 ")) GTEST_SKIP() << "no zone rules here";
  const ZoneScope zone("Europe/Berlin");  // at 01:00 UTC on 2026-10-25 from 03:00 to 02:00
  EXPECT_EQ(moments("daily", "2026-10-24T12:00:00", 3),
            (Times{"2026-10-24T22:00", "2026-10-25T23:00", "2026-10-26T23:00"}));
  EXPECT_EQ(moments("daily 02:30", "2026-10-24T12:00:00", 2), (Times{"2026-10-25T00:30", "2026-10-26T01:30"}))
      << "it is there twice: the first time only";
  EXPECT_EQ(moments("hourly", "2026-10-25T00:00:00", 3),
            (Times{"2026-10-25T01:00", "2026-10-25T02:00", "2026-10-25T03:00"}))
      << "an hour that is there twice is two";
}

TEST(RotationSchedule, HalfAnHour) {
  if (!has_zone("Australia/Lord_Howe", "39600 37800 ")) GTEST_SKIP() << "no zone rules here";
  const ZoneScope zone("Australia/Lord_Howe");  // at 15:00 UTC on 2026-04-04 from 02:00 to 01:30
  EXPECT_EQ(moments("hourly", "2026-04-04T14:00:00", 2), (Times{"2026-04-04T15:30", "2026-04-04T16:30"}));
}

// The next moment is later than any given one, and none is left out.
TEST(RotationSchedule, MomentsFollowEachOther) {
  for (const char* name : {"Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "UTC"}) {
    const ZoneScope zone(name);
    for (const char* when : {"hourly", "daily 02:30", "daily", "weekly sun 02:30", "every 6h", "every 10s"}) {
      const RotationSchedule schedule = *RotationSchedule::parse(when, true);
      for (std::int64_t at = utc("2026-01-01T00:00:00"); at < utc("2027-01-01T00:00:00"); at += 9973 * kSecond) {
        const std::int64_t next = schedule.next(at);
        ASSERT_GT(next, at) << name << " " << when << " " << iso_time(at);
        ASSERT_LE(next - at, 8 * 86400 * kSecond) << name << " " << when << " " << iso_time(at);
        ASSERT_EQ(schedule.next(next - 1), next) << name << " " << when << " " << iso_time(at);
      }
    }
  }
}

TEST(RotationSchedule, WhatIsNoneIsRefused) {
  for (const char* when : {"dayly", "daily 24:00", "daily 3", "daily 03:3", "daily 03:30 utc", "weekly xyz", "every",
                           "every 7m", "every 5h", "every 0s", "every 10", "every -5m", "hourly 00:30", "every 25h"}) {
    const auto schedule = RotationSchedule::parse(when, true);
    ASSERT_FALSE(schedule.ok()) << when;
    EXPECT_NE(schedule.status().message().find(when), std::string::npos);
  }
}

TEST(ClosedName, MakesAndKnowsItsNames) {
  const ClosedName name = *ClosedName::parse("{stem}.{time}{ext}", "app.steno");
  EXPECT_EQ(name.make("2026-11-22T20-15-00", 0, 1), "app.2026-11-22T20-15-00.steno");
  EXPECT_EQ(name.make("2026-11-22T20-15-00", 0, 2), "app.2026-11-22T20-15-00_2.steno");
  std::uint64_t number = 0;
  EXPECT_TRUE(name.matches("app.2026-11-22T20-15-00.steno", &number));
  EXPECT_TRUE(name.matches("app.2026-11-22T20-15-00_12.steno", &number));
  for (const char* other :
       {"app.steno", "app.2026-11-22T20-15-00.steno.gz", "app.2026-11-22.steno", "", "app.2026-11-22T20-15-00_.steno",
        "other.2026-11-22T20-15-00.steno", "app.2026-11-22T20-15-0x.steno", "app.2026-11-22T20-15-00_1x.steno"}) {
    EXPECT_FALSE(name.matches(other, &number)) << other;
  }
  const ClosedName numbered = *ClosedName::parse("{stem}{ext}.{n}", "log");
  EXPECT_EQ(numbered.make("", 12, 0), "log.12");
  EXPECT_TRUE(numbered.matches("log.12", &number));
  EXPECT_EQ(number, 12u);
  EXPECT_FALSE(numbered.matches("log.", &number));
  EXPECT_FALSE(numbered.matches("log.9999999999999999999999", &number));
  const ClosedName both = *ClosedName::parse("{stem}-{date}-{pid}{n}", ".hidden");
  EXPECT_TRUE(both.matches(both.make("2026-11-22T20-15-00", 7, 0), &number))
      << "the stem of a hidden file is all of it";
}

TEST(ClosedName, WhatCannotTellFilesApartIsRefused) {
  for (const char* pattern :
       {"", "{stem}{ext}", "{time}{ext}", "{stem}.{tiem}", "{stem}/{n}", "{stem}.{n", "}{stem}{n}"})
    EXPECT_FALSE(ClosedName::parse(pattern, "app.steno").ok()) << pattern;
  Rotation rotation;
  rotation.max_bytes = 100;
  EXPECT_FALSE(check_rotation(rotation, "/x/app.steno").ok());
  rotation.max_bytes = 4096;
  EXPECT_TRUE(check_rotation(rotation, "/x/app.steno").ok());
  rotation.keep_for = std::chrono::seconds(-1);
  EXPECT_FALSE(check_rotation(rotation, "/x/app.steno").ok());
}

}  // namespace
}  // namespace steno::logfile
