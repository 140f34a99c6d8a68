// Pairs in several passes over a log, against those that one pass finds and those that a naive search finds.
#include "query/statistics/pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "base/parallel.h"
#include "query/statistics/duration_quantiles.h"
#include "query/statistics/pair_events.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

struct Event {
  std::uint32_t side;
  std::int64_t key;
  std::uint64_t time;
};
using KeyOf = std::function<std::int64_t(std::mt19937_64&)>;

// One in five records has the time of the one before it.
std::vector<Event> random_records(std::size_t n, const KeyOf& key_of, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Event> records;
  std::uint64_t time = FileBuilder::kStart;
  for (std::size_t i = 0; i < n; ++i) {
    time += random() % 5 == 0 ? 0 : random() % 100'000;
    records.push_back({static_cast<std::uint32_t>(random() % 2), key_of(random), time});
  }
  return records;
}

std::string log_of(const std::vector<Event>& records, bool text) {
  FileBuilder b;
  const char* const types = text ? "S" : "l";
  b.session()
      .thread(0, 1, "main")
      .site(16, Level::kInfo, "sent {id}", types)
      .site(17, Level::kInfo, "acked {id}", types);
  std::size_t n = 0;
  for (const Event& r : records) {
    const Args args = text ? Args().text("key " + std::to_string(r.key)) : Args().add<std::int64_t>('l', r.key);
    b.log(0, 16 + r.side, r.time, args);
    if (++n % 1000 == 0) b.flush();
  }
  return b.end().bytes();
}

struct Expected {
  std::vector<std::int64_t> durations;
  std::uint64_t first_alone = 0;
  std::uint64_t second_alone = 0;
  std::vector<std::int64_t> first_times;
};

Expected naive(std::vector<Event> records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.side < b.side; });
  std::map<std::int64_t, std::deque<std::uint64_t>> open;
  Expected expected;
  for (const Event& r : records) {
    std::deque<std::uint64_t>& of_key = open[r.key];
    if (r.side == 0) {
      of_key.push_back(r.time);
    } else if (of_key.empty()) {
      ++expected.second_alone;
    } else {
      expected.durations.push_back(static_cast<std::int64_t>(r.time - of_key.front()));
      of_key.pop_front();
    }
  }
  for (const auto& [key, times] : open) {
    expected.first_alone += times.size();
    for (const std::uint64_t time : times) expected.first_times.push_back(static_cast<std::int64_t>(time));
  }
  std::sort(expected.durations.begin(), expected.durations.end());
  std::sort(expected.first_times.begin(), expected.first_times.end());
  return expected;
}

struct Paired {
  Result<PairAnswer> answer;
  std::uint64_t runs;  // over the log
};

Paired ask(const std::string& path, std::size_t records, std::size_t memory) {
  reader::LogSet logs;
  EXPECT_TRUE(logs.add(path).ok());
  WorkMeter meter;
  PairQuestion question;
  question.subject.logs = &logs;
  question.subject.meter = &meter;
  question.first = *find_statement(logs, "sent");
  question.second = *find_statement(logs, "acked");
  question.keys = {
      {Field::kArgument, *find_argument(question.first, "id"), *find_argument(question.second, "id"), "id"}};
  question.memory = memory;
  Paired asked{pair_records(question), 0};
  EXPECT_EQ(meter.done() % records, 0u);
  asked.runs = meter.done() / records;
  if (asked.answer.ok()) {
    EXPECT_EQ(meter.total(), meter.done());
  }
  return asked;
}

void expect_pairs(const PairAnswer& answer, const Expected& expected) {
  EXPECT_EQ(answer.durations.count, expected.durations.size());
  EXPECT_EQ(answer.first_alone, expected.first_alone);
  EXPECT_EQ(answer.second_alone, expected.second_alone);
  if (!expected.durations.empty()) {
    EXPECT_EQ(answer.durations.least, static_cast<std::uint64_t>(expected.durations.front()) ^ kSignBit);
    EXPECT_EQ(answer.durations.greatest, static_cast<std::uint64_t>(expected.durations.back()) ^ kSignBit);
    ASSERT_EQ(answer.quantiles.size(), 4u);
    for (const auto& [quantile, value] : answer.quantiles) {
      EXPECT_EQ(value, expected.durations[rank_of(quantile, expected.durations.size())]) << quantile;
    }
  }
  const std::size_t slowest = std::min<std::size_t>(10, expected.durations.size());
  ASSERT_EQ(answer.slowest.size(), slowest);
  for (std::size_t i = 0; i < slowest; ++i) {
    EXPECT_EQ(answer.slowest[i].duration, *(expected.durations.rbegin() + static_cast<std::ptrdiff_t>(i)));
    EXPECT_NE(answer.slowest[i].keys.at(0).kind, Cell::Kind::kNone);
  }
  for (std::size_t i = 0; i < answer.first_examples.size(); ++i) {
    EXPECT_EQ(answer.first_examples[i].time, expected.first_times[i]);
  }
}

