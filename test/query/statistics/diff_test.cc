// Tests the differences that diff must find between two logs, and those that it must not.
#include "query/statistics/diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "query/statistics/argument_sample.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;
using Kind = Difference::Kind;

constexpr std::uint64_t kT = FileBuilder::kStart;
constexpr std::uint64_t kMs = 1'000'000;

struct OpenedLog {
  explicit OpenedLog(const std::string& bytes) : file(bytes) { EXPECT_TRUE(logs.add(file.path()).ok()); }
  Subject subject() const {
    Subject subject;
    subject.logs = &logs;
    return subject;
  }
  TempFile file;
  reader::LogSet logs;
};

DiffAnswer diff(const std::string& before, const std::string& after, const DiffOptions& options = {}) {
  const OpenedLog a(before);
  const OpenedLog b(after);
  return diff_logs(a.subject(), b.subject(), options);
}

std::string listed(const DiffAnswer& answer) {
  std::string text;
  for (const Difference& d : answer.differences) {
    text += std::to_string(static_cast<int>(d.kind)) + " " + d.argument + " " + d.value + " " + d.from + " -> " + d.to +
            ", score " + std::to_string(d.score) + "\n";
  }
  return text;
}

// `records` of one statement, a millisecond apart, with a host and a number each.
template <class Host, class Number>
std::string log_of(int records, const Host& host, const Number& number) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "query to {host} took {us} us", "Sd");
  for (int i = 0; i < records; ++i) {
    b.log(0, 16, kT + static_cast<std::uint64_t>(i) * kMs, Args().text(host(i)).f64(number(i)));
    if (i % 3000 == 2999) b.flush();
  }
  return b.end().bytes();
}

TEST(Diff, ALogThatRepeatsItselfBegunOneRecordLater) {
  for (const int records : {12'000, 40'000}) {  // samples of all, and of some
    for (const int period : {2, 3, 5}) {
      const auto log = [&](int first) {
        return log_of(
            records, [&](int i) { return "db-" + std::to_string((i + first) % period); },
            [&](int i) { return (i + first) % period == 0 ? 900.0 : 10.0; });
      };
      const DiffAnswer answer = diff(log(0), log(1));
      EXPECT_TRUE(answer.differences.empty()) << records << " records, period " << period << "\n" << listed(answer);
    }
  }
}

// Each record has a tenant and a request's id of its own in its context; in every third there is none.
template <class Tenant>
std::string log_in_contexts(std::uint32_t first_id, const Tenant& tenant, const std::string& version) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kWarn, "retry {attempt} of {key}", "iS");
  b.site_in_context(17, 16, "SiS", {"tenant", "request_id", "version"});
  for (std::uint32_t i = 0; i < 600; ++i) {
    Args args;
    args.i32(static_cast<std::int32_t>(i % 3)).text("key-" + std::to_string(first_id + i));
    const bool in_context = i % 3 != 2;
    if (in_context) args.text(tenant(i)).i32(static_cast<std::int32_t>(first_id + i / 2)).text(version);
    b.log(0, in_context ? 17 : 16, kT + i * kMs, args);
  }
  return b.end().bytes();
}

