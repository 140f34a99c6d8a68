// Filters: the fast path and a naive evaluation of each record agree, on random logs and random conditions.
#include "query/filter/filter.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "../random_cases.h"
#include "../reader/indexed_log.h"
#include "../reader/temp_file.h"
#include "random_log.h"
#include "random_pattern.h"
#include "reader/decoded_block.h"

namespace steno {
namespace {

using query::FilterOptions;
using query::make_filter;
using test::FileBuilder;
using test::KnownCondition;
using test::KnownLog;
using test::KnownRecord;
using test::TempFile;

// Times (unique by far most often) and sites of the records that are kept, block after block.
std::vector<std::int64_t> kept(const reader::LogSet& logs, const reader::RowFilter& filter, std::size_t* skipped) {
  std::vector<std::int64_t> times;
  for (const auto& file : logs.files()) {
    for (const reader::BlockEntry& entry : file->blocks()) {
      const bool may = filter.may_match(*file, entry);
      reader::DecodedBlock block;
      EXPECT_TRUE(block.decode(*file, entry, {}).ok());
      std::vector<std::uint8_t> keep(block.records(), 1);
      EXPECT_TRUE(filter.select(block, keep).ok());
      for (std::uint32_t i = 0; i < block.records(); ++i) {
        if (keep[i] == 0) continue;
        EXPECT_TRUE(may) << "may_match() was wrong";
        times.push_back(block.wall(i));
      }
      *skipped += may ? 0 : 1;
    }
  }
  return times;
}

struct Opened {
  explicit Opened(const std::string& bytes) : file(bytes) { EXPECT_TRUE(logs.add(file.path()).ok()); }
  // Opens it by its index.
  Opened(const std::string& bytes, std::size_t every) : file(test::with_indexes(bytes, every)), logs(test::kByIndex) {
    EXPECT_TRUE(logs.add(file.path()).ok());
    for (const auto& block : logs.files()[0]->blocks()) EXPECT_TRUE(block.indexed);
  }
  TempFile file;
  reader::LogSet logs;
};

class RandomFilters : public testing::TestWithParam<bool> {};

TEST_P(RandomFilters, AgreeWithNaiveEvaluation) {
  std::size_t skipped = 0;
  std::size_t some = 0;
  const int rounds = test::random_cases(60);
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const KnownLog log = test::random_log(seed, GetParam(), 12, 900);
    const auto opened =
        seed % 2 == 0 ? std::make_unique<Opened>(log.bytes) : std::make_unique<Opened>(log.bytes, 3 + seed);
    std::mt19937 random(seed);
    for (int round = 0; round < rounds; ++round) {
      const KnownCondition condition = test::random_condition(random, log, round % 4);
      FilterOptions options;
      options.where = condition.text;
      auto filter = make_filter(options, opened->logs);
      ASSERT_TRUE(filter.ok()) << condition.text << ": " << filter.status().message();
      std::vector<std::int64_t> expected;
      for (const KnownRecord& record : log.records) {
        if (condition.holds(record).value_or(false)) expected.push_back(record.time);
      }
      ASSERT_EQ(kept(opened->logs, **filter, &skipped), expected) << condition.text << " seed " << seed;
      some += !expected.empty() && expected.size() != log.records.size() ? 1 : 0;
    }
  }
  EXPECT_GT(some, 3u * rounds);     // conditions that decide nothing prove nothing
  EXPECT_GT(skipped, 8u * rounds);  // blocks are skipped
}
INSTANTIATE_TEST_SUITE_P(Kinds, RandomFilters, testing::Bool(),
                         [](const auto& rows) { return rows.param ? "Rows" : "Columns"; });

// Patterns in messages whose pieces are of every kind.
TEST_P(RandomFilters, FindPatternsAsInPrintedMessages) {
  const int rounds = test::random_cases(80);
  std::size_t skipped = 0;
  std::size_t some = 0;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const KnownLog log = test::random_log(seed, GetParam(), 8, 700);
    const Opened opened(log.bytes);
    std::mt19937_64 random(seed);
    std::vector<std::string> messages;
    for (int i = 0; i < 40; ++i) messages.push_back(log.records[random() % log.records.size()].message);
    for (int round = 0; round < rounds; ++round) {
      test::RandomPattern pattern(random, messages);
      FilterOptions options;
      options.grep = {random() % 2 == 0 ? pattern.regex() : "(" + pattern.literal() + ")"};
      if (random() % 3 == 0) options.grep[0] = "\\b" + options.grep[0];  // no automaton knows it
      options.ignore_case = random() % 4 == 0;
      const auto naive = query::Pattern::make(options.grep[0], query::PatternKind::kRegex, options.ignore_case);
      if (!naive.ok()) continue;
      auto filter = make_filter(options, opened.logs);
      ASSERT_TRUE(filter.ok()) << filter.status().message();
      std::vector<std::int64_t> expected;
      for (const KnownRecord& record : log.records) {
        if ((*naive)->matches(record.message)) expected.push_back(record.time);
      }
      ASSERT_EQ(kept(opened.logs, **filter, &skipped), expected) << options.grep[0] << " seed " << seed;
      some += !expected.empty() && expected.size() != log.records.size() ? 1 : 0;
    }
  }
  EXPECT_GT(some, 3u * rounds / 2);
}

