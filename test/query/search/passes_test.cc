// agg in several passes over a log, against one pass and against what a naive program counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "base/parallel.h"
#include "query/filter/filter.h"
#include "query/statistics/aggregate.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

constexpr std::size_t kManyRecords = test::kAddressSanitizer || test::kThreadSanitizer ? 20'000 : 40'000;
constexpr std::size_t kAmpleMemory = std::size_t{1} << 30;

struct Record {
  std::int32_t n;
  std::string text;
  double real;
};

std::vector<Record> random_records(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Record> records;
  for (std::size_t i = 0; i < kManyRecords; ++i) {
    Record r;
    r.n = random() % 4 == 0 ? 7 : static_cast<std::int32_t>(random() % 9000) - 4500;
    r.text = (random() % 3 == 0 ? "client " : "c") + std::to_string(random() % 3000);
    r.real = static_cast<double>(random() % 20'000) / 8 - 1000;
    if (random() % 100 == 0) r.real = random() % 2 == 0 ? std::nan("") : -std::nan("");
    records.push_back(r);
  }
  return records;
}

std::string log_of(const std::vector<Record>& records) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "{n} {text} {real}", "iSd");
  std::uint64_t time = FileBuilder::kStart;
  for (std::size_t i = 0; i < records.size(); ++i) {
    b.log(0, 16, time += 1000, Args().i32(records[i].n).text(records[i].text).f64(records[i].real));
    if (i % 1000 == 999) b.flush();
  }
  return b.end().bytes();
}

std::string text_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kNone:
      return "-";
    case Cell::Kind::kText:
      return cell.text;
    case Cell::Kind::kReal:
      return std::isnan(cell.real) ? "nan" : std::to_string(cell.real);
    default:
      return std::to_string(static_cast<std::int64_t>(cell.integer));
  }
}

std::string text_of(const AnswerRow& row) {
  std::string text;
  for (const Cell& cell : row.keys) text += text_of(cell) + "|";
  for (const Cell& cell : row.values) text += " " + text_of(cell);
  for (const Frequency& one : row.top) text += " " + text_of(one.value) + "*" + std::to_string(one.count);
  for (const Bar& bar : row.bars) text += " " + std::to_string(bar.low) + ":" + std::to_string(bar.count);
  return text;
}

struct Asked {
  std::vector<std::string> rows;
  std::size_t pieces = 0;
  std::uint64_t runs = 0;  // over the log
  std::uint64_t steps_left_out = 0;
};

class AggPasses : public testing::Test {
 protected:
  AggPasses() : records_(random_records(11)), file_(log_of(records_)) {
    set_default_threads(2);
    EXPECT_TRUE(logs_.add(file_.path()).ok());
    statement_ = *find_statement(logs_, "{n}");
  }
  ~AggPasses() override { set_default_threads(0); }

  Asked ask(const std::string& operations, const std::string& argument, const std::vector<std::string>& keys,
            std::size_t memory) {
    WorkMeter meter;
    Question question;
    question.subject.logs = &logs_;
    question.subject.statement = &statement_;
    question.subject.meter = &meter;
    question.operations = *parse_operations({operations});
    for (Operation& operation : question.operations) {
      if (operation.kind != Operation::Kind::kRatio) continue;
      FilterOptions filter;
      filter.where = operation.condition;
      operation.predicate = std::make_shared<Predicate>(*make_expression(filter, logs_), logs_);
    }
    if (!argument.empty()) question.argument = *find_argument(statement_, argument);
    question.keys = *parse_keys(keys, &statement_);
    question.memory = memory;
    Asked asked;
    bool last_seen = false;
    question.take_rows = [&](const std::vector<AnswerRow>& rows, bool last) {
      EXPECT_FALSE(last_seen);
      last_seen = last;
      ++asked.pieces;
      for (const AnswerRow& row : rows) asked.rows.push_back(text_of(row));
      return Status();
    };
    const auto answer = aggregate(question);
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    EXPECT_TRUE(last_seen);
    EXPECT_TRUE(answer->failures.empty());
    EXPECT_EQ(meter.done(), meter.total());
    asked.runs = meter.done() / kManyRecords;
    asked.steps_left_out = answer->steps_left_out;
    return asked;
  }