TEST(Diff, FieldsOfContextAreComparedAndIdsAreNot) {
  const auto even = [](std::uint32_t i) { return "tenant-" + std::to_string(i % 5); };
  const auto one_most = [](std::uint32_t i) { return "tenant-" + std::to_string(i % 7 == 0 ? i % 5 : 1); };
  const DiffAnswer same = diff(log_in_contexts(1, even, "v1"), log_in_contexts(10'000, even, "v1"));
  EXPECT_TRUE(same.differences.empty()) << listed(same);
  EXPECT_EQ(same.counters,
            (std::vector<std::string>{"{key} of 'retry {attempt} of {key}'", "the field of context 'request_id'"}));
  const DiffAnswer answer = diff(log_in_contexts(1, even, "v1"), log_in_contexts(10'000, one_most, "v2"));
  ASSERT_EQ(answer.differences.size(), 2u) << listed(answer);
  EXPECT_EQ(answer.differences[0].argument, "version");  // few values, all new, are a difference
  EXPECT_EQ(answer.differences[1].argument, "tenant");
  EXPECT_EQ(answer.differences[1].value, "'tenant-1'");
}

// They are all new and nearly all differ, but one text comes often, and whole numbers that do not grow are no ids.
TEST(Diff, WhatIsNotAnIdIsCompared) {
  const auto log = [](std::uint32_t least, const std::string& often) {
    FileBuilder b;
    b.session()
        .thread(0, 1, "main")
        .site(16, Level::kWarn, "slow {path}", "S")
        .site_in_context(17, 16, "i", {"elapsed_us"});
    std::mt19937 random(least);
    for (std::uint32_t i = 0; i < 400; ++i) {
      const std::string path = i % 2 == 0 ? often : "/" + std::to_string(least + i);
      const std::uint32_t elapsed = least * 1'000 + random() % (least * 4'000);
      b.log(0, 17, kT + i * kMs, Args().text(path).i32(static_cast<std::int32_t>(elapsed)));
    }
    return b.end().bytes();
  };
  const DiffAnswer answer = diff(log(1, "/often"), log(1'000, "/broken"));
  ASSERT_EQ(answer.differences.size(), 2u) << listed(answer);
  EXPECT_NE(listed(answer).find("elapsed_us median"), std::string::npos) << listed(answer);
  EXPECT_NE(listed(answer).find("path "), std::string::npos) << listed(answer);
}

TEST(Diff, ARareTextThatComesEightTimesAsOftenIsFound) {
  for (const int records : {4'000, 40'000}) {
    const auto log = [&](int every) {
      return log_of(
          records, [&](int i) { return i % every == 0 ? "db-9" : "db-" + std::to_string(i % 3); },
          [](int) { return 1.0; });
    };
    const DiffAnswer answer = diff(log(400), log(50));  // 0.25 %, then 2 %
    ASSERT_EQ(answer.differences.size(), 1u) << listed(answer);
    EXPECT_EQ(answer.differences[0].kind, Kind::kValue);
    EXPECT_EQ(answer.differences[0].argument, "host");
    EXPECT_EQ(answer.differences[0].value, "'db-9'");
    EXPECT_GT(answer.differences[0].score, 5);
    EXPECT_GE(answer.differences[0].values_before, static_cast<std::uint64_t>(std::min(records, 15'000)));
  }
}

TEST(Diff, ARareNumberThatComesEightTimesAsOftenIsFound) {
  const auto log = [&](int every, std::uint32_t seed) {
    std::mt19937 random(seed);
    return log_of(
        40'000, [](int) { return "db"; },
        [&](int i) { return i % every == 0 ? 503.0 : 200.0 + static_cast<double>(random() % 3); });
  };
  const DiffAnswer answer = diff(log(400, 1), log(50, 2));
  ASSERT_EQ(answer.differences.size(), 1u) << listed(answer);
  EXPECT_EQ(answer.differences[0].kind, Kind::kValue);
  EXPECT_EQ(answer.differences[0].argument, "us");
}

TEST(Diff, ATailThatGrewIsFound) {
  const auto log = [&](int every, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> usual(10, 20);
    std::uniform_real_distribution<double> slow(500, 900);
    return log_of(
        40'000, [](int) { return "db"; }, [&](int i) { return i % every == 0 ? slow(random) : usual(random); });
  };
  const DiffAnswer answer = diff(log(400, 1), log(50, 2));
  ASSERT_EQ(answer.differences.size(), 1u) << listed(answer);
  EXPECT_EQ(answer.differences[0].kind, Kind::kValue);
  EXPECT_EQ(answer.differences[0].value.substr(0, 5), "over ") << listed(answer);
}

// Records with an optional number and an optional text, which are there in `present` of 10. Where they are not, their
// bytes are `absent`: they say nothing.
template <class Number>
std::string optional_log(int present, double absent, const Number& number) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site_with_meanings(16, "took {ms}, {why}", "dSbb", {}, {"?0", "?1"});
  for (int i = 0; i < 4'000; ++i) {
    const bool is_there = i % 10 < present;
    Args args;
    args.f64(is_there ? number(i) : absent);
    if (is_there) args.text(i % 3 == 0 ? "cold" : "warm");
    if (!is_there) args.null_text();
    b.log(0, 16, kT + static_cast<std::uint64_t>(i) * kMs,
          args.add<std::uint8_t>('b', is_there).add<std::uint8_t>('b', is_there));
  }
  return b.end().bytes();
}

TEST(Diff, WhatIsAbsentIsNoNumber) {
  const auto usual = [](int i) { return 100.0 + i % 7; };
  const DiffAnswer same = diff(optional_log(5, 0, usual), optional_log(5, 1e9, usual));
  EXPECT_TRUE(same.differences.empty()) << listed(same);
  // Twice as long where there is a value, though most have none.
  const DiffAnswer slower = diff(optional_log(3, 0, usual), optional_log(3, 0, [](int i) { return 200.0 + i % 7; }));
  ASSERT_EQ(slower.differences.size(), 1u) << listed(slower);
  EXPECT_EQ(slower.differences[0].kind, Kind::kArgument);
  EXPECT_EQ(slower.differences[0].argument, "ms");
  EXPECT_EQ(slower.differences[0].value, "median");
  EXPECT_EQ(slower.differences[0].from, "103");
  EXPECT_EQ(slower.differences[0].to, "203");
}

TEST(Diff, TheShareOfWhatIsAbsentIsCompared) {
  const auto usual = [](int i) { return 100.0 + i % 7; };
  const auto none = [](int) { return 0.0; };
  for (const DiffAnswer& answer : {diff(optional_log(9, 0, usual), optional_log(5, 0, usual)),
                                   diff(optional_log(9, 0, usual), optional_log(0, 0, none))}) {
    ASSERT_EQ(answer.differences.size(), 2u) << listed(answer);
    for (const Difference& d : answer.differences) {
      EXPECT_EQ(d.kind, Kind::kArgument);
      EXPECT_EQ(d.value, "absent");
      EXPECT_EQ(d.from, "10 %");
      EXPECT_EQ(d.values_before, 4'000u);
    }
    EXPECT_EQ(answer.differences[0].to, answer.differences[1].to);
  }
  // A number that counts up where it is there.
  const auto counts = [](int i) { return static_cast<double>(i); };
  const DiffAnswer fewer = diff(optional_log(9, 0, counts), optional_log(5, 0, counts));
  ASSERT_EQ(fewer.differences.size(), 2u) << listed(fewer);
  EXPECT_EQ(fewer.differences[0].to, "50 %");
  EXPECT_EQ(fewer.counters.size(), 1u);
}

TEST(Diff, ChanceIsNoDifference) {
  const auto log = [](std::uint32_t seed) {
    std::mt19937 random(seed);
    std::lognormal_distribution<double> times(2, 1);
    return log_of(
        3'000, [&](int) { return "db-" + std::to_string(random() % 40); }, [&](int) { return times(random); });
  };
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const DiffAnswer answer = diff(log(seed), log(seed + 100));
    EXPECT_TRUE(answer.differences.empty()) << seed << "\n" << listed(answer);
  }
}

// Statements of several rates; `factor` times each. The second one, of level WARN, has a number.
std::string busy_log(int factor, int extra_of_first, double number) {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "a {}", "i", 10).site(17, Level::kWarn, "slow: {ms}", "d", 20);
  b.site(18, Level::kInfo, "c", "", 30).site(19, Level::kInfo, "d", "", 40).site(20, Level::kInfo, "e", "", 50);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(0, 10);
  for (int i = 0; i < 2'000; ++i) {
    const auto at = kT + static_cast<std::uint64_t>(i) * kMs;
    for (int k = 0; k < factor; ++k) {
      for (int e = 0; e <= extra_of_first; ++e) b.log(0, 16, at, Args().i32(7));
      if (i % 10 == 0) b.log(0, 17, at, Args().f64(number + noise(random)));
      for (std::uint32_t site = 18; site <= 20; ++site) b.log(0, site, at);
    }
  }
  return b.end().bytes();
}

TEST(Diff, LoadThatDoubledIsOneDifferenceAndHidesNone) {
  const DiffAnswer answer = diff(busy_log(1, 0, 10), busy_log(2, 0, 15));
  ASSERT_EQ(answer.differences.size(), 2u) << listed(answer);
  EXPECT_EQ(answer.differences[0].kind, Kind::kAll);
  EXPECT_NEAR(answer.differences[0].factor, 2, 0.01);
  EXPECT_EQ(answer.differences[1].kind, Kind::kArgument);
  EXPECT_EQ(answer.differences[1].argument, "ms");
}

// A log of ten seconds of 40 statements, each of a rate of its own times `load`, by a process without memory. The
// statement `changed` logs `factor` times as often besides.
std::string log_under_load(double load, std::uint32_t seed, std::uint32_t changed = 0, double factor = 1) {
  constexpr double kSeconds = 10;
  FileBuilder b;
  b.session().thread(0, 1, "main");
  std::mt19937 random(seed);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> records;  // ticks, site
  for (std::uint32_t site = 16; site < 56; ++site) {
    b.site(site, Level::kInfo, "statement " + std::to_string(site), "");
    const double rate = 8 * std::pow(1.12, site - 16) * load * (site == changed ? factor : 1);
    std::exponential_distribution<double> wait(rate);
    for (double at = wait(random); at < kSeconds; at += wait(random)) {
      records.emplace_back(kT + static_cast<std::uint64_t>(at * 1e9), site);
    }
  }
  std::sort(records.begin(), records.end());
  for (std::size_t i = 0; i < records.size(); ++i) {
    b.log(0, records[i].second, records[i].first);
    if (i % 4000 == 3999) b.flush();
  }
  return b.end().bytes();
}

// A load that changed by less than --least-rate leaves many statements beyond it by chance, none of which changed.
TEST(Diff, NoStatementIsReportedThatFollowsTheLoad) {
  for (const double load : {1.0, 1.1, 1.2, 1.24, 1.26, 1.5, 0.81, 0.5}) {
    int shown = 0;
    const int seeds = test::sampled(4);
    for (std::uint32_t seed = 1; seed <= static_cast<std::uint32_t>(seeds); ++seed) {
      const DiffAnswer answer = diff(log_under_load(1, seed), log_under_load(load, seed + 100));
      for (const Difference& d : answer.differences) {
        EXPECT_EQ(d.kind, Kind::kAll) << "load " << load << " seed " << seed << "\n" << listed(answer);
        if (d.kind != Kind::kAll) continue;
        EXPECT_NEAR(d.factor, load, 0.02 * load);
        ++shown;
      }
    }
    EXPECT_EQ(shown, load == 1 ? 0 : seeds) << load;
  }
}

TEST(Diff, AChangeBesideOneOfTheLoadIsFound) {
  for (const double load : {1.0, 1.1, 1.24, 1.26, 0.81}) {
    for (const double factor : {1.6, 0.6}) {
      const OpenedLog before(log_under_load(1, 1));
      const OpenedLog after(log_under_load(load, 2, 45, factor));
      const DiffAnswer answer = diff_logs(before.subject(), after.subject(), {});
      std::vector<const Difference*> rates;
      for (const Difference& d : answer.differences) {
        if (d.kind == Kind::kRate) rates.push_back(&d);
      }
      ASSERT_EQ(rates.size(), 1u) << load << " " << factor << "\n" << listed(answer);
      EXPECT_EQ(rates[0]->site->info().format, "statement 45");
      EXPECT_NEAR(rates[0]->factor, factor, 0.15 * factor);
    }
  }
}

TEST(Diff, OneStatementThatLogsMoreIsNoLoad) {
  const OpenedLog before(busy_log(1, 0, 10));
  const OpenedLog after(busy_log(1, 9, 10));  // most of the records are its own then
  const DiffAnswer answer = diff_logs(before.subject(), after.subject(), {});
  ASSERT_EQ(answer.differences.size(), 1u) << listed(answer);
  EXPECT_EQ(answer.differences[0].kind, Kind::kRate);
  EXPECT_EQ(answer.differences[0].site->info().format, "a {}");
  EXPECT_NEAR(answer.differences[0].factor, 10, 0.01);
  EXPECT_NEAR(answer.differences[0].share_before, 1 / 4.1, 0.001);
  EXPECT_NEAR(answer.differences[0].share_after, 10 / 13.1, 0.001);
}

TEST(Diff, ALatencyChangeAtWarnRanksAboveRatesOfInfo) {
  const DiffAnswer answer = diff(busy_log(1, 0, 10), busy_log(1, 2, 15));
  ASSERT_EQ(answer.differences.size(), 2u) << listed(answer);
  EXPECT_EQ(answer.differences[0].argument, "ms");
  EXPECT_GT(answer.differences[1].score, answer.differences[0].score);
}

TEST(Diff, NumbersThatCountUpAreNotCompared) {
  const auto log = [](int first) {
    return log_of(
        5'000, [](int) { return "db"; }, [&](int i) { return first + i; });
  };
  const DiffAnswer answer = diff(log(0), log(1'000'000));
  EXPECT_TRUE(answer.differences.empty()) << listed(answer);
  EXPECT_EQ(answer.counters, std::vector<std::string>{"{us} of 'query to {host} took {us} us'"});
}

TEST(Diff, RatesAreOverTheTimeThatIsAskedFor) {
  const OpenedLog log(busy_log(1, 0, 10));
  Subject half = log.subject();
  half.span = {static_cast<std::int64_t>(kT), static_cast<std::int64_t>(kT + 999 * kMs)};
  EXPECT_NEAR(diff_logs(log.subject(), half, {}).seconds_before, 1.999, 1e-9);
  EXPECT_NEAR(diff_logs(log.subject(), half, {}).seconds_after, 0.999, 1e-9);
}

}  // namespace
}  // namespace steno::query
