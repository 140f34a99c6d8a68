// What a block states of its own values (zones, the range of its times) is a claim. Where a value contradicts it the
// block is damaged, is named, and no answer counts it.
#include <gtest/gtest.h>

#include <algorithm>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "base/checksum.h"
#include "base/parallel.h"
#include "format/block.h"
#include "query/aggregate.h"
#include "reader/log_set.h"
#include "reader/losses.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

constexpr std::size_t kBlocks = 3;
constexpr std::uint32_t kRecords = 1000;  // a block

// Of each block the first argument is 100 * block + 0 .. 99, by a different codec in each; the others are constant.
std::int32_t value_of(std::size_t block, std::size_t i) {
  const std::size_t within = block == 0 ? i * 37 % 100 : block == 1 ? i / 10 : i % 2 * 99;
  return static_cast<std::int32_t>(100 * block + within);
}

std::string three_blocks() {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "value {v} key {k}", "ii");
  for (std::size_t block = 0; block < kBlocks; ++block) {
    for (std::size_t i = 0; i < kRecords; ++i) {
      const auto at = FileBuilder::kStart + static_cast<std::int64_t>(block * kRecords + i);
      b.log(0, 16, static_cast<std::uint64_t>(at),
            Args().i32(value_of(block, i)).i32(static_cast<std::int32_t>(i / 500)));
    }
    b.flush();
  }
  return b.end().bytes();
}

void renew_checksum(std::string* bytes, const reader::BlockEntry& entry) {
  auto* file = reinterpret_cast<std::uint8_t*>(bytes->data());
  format::BlockHeader session;
  EXPECT_TRUE(format::parse_header(file, bytes->size(), &session));
  std::uint8_t* p = file + entry.header_offset();
  const std::uint64_t sum = xxh3(p + format::kBlockHeaderSize, entry.length, load<std::uint64_t>(p + 4));
  store(p + 12, static_cast<std::uint32_t>(sum) ^ format::mark_of(file, session));
}

// The log with other ends of the zone of argument `column` in one block; checksums hold.
std::string with_zone(std::string bytes, std::size_t block, std::size_t column, std::int32_t least,
                      std::int32_t greatest) {
  const TempFile file(bytes);
  reader::LogSet logs;
  EXPECT_TRUE(logs.add(file.path()).ok());
  const reader::LogFile& log = *logs.files()[0];
  const reader::BlockEntry& entry = log.blocks()[block];
  const auto data = log.open_block(entry);
  EXPECT_TRUE(data.ok());
  const auto column_bytes = data->column_bytes(0, column);
  const std::string_view within(reinterpret_cast<const char*>(column_bytes.data()), column_bytes.size());
  const std::size_t at = bytes.find(within, entry.offset);
  store(reinterpret_cast<std::uint8_t*>(bytes.data()) + at + 1, least);
  store(reinterpret_cast<std::uint8_t*>(bytes.data()) + at + 5, greatest);
  renew_checksum(&bytes, entry);
  return bytes;
}

Answer ask(const reader::LogSet& logs, const char* operations, const char* keys = "") {
  const auto statement = find_statement(logs, "value {v} key {k}");
  Question question;
  question.subject = {&logs, &*statement, nullptr};
  question.operations = *parse_operations({operations});
  question.argument = *find_argument(*statement, "v");
  if (*keys != '\0') question.keys = *parse_keys({keys}, &*statement);
  auto answer = aggregate(question);
  EXPECT_TRUE(answer.ok()) << answer.status().message();
  return std::move(answer).value();
}

constexpr char kOperations[] = "count,min,max,mean,p50,p99,hist:7";

// What the answer is of those blocks' values alone.
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