  // Several passes give the rows of one, and take no more than that many.
  Asked expect_same(const std::string& operations, const std::string& argument, const std::vector<std::string>& keys,
                    std::size_t memory, std::uint64_t most_runs) {
    SCOPED_TRACE(operations + " of " + argument);
    const Asked once = ask(operations, argument, keys, kAmpleMemory);
    const Asked often = ask(operations, argument, keys, memory);
    EXPECT_EQ(once.pieces, 1u);
    EXPECT_GT(often.pieces, 2u);
    EXPECT_LT(often.runs, most_runs);
    EXPECT_EQ(often.rows, once.rows);
    return once;
  }

  const std::vector<Record> records_;
  const TempFile file_;
  reader::LogSet logs_;
  Statement statement_;
};

TEST_F(AggPasses, GroupsOfNumbersTextsAndBoth) {
  std::map<std::int32_t, std::uint64_t> by_number;
  std::map<std::string, std::uint64_t> by_text;
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> by_both;
  for (const Record& r : records_) {
    ++by_number[r.n];
    ++by_text[r.text];
    by_both[{r.text, r.n}] += r.n;
  }
  std::vector<std::string> expected;
  for (const auto& [key, count] : by_number) expected.push_back(std::to_string(key) + "| " + std::to_string(count));
  EXPECT_EQ(expect_same("count", "", {"n"}, 1'000'000, 100).rows, expected);
  expected.clear();
  for (const auto& [key, count] : by_text) expected.push_back(key + "| " + std::to_string(count));
  EXPECT_EQ(expect_same("count", "", {"text"}, 1'000'000, 100).rows, expected);
  expected.clear();
  for (const auto& [key, sum] : by_both) {
    expected.push_back(key.first + "|" + std::to_string(key.second) + "| " + std::to_string(sum));
  }
  EXPECT_EQ(expect_same("sum", "n", {"text", "n"}, 4'000'000, 100).rows, expected);
  expect_same("count", "", {"level", "text", "site"}, 1'000'000, 100);
}

// NaN comes after all numbers, as one group, with a sign or without.
TEST_F(AggPasses, GroupsOfReals) {
  const Asked once = expect_same("count", "", {"real"}, 50 * kManyRecords, 100);
  EXPECT_EQ(once.rows.back().substr(0, 4), "nan|");
  EXPECT_NE(once.rows.end()[-2].substr(0, 4), "nan|");
  EXPECT_EQ(once.rows.front()[0], '-');
}

// These operations use all records, or their times and places, in whichever pass a key comes; one key takes several
// passes.
TEST_F(AggPasses, SharesRatiosAndTimes) {
  expect_same("count,share,ratio(n > 100 or n < 3),first,last", "", {"n"}, 1'000'000, 100);
  expect_same("share,ratio(text contains '7'),distinct,last", "n", {"text"}, 4'000'000, 300);
  expect_same("ratio(n >= 50),share,first,distinct", "text", {"level"}, 100'000, 200);
}

TEST_F(AggPasses, AllOperationsByKeys) {
  expect_same("count,min,max,mean,sum,stddev,p50,p99,distinct,top:3,hist:4", "n", {"text"}, 4'000'000, 300);
  expect_same("count,distinct,top:3", "text", {"n"}, 4'000'000, 100);
}

// A single group whose values do not fit is cut by their hashes.
TEST_F(AggPasses, DistinctValuesOfAll) {
  std::set<std::int32_t> numbers;
  std::set<std::string> texts;
  for (const Record& r : records_) {
    numbers.insert(r.n);
    texts.insert(r.text);
  }
  EXPECT_EQ(expect_same("distinct", "n", {}, 100'000, 100).rows, std::vector{" " + std::to_string(numbers.size())});
  EXPECT_EQ(expect_same("distinct", "text", {}, 100'000, 200).rows, std::vector{" " + std::to_string(texts.size())});
  expect_same("count,min,p50,p99.9,distinct,top:20,hist:7,mean,stddev", "n", {}, 150'000, 100);
  expect_same("top:5,distinct,count", "text", {}, 150'000, 200);
}

// There are several groups, each too large.
TEST_F(AggPasses, DistinctValuesByKeys) {
  expect_same("count,distinct,top:4", "text", {"level"}, 100'000, 200);
  expect_same("count,p50,distinct,top:4,hist:3", "n", {"time:15ms"}, 100'000, 200);
}

TEST_F(AggPasses, StepsWithoutRecordsAreLeftOutThen) {
  EXPECT_EQ(ask("count", "", {"time:1us"}, kAmpleMemory).steps_left_out, 0u);
  const Asked often = ask("count", "", {"time:1us"}, 1'000'000);
  EXPECT_NE(often.steps_left_out, 0u);
  EXPECT_EQ(often.rows.size(), kManyRecords);
}

}  // namespace
}  // namespace steno::query
