// The facts that a block states about its own values (zones, the range of its times) are claims. If a value contradicts
// one, the block is damaged, is named, and no answer counts it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/parallel.h"
#include "claims_log.h"
#include "count_records.h"
#include "query/filter/filter.h"
#include "query/statistics/aggregate.h"
#include "reader/losses.h"

namespace steno::query {
namespace {

using test::kBlocks;
using test::kRecords;
using test::renew_checksum;
using test::TempFile;
using test::three_blocks;
using test::value_of;
using test::with_zone;

Answer ask_within(std::size_t memory, const reader::LogSet& logs, const char* operations, const char* keys) {
  const auto statement = find_statement(logs, "value {v} key {k}");
  Question question;
  question.memory = memory;
  question.subject = {&logs, &*statement, nullptr};
  question.operations = *parse_operations({operations});
  question.argument = *find_argument(*statement, "v");
  if (*keys != '\0') question.keys = *parse_keys({keys}, &*statement);
  auto answer = aggregate(question);
  EXPECT_TRUE(answer.ok()) << answer.status().message();
  return std::move(answer).value();
}

void expect_same(const std::vector<Cell>& cells, const std::vector<Cell>& others) {
  ASSERT_EQ(cells.size(), others.size());
  for (std::size_t i = 0; i < cells.size(); ++i) EXPECT_EQ(cells[i].as_double(), others[i].as_double()) << i;
}

void expect_same(const Answer& one, const Answer& other) {
  ASSERT_EQ(one.rows.size(), other.rows.size());
  for (std::size_t r = 0; r < one.rows.size(); ++r) {
    expect_same(one.rows[r].keys, other.rows[r].keys);
    expect_same(one.rows[r].values, other.rows[r].values);
    const std::vector<Bar>& bars = one.rows[r].bars;
    ASSERT_EQ(bars.size(), other.rows[r].bars.size());
    for (std::size_t i = 0; i < bars.size(); ++i) {
      EXPECT_EQ(bars[i].low, other.rows[r].bars[i].low);
      EXPECT_EQ(bars[i].count, other.rows[r].bars[i].count);
    }
  }
}

// Whatever memory there is, the answer is one.
Answer ask(const reader::LogSet& logs, const char* operations, const char* keys = "") {
  Answer ample = ask_within(std::size_t{1} << 30, logs, operations, keys);
  expect_same(ample, ask_within(std::size_t{1} << 13, logs, operations, keys));
  return ample;
}

constexpr char kOperations[] = "count,min,max,mean,p50,p99,hist:7";

// Checks that the answer is computed from those blocks' values alone.
void expect_answer_of(const std::vector<std::size_t>& blocks, const AnswerRow& row) {
  std::vector<std::int32_t> values;
  for (const std::size_t block : blocks) {
    for (std::size_t i = 0; i < kRecords; ++i) values.push_back(value_of(block, i));
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(row.values[0].as_double(), static_cast<double>(values.size()));
  EXPECT_EQ(row.values[1].as_double(), values.front());
  EXPECT_EQ(row.values[2].as_double(), values.back());
  EXPECT_EQ(row.values[4].as_double(), values[(values.size() + 1) / 2 - 1]);
  EXPECT_EQ(row.values[5].as_double(), values[(values.size() * 99 + 99) / 100 - 1]);
  std::uint64_t in_bars = 0;
  for (const Bar& bar : row.bars) in_bars += bar.count;
  EXPECT_EQ(in_bars, values.size());
}

class Claims : public testing::Test {
 protected:
  void SetUp() override { set_default_threads(2); }
  void TearDown() override { set_default_threads(0); }
};

TEST_F(Claims, ValuesOutsideOfTheirZoneAreDamageAndCountNowhere) {
  const std::string sound = three_blocks();
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const std::int32_t low = static_cast<std::int32_t>(block) * 100;
    for (const auto& [least, greatest] : std::vector<std::pair<std::int32_t, std::int32_t>>{
             {low + 1, low + 99}, {low, low + 98}, {low + 50, low + 50}, {-7, -5}, {INT32_MAX, INT32_MIN}}) {
      const TempFile file(with_zone(sound, block, 0, least, greatest));
      reader::LogSet logs;
      ASSERT_TRUE(logs.add(file.path()).ok());
      for (const char* keys : {"", "level"}) {
        const Answer answer = ask(logs, kOperations, keys);
        ASSERT_EQ(answer.rows.size(), 1u);
        std::vector<std::size_t> others;
        for (std::size_t other = 0; other < kBlocks; ++other) {
          if (other != block) others.push_back(other);
        }
        expect_answer_of(others, answer.rows[0]);
        ASSERT_EQ(answer.failures.size(), 1u);
        EXPECT_NE(answer.failures[0].damage.reason.find("outside of the zone"), std::string::npos)
            << answer.failures[0].damage.reason;
      }
      for (const char* one : {"min", "max", "p50", "hist"}) {
        EXPECT_EQ(ask(logs, one).failures.size(), 1u) << one;
      }
      const reader::LossReport report = reader::find_losses(*logs.files()[0], {.content = true});
      EXPECT_EQ(report.lost, kRecords);
      ASSERT_EQ(report.losses.size(), 1u);
      EXPECT_NE(report.losses[0].reason.find("outside of the zone"), std::string::npos) << report.losses[0].reason;
    }
  }
}

TEST_F(Claims, AZoneThatIsTooWideChangesNothing) {
  const std::string sound = three_blocks();
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const TempFile file(with_zone(sound, block, 0, -1'000'000, 1'000'000));
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    for (const char* keys : {"", "level"}) {
      const Answer answer = ask(logs, kOperations, keys);
      EXPECT_TRUE(answer.failures.empty());
      expect_answer_of({0, 1, 2}, answer.rows.at(0));
    }
  }
}

// A zone is only a reason to pass over a block: it can hide records from a condition, and add none.
TEST_F(Claims, AConditionIsNotTakenToHoldBecauseOfAZone) {
  const std::string sound = three_blocks();
  for (const char* condition : {"v >= 150", "not (v < 150)", "v >= 150 and v != 7", "v >= 150 or v == 7"}) {
    for (const auto& [least, greatest] : std::vector<std::pair<std::int32_t, std::int32_t>>{
             {160, 199}, {150, 198}, {101, 198}, {100, 199}, {-1, 7'000}, {-7, -5}}) {
      SCOPED_TRACE(std::string(condition) + " " + std::to_string(least) + " " + std::to_string(greatest));
      const TempFile file(with_zone(sound, 1, 0, least, greatest));
      reader::LogSet logs;
      ASSERT_TRUE(logs.add(file.path()).ok());
      FilterOptions options;
      options.where = condition;
      const auto answer = count_records(logs, options);
      ASSERT_TRUE(answer.ok()) << answer.status().message();
      const bool holds = least <= 100 && greatest >= 199;
      const bool passed_over = greatest < 0;  // that is not noticed
      const std::uint32_t expected = (holds ? 1500 : 1000) + (std::string_view(condition).ends_with("v == 7") ? 10 : 0);
      EXPECT_EQ(answer->rows.at(0).values[0].as_double(), expected);
      EXPECT_EQ(answer->failures.size(), holds || passed_over ? 0u : 1u);
      EXPECT_EQ(reader::find_losses(*logs.files()[0], {.content = true}).complete(), holds);
    }
  }
}

// Returns how many records have a message like that.
Answer ask_for(const reader::LogSet& logs, const char* pattern) {
  FilterOptions options;
  options.grep = {pattern};
  auto answer = count_records(logs, options);
  EXPECT_TRUE(answer.ok());
  return std::move(answer).value();
}

// Nor is a pattern: digits that a zone allows are not digits that are there.
TEST_F(Claims, APatternIsNotFoundBecauseOfAZone) {
  struct Case {
    const char* pattern;
    double others;  // in blocks 0 and 2
    double of_block;
  };
  const Case cases[] = {{"value [0-9] key", 100, 0},
                        {"value [0-9]{3} key", 1000, 1000},
                        {"value [0-9]+ key 1", 1000, 500},
                        {"77 key", 10, 10},
                        {"value 17", 10, 100},
                        {"value 5 ", 10, 0}};
  const std::string sound = three_blocks();
  std::size_t damaged = 0;
  std::size_t passed_over = 0;
  for (const auto& [least, greatest] : std::vector<std::pair<std::int32_t, std::int32_t>>{
           {100, 199}, {0, INT32_MAX}, {-7, 7'000}, {1, 9}, {100, 150}, {160, 199}, {1'000, 2'000}, {-7, -5}}) {
    const TempFile file(with_zone(sound, 1, 0, least, greatest));
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    const bool holds = least <= 100 && greatest >= 199;
    for (const Case& c : cases) {
      SCOPED_TRACE(std::string(c.pattern) + " " + std::to_string(least) + " " + std::to_string(greatest));
      const Answer answer = ask_for(logs, c.pattern);
      const double count = answer.rows.empty() ? 0 : answer.rows.at(0).values[0].as_double();
      if (holds) {
        EXPECT_EQ(count, c.others + c.of_block);
        EXPECT_TRUE(answer.failures.empty());
        continue;
      }
      damaged += answer.failures.size();
      passed_over += answer.failures.empty() ? 1 : 0;
      // Where the digits do not matter, they are not looked at.
      EXPECT_EQ(
          count,
          c.others + (answer.failures.empty() && std::string_view(c.pattern) == "value [0-9]+ key 1" ? c.of_block : 0));
    }
  }
  EXPECT_GT(damaged, 5u);
  EXPECT_GT(passed_over, 5u);
}

TEST_F(Claims, AKeyIsNotTakenFromAZone) {
  const TempFile file(with_zone(three_blocks(), 1, 1, 5, 5));
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  const Answer answer = ask(logs, "count", "k");
  EXPECT_EQ(answer.failures.size(), 1u);
  ASSERT_EQ(answer.rows.size(), 2u);
  for (const AnswerRow& row : answer.rows) EXPECT_EQ(row.values[0].as_double(), 1000);
}

TEST_F(Claims, TimesOutsideOfTheRangeOfTheirBlockAreDamage) {
  for (const bool late : {false, true}) {
    std::string bytes = three_blocks();
    const TempFile sound(bytes);
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(sound.path()).ok());
    const reader::BlockEntry entry = logs.files()[0]->blocks()[1];
    auto* claim = reinterpret_cast<std::uint8_t*>(bytes.data()) + entry.offset + (late ? 0 : 8);
    store(claim, load<std::uint64_t>(claim) + (late ? 1 : std::uint64_t(-1)));
    renew_checksum(&bytes, entry);
    const TempFile file(bytes);
    reader::LogSet changed;
    ASSERT_TRUE(changed.add(file.path()).ok());
    const reader::LossReport report = reader::find_losses(*changed.files()[0], {.content = true});
    EXPECT_EQ(report.lost, kRecords);
    ASSERT_EQ(report.losses.size(), 1u);
    EXPECT_NE(report.losses[0].reason.find("outside of the range"), std::string::npos) << report.losses[0].reason;
  }
}

}  // namespace
}  // namespace steno::query