// Each option against what it stands for.
TEST(FilterOptions, AgreeWithNaiveEvaluation) {
  const KnownLog log = test::random_log(99, false, 10, 600);
  const Opened opened(log.bytes);
  const std::int64_t middle = log.records[log.records.size() / 2].time;
  std::int64_t first = INT64_MAX;
  std::int64_t last = 0;
  for (const KnownRecord& record : log.records) {
    first = std::min(first, record.time);
    last = std::max(last, record.time);
  }
  const auto check = [&](const FilterOptions& options, const std::function<bool(const KnownRecord&)>& holds) {
    auto filter = make_filter(options, opened.logs);
    ASSERT_TRUE(filter.ok()) << filter.status().message();
    std::vector<std::int64_t> expected;
    for (const KnownRecord& record : log.records) {
      if (holds(record)) expected.push_back(record.time);
    }
    std::size_t skipped = 0;
    EXPECT_EQ(kept(opened.logs, **filter, &skipped), expected);
    EXPECT_FALSE(expected.empty());
  };
  FilterOptions o;
  check(o, [](const KnownRecord&) { return true; });
  o.since = "last 100us";
  check(o, [&](const KnownRecord& r) { return r.time >= last - 100'000; });
  o = {};
  o.until = std::to_string((middle - FileBuilder::kStart) / 1000) + "us after start";
  const std::int64_t until = first + (middle - FileBuilder::kStart) / 1000 * 1000;
  check(o, [&](const KnownRecord& r) { return r.time < until; });
  o = {};
  o.min_level = Level::kWarn;
  check(o, [](const KnownRecord& r) { return r.level >= Level::kWarn; });
  o = {};
  o.threads = {"worker-1", "7002"};
  check(o, [](const KnownRecord& r) { return r.tid == 7001 || r.tid == 7002; });
  o = {};
  o.loggers = {"net"};
  check(o, [](const KnownRecord& r) { return r.logger == "net" || r.logger == "net.http"; });
  o.loggers = {"net*"};
  check(o, [](const KnownRecord& r) { return r.logger.rfind("net", 0) == 0; });
  o = {};
  o.sites = {"http.cc:131", "server.cc"};
  check(o, [](const KnownRecord& r) { return r.line == 131 || r.file == "src/server.cc"; });
  o = {};
  o.grep = {"timeout", "luck true"};
  check(o, [](const KnownRecord& r) {
    return r.message.find("timeout") != std::string::npos || r.message.find("luck true") != std::string::npos;
  });
  o.grep = {"TIMEOUT"};
  o.ignore_case = true;
  check(o, [](const KnownRecord& r) { return r.message.find("timeout") != std::string::npos; });
  o.grep = {"id \\d+(out|timeout)$"};
  o.ignore_case = false;
  check(o, [](const KnownRecord& r) { return r.site == 17 && r.message.ends_with("out"); });
}

TEST(FilterOptions, MistakesAreOneSentence) {
  const Opened opened(test::random_log(3, false, 6, 60).bytes);
  const auto message = [&](FilterOptions options) {
    auto filter = make_filter(options, opened.logs);
    EXPECT_FALSE(filter.ok());
    if (filter.ok()) return std::string();
    EXPECT_EQ(filter.status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(filter.status().message().find('\n'), std::string::npos);
    return filter.status().message();
  };
  const auto where = [&](const std::string& text) {
    FilterOptions options;
    options.where = text;
    return message(options);
  };
  EXPECT_EQ(where("qyt > 5"), "--where: no statement has an argument 'qyt'; did you mean 'qty'?");
  EXPECT_EQ(where("client > 5"),
            "--where: 'client' is a string (src/server.cc:120), it cannot be compared with a number");
  EXPECT_EQ(where("qty == \"x\""),
            "--where: 'qty' is a number (src/server.cc:120), it cannot be compared with the text \"x\"");
  EXPECT_EQ(where("qty >"), "--where: a number, a \"text\", true or false is missing, at the end");
  EXPECT_EQ(where("(qty > 5"), "--where: ')' is missing, at the end");
  EXPECT_EQ(where("qty > 5 price < 3"), "--where: 'and', 'or' or the end is missing, at 'price < 3'");
  EXPECT_NE(where("client =~ \"(\"").find("is not a valid regular expression: missing )"), std::string::npos);
  EXPECT_NE(where("time > \"noon\"").find("'noon' is not a time"), std::string::npos);
  EXPECT_NE(where("level > LOUD").find("is missing"), std::string::npos);
  FilterOptions options;
  options.sites = {"server.cc:121"};
  EXPECT_EQ(message(options), "--site: there is no statement 'server.cc:121'; did you mean 'server.cc:120'?");
  options = {};
  options.since = "teatime";
  EXPECT_NE(message(options).find("--since: 'teatime' is not a time"), std::string::npos);
  options = {};
  options.grep = {"["};
  EXPECT_NE(message(options).find("--grep: '[' is not a valid regular expression"), std::string::npos);
}

TEST(FilterOptions, AnEmptyLogTakesAnyName) {
  FileBuilder b;
  const Opened opened(b.session().end().bytes());
  FilterOptions options;
  options.where = "whatever > 5";
  options.since = "last 5s";
  EXPECT_TRUE(make_filter(options, opened.logs).ok());
}

}  // namespace
}  // namespace steno