constexpr std::size_t kRecords = 40'000;
constexpr std::size_t kSmall = 200'000;  // bytes: some 3,000 records at a time
constexpr std::size_t kAmple = std::size_t{1} << 30;

class PairPasses : public testing::Test {
 protected:
  PairPasses() { set_default_threads(2); }
  ~PairPasses() override { set_default_threads(0); }

  void expect_passes(const char* what, const KeyOf& key_of, bool text = false) {
    SCOPED_TRACE(what);
    const std::vector<Event> records = random_records(kRecords, key_of, 7);
    const Expected expected = naive(records);
    const TempFile file(log_of(records, text));
    const Paired once = ask(file.path(), kRecords, kAmple);
    ASSERT_TRUE(once.answer.ok()) << once.answer.status().message();
    EXPECT_EQ(once.runs, 3u);  // to count, to pair, to name
    expect_pairs(*once.answer, expected);
    const Paired often = ask(file.path(), kRecords, kSmall);
    ASSERT_TRUE(often.answer.ok()) << often.answer.status().message();
    EXPECT_GT(often.runs, 10u);
    EXPECT_LT(often.runs, 200u);
    expect_pairs(*often.answer, expected);
  }
};

TEST_F(PairPasses, AgreeWithOnePassAndWithANaiveSearch) {
  expect_passes("many keys", [](auto& random) { return static_cast<std::int64_t>(random() % 10'000); });
  expect_passes("negative keys", [](auto& random) { return static_cast<std::int64_t>(random() % 1000) - 500; });
  expect_passes("keys far apart", [](auto& random) { return static_cast<std::int64_t>(random() % 300) << 40; });
  expect_passes(
      "texts", [](auto& random) { return static_cast<std::int64_t>(random() % 2000); }, true);
}

// A key whose records alone are too many is taken apart by time.
TEST_F(PairPasses, AKeyMayHaveMoreRecordsThanFit) {
  expect_passes("one key", [](auto&) { return std::int64_t{42}; });
  expect_passes("one key of many",
                [](auto& random) { return random() % 10 == 0 ? static_cast<std::int64_t>(random() % 5000) : -7; });
}

TEST_F(PairPasses, WhatCannotFitIsSaid) {
  std::vector<Event> waiting;
  for (std::uint64_t i = 0; i < 2 * kRecords; ++i)
    waiting.push_back({i < kRecords ? 0u : 1u, 1, FileBuilder::kStart + i});
  const TempFile file(log_of(waiting, false));
  EXPECT_TRUE(ask(file.path(), waiting.size(), kAmple).answer.ok());
  const Paired asked = ask(file.path(), waiting.size(), kSmall);
  ASSERT_EQ(asked.answer.status().code(), StatusCode::kExhausted);
  EXPECT_NE(asked.answer.status().message().find("unpaired records of one key do not fit"), std::string::npos);

  std::vector<Event> alike(kRecords, Event{0, 1, FileBuilder::kStart});
  const TempFile same(log_of(alike, false));
  EXPECT_EQ(ask(same.path(), alike.size(), kSmall).answer.status().code(), StatusCode::kExhausted);
}

// The right durations, when their sample tells where the quantiles are, and when it misleads.
TEST(DurationQuantiles, OfMoreThanFit) {
  std::mt19937_64 random(3);
  for (const bool sorted : {false, true}) {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < 300'000; ++i) all.push_back(static_cast<std::int64_t>(random() % 1'000'000'000) - 1000);
    std::vector<std::int64_t> in_order = all;
    std::sort(in_order.begin(), in_order.end());
    if (sorted) all = in_order;
    const std::vector<double> quantiles = {0, 0.5, 0.99, 1};
    DurationQuantiles found(quantiles, 20'000);
    std::size_t sweeps = 0;
    do {
      for (const std::int64_t d : all) found.add(d);
      ++sweeps;
    } while (found.end_of_sweep());
    EXPECT_EQ(sweeps > 1, sorted);
    EXPECT_LT(sweeps, 10u);
    EXPECT_EQ(found.moments().count, all.size());
    ASSERT_EQ(found.results().size(), quantiles.size());
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      EXPECT_EQ(found.results()[i], in_order[rank_of(quantiles[i], all.size())]) << quantiles[i];
    }
  }
}

}  // namespace
}  // namespace steno::query
