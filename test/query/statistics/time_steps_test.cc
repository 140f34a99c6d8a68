// Steps of time, in UTC and where clocks change; and that steps without records are shown.
#include "query/statistics/time_steps.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "query/statistics/aggregate.h"

namespace steno::query {
namespace {

using test::FileBuilder;
using test::TempFile;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

std::int64_t utc(const char* text) {
  TimeContext context;
  return *parse_time(text, context);
}

struct ZoneGuard {
  explicit ZoneGuard(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  ~ZoneGuard() {
    ::unsetenv("TZ");
    ::tzset();
  }
};
constexpr const char* kVienna = "CET-1CEST,M3.5.0,M10.5.0/3";
constexpr const char* kLordHowe = "LHST-10:30LHDT-11,M10.1.0,M4.1.0";  // half an hour
constexpr const char* kKolkata = "IST-5:30";
constexpr const char* kNewYork = "EST5EDT,M3.2.0,M11.1.0";

TEST(TimeSteps, InUtcAreMultiplesOfTheirWidth) {
  const TimeSteps steps(15 * kMinute);
  EXPECT_EQ(steps.step_of(utc("2026-11-20T14:59:59Z")), utc("2026-11-20T14:45:00Z"));
  EXPECT_EQ(steps.next_of(utc("2026-11-20T14:45:00Z")), utc("2026-11-20T15:00:00Z"));
  EXPECT_EQ(TimeSteps(10).step_of(-1), -10);
  EXPECT_EQ(TimeSteps(7 * kDay).step_of(utc("2026-11-22T10:00:00Z")), utc("2026-11-16"));  // a Monday
}

TEST(TimeSteps, LocalDaysBeginAtMidnightAndHave23To25Hours) {
  const ZoneGuard zone(kVienna);
  const auto days = TimeSteps::local(kDay, {utc("2026-03-27"), utc("2026-11-01")});
  EXPECT_EQ(days.step_of(utc("2026-07-01T23:30:00Z")), utc("2026-07-01T22:00:00Z"));
  EXPECT_EQ(days.step_of(utc("2026-03-29T00:30:00Z")), utc("2026-03-28T23:00:00Z"));  // before the change
  EXPECT_EQ(days.step_of(utc("2026-03-29T12:00:00Z")), utc("2026-03-28T23:00:00Z"));  // and after it
  EXPECT_EQ(days.next_of(utc("2026-03-28T23:00:00Z")), utc("2026-03-29T22:00:00Z"));  // 23 hours
  EXPECT_EQ(days.step_of(utc("2026-10-25T12:00:00Z")), utc("2026-10-24T22:00:00Z"));
  EXPECT_EQ(days.next_of(utc("2026-10-24T22:00:00Z")), utc("2026-10-25T23:00:00Z"));  // 25 hours
}

TEST(TimeSteps, AnHourThatComesTwiceIsTwoSteps) {
  const ZoneGuard zone(kVienna);
  const auto hours = TimeSteps::local(kHour, {utc("2026-10-24"), utc("2026-10-26")});
  EXPECT_EQ(hours.step_of(utc("2026-10-25T00:30:00Z")), utc("2026-10-25T00:00:00Z"));
  EXPECT_EQ(hours.step_of(utc("2026-10-25T01:30:00Z")), utc("2026-10-25T01:00:00Z"));
  EXPECT_EQ(hours.next_of(utc("2026-10-25T00:00:00Z")), utc("2026-10-25T01:00:00Z"));
}

TEST(TimeSteps, CutTimeWithoutHolesWhereverClocksChange) {
  for (const char* name : {kVienna, kLordHowe, kKolkata, kNewYork}) {
    const ZoneGuard zone(name);
    for (const std::int64_t width : {10 * kMinute, kHour, 2 * kHour, 3 * kHour, 5 * kHour, kDay, 7 * kDay}) {
      const TimeSpan span{utc("2026-01-01"), utc("2026-12-31")};
      const auto steps = TimeSteps::local(width, span);
      std::uint64_t n = 1;
      std::int64_t next = 0;
      for (std::int64_t step = steps.step_of(span.first); step <= span.last; step = next, ++n) {
        next = steps.next_of(step);
        ASSERT_GT(next, step) << name << " " << width;
        for (const std::int64_t time : {step, step + (next - step) / 2, next - 1}) {
          ASSERT_EQ(steps.step_of(time), step) << name << " " << width << " " << time;
        }
        ASSERT_LE(next - step, width + kHour);
        // Days begin at midnight as clocks show it, weeks on Mondays.
        const auto second = static_cast<std::time_t>(step / kSecond);
        std::tm shown{};
        ::localtime_r(&second, &shown);
        const int shown_minute = width % kDay == 0 ? shown.tm_hour * 60 + shown.tm_min : 0;
        const int shown_day = width == 7 * kDay ? shown.tm_wday : 1;
        ASSERT_EQ(shown_minute, 0) << name;
        ASSERT_EQ(shown_day, 1) << name;
      }
      EXPECT_LE(n - 1, steps.count(span));
    }
  }
}

TEST(TimeSteps, AtTheEndsOfTime) {
  for (const std::int64_t width : {std::int64_t{1}, kDay, INT64_MAX}) {
    const TimeSteps steps(width);
    EXPECT_LE(steps.step_of(INT64_MIN + 1), INT64_MIN + 1);
    EXPECT_GE(steps.next_of(steps.step_of(INT64_MAX)), steps.step_of(INT64_MAX));
  }
}

// Ten records in the first minute, none in the next two, five in the fourth.
struct Outage {
  Outage() {
    FileBuilder b;
    b.session().thread(0, 1, "main").site(16, Level::kInfo, "beat", "", 10).site(17, Level::kWarn, "late", "", 20);
    const auto log = [&](std::uint32_t site, std::int64_t at) {
      b.log(0, site, static_cast<std::uint64_t>(FileBuilder::kStart + at));
    };
    for (int i = 0; i < 10; ++i) log(16, i * kSecond);
    for (int i = 0; i < 5; ++i) log(17, 3 * kMinute + i * kSecond);
    log(16, 5 * kMinute);
    file.emplace(b.end().bytes());
    EXPECT_TRUE(logs.add(file->path()).ok());
    question.subject.logs = &logs;
    question.operations = *parse_operations({"count"});
  }
  std::vector<int> counts(const std::vector<std::string>& keys) {
    question.keys = *parse_keys(keys, nullptr);
    answer = *aggregate(question);
    std::vector<int> counts;
    for (const AnswerRow& row : answer.rows) counts.push_back(static_cast<int>(row.values[0].integer));
    return counts;
  }
  std::optional<TempFile> file;
  reader::LogSet logs;
  Question question;
  Answer answer;
};

TEST(TimeSteps, WithoutARecordAreShown) {
  Outage log;
  EXPECT_EQ(log.counts({"time:1m"}), (std::vector<int>{10, 0, 0, 5, 0, 1}));
  EXPECT_EQ(log.answer.rows[1].keys[0].integer, FileBuilder::kStart + kMinute);
  EXPECT_EQ(log.counts({"level", "time:1m"}), (std::vector<int>{10, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0}));
}

TEST(TimeSteps, AreShownForTheTimeThatIsAskedFor) {
  Outage log;
  log.question.subject.span.first = FileBuilder::kStart + kMinute;
  log.question.subject.span.last = FileBuilder::kStart + 3 * kMinute - 1;
  // Records are left out by the condition, not by this; so they are here all the same.
  EXPECT_EQ(log.counts({"time:1m"}), (std::vector<int>{10, 0, 0, 5, 1}));
}

TEST(TimeSteps, TooManyAreSaidToBeLeftOut) {
  Outage log;
  EXPECT_EQ(log.counts({"time:1us"}).size(), 16u);
  EXPECT_GE(log.answer.steps_left_out, 300'000'000u);
  EXPECT_EQ(log.counts({"time:1m"}).size(), 6u);
  EXPECT_EQ(log.answer.steps_left_out, 0u);
}

}  // namespace
}  // namespace steno::query
