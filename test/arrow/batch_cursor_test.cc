// Batches of several statements in one pass, block by block.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "../sanitizers.h"
#include "arrow/batch_source.h"
#include "query/random_log.h"
#include "reader/indexed_log.h"
#include "reader/temp_file.h"
#include "steno/reader.h"

namespace steno {
namespace {

using test::FileBuilder;
using test::KnownLog;
using test::KnownRecord;
using test::TempFile;
using Step = BatchCursor::Step;
using Row = std::pair<std::size_t, std::string>;  // a choice and a message

constexpr std::int64_t kBegin = FileBuilder::kStart;

std::vector<Row> read_rows(BatchCursor& cursor) {
  std::vector<Row> rows;
  std::map<std::size_t, std::set<std::size_t>> schemas;  // of choices
  for (Step step = cursor.next(); step != Step::kEnd; step = cursor.next()) {
    if (step != Step::kBatch) continue;
    const Batch batch = cursor.batch();
    schemas[batch.schema()].insert(batch.choice());
    const BatchColumn* const message = batch.find("message");
    EXPECT_NE(message, nullptr);
    for (std::size_t i = 0; i < batch.rows(); ++i) rows.emplace_back(batch.choice(), message->text(i));
  }
  for (const auto& [schema, choices] : schemas) EXPECT_EQ(choices.size(), 1u) << "schema " << schema;
  return rows;
}

// Each statement by a condition and within a time that are known to hold or not of each record.
TEST(BatchCursor, HasTheRecordsOfEachChoice) {
  std::mt19937 random(11);
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const KnownLog known = test::random_log(seed, seed % 4 == 0, 10, 500);
    const TempFile file(known.bytes);
    auto log = LogReader::open({file.path()});
    ASSERT_TRUE(log.ok());
    std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> ids;
    for (const SiteFacts& site : log->sites()) ids[{std::string(site.file), site.line}] = site.stable_id;
    for (int round = 0; round < test::sampled(20); ++round) {
      BatchOptions options;
      options.shape = BatchOptions::Shape::kStatement;
      options.columns = {"message"};
      options.max_rows = 1 + random() % 300;
      if (random() % 3 == 0) options.since_ns = known.records[random() % known.records.size()].time;
      if (random() % 3 == 0) options.until_ns = known.records[random() % known.records.size()].time;
      std::map<std::uint64_t, std::size_t> chosen;
      std::vector<test::KnownCondition> conditions;
      for (const auto& [place, id] : ids) {
        if (random() % 3 == 0 || !chosen.try_emplace(id, conditions.size()).second) continue;
        conditions.push_back(test::random_condition(random, known, 1));
        if (random() % 4 == 0) conditions.back() = {"", [](const KnownRecord&) { return true; }};
        options.choices.push_back({id, conditions.back().text});
      }
      if (options.choices.empty()) continue;
      std::vector<Row> expected;
      for (const KnownRecord& r : known.records) {
        const auto choice = chosen.find(ids.at({r.file, r.line}));
        if (choice == chosen.end() || r.time < options.since_ns || r.time >= options.until_ns) continue;
        if (conditions[choice->second].holds(r).value_or(false)) expected.emplace_back(choice->second, r.message);
      }
      auto cursor = log->batches(options);
      ASSERT_TRUE(cursor.ok()) << cursor.status().message();
      std::vector<Row> rows = read_rows(*cursor);
      std::sort(rows.begin(), rows.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(rows, expected) << "seed " << seed;
    }
  }
}

std::string two_blocks() {
  FileBuilder builder;
  builder.session().thread(0, 1, "worker", 77);
  builder.site(16, Level::kInfo, "got {n}", "i", 10);
  builder.site(17, Level::kInfo, "put {text}", "S", 20);
  builder.log(0, 16, kBegin + 1, test::Args().i32(1));
  builder.log(0, 17, kBegin + 2, test::Args().text("a"));
  builder.flush();
  builder.log(0, 16, kBegin + 3, test::Args().i32(2));
  builder.log(0, 17, kBegin + 4, test::Args().text("b"));
  return builder.end().bytes();
}

TEST(BatchCursor, StopsBetweenBlocks) {
  const TempFile file(two_blocks());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  const auto steps = [&](BatchOptions options) {
    options.shape = BatchOptions::Shape::kStatement;
    auto cursor = log->batches(options);
    EXPECT_TRUE(cursor.ok()) << cursor.status().message();
    std::vector<Step> taken;
    do taken.push_back(cursor->next());
    while (taken.back() != Step::kEnd);
    EXPECT_EQ(cursor->next(), Step::kEnd);
    return taken;
  };
  BatchOptions options;
  EXPECT_EQ(steps(options), std::vector<Step>({Step::kBatch, Step::kBatch, Step::kBatch, Step::kBatch, Step::kEnd}));
  options.where = "{n} == 2";
  EXPECT_EQ(steps(options), std::vector<Step>({Step::kNothing, Step::kBatch, Step::kNothing, Step::kEnd}));
  options.where = "{n} == 3";
  EXPECT_EQ(steps(options), std::vector<Step>({Step::kNothing, Step::kNothing, Step::kEnd}));
  // Blocks of another time are not looked at.
  options.where.clear();
  options.since_ns = kBegin + 3;
  EXPECT_EQ(steps(options), std::vector<Step>({Step::kBatch, Step::kBatch, Step::kEnd}));
}

// A block that cannot be read is a step, and a loss though the cursor does not come to the end.
TEST(BatchCursor, StopsAfterUnreadableBlocks) {
  const TempFile file(two_blocks());
  ReadOptions unreadable;
  unreadable.limits.decoded_bytes = 1;
  auto log = LogReader::open({file.path()}, unreadable);
  ASSERT_TRUE(log.ok()) << log.status().message();
  const std::size_t before = log->losses().size();
  BatchOptions options;
  options.shape = BatchOptions::Shape::kStatement;
  {
    auto cursor = log->batches(options);
    ASSERT_TRUE(cursor.ok()) << cursor.status().message();
    EXPECT_EQ(cursor->next(), Step::kNothing);
    EXPECT_EQ(log->losses().size(), before);
  }
  EXPECT_EQ(log->losses().size(), before + 1);
  auto cursor = log->batches(options);
  ASSERT_TRUE(cursor.ok());
  EXPECT_EQ(cursor->next(), Step::kNothing);
  EXPECT_EQ(cursor->next(), Step::kNothing);
  EXPECT_EQ(cursor->next(), Step::kEnd);
  EXPECT_EQ(log->losses().size(), before + 2);
}

// An index hides damage until a block is opened.
TEST(BatchCursor, StopsAtDamagedBlocks) {
  std::string bytes = test::with_indexes(two_blocks(), 100);
  {
    const TempFile sound(bytes);
    reader::LogSet logs(reader::kCheckAll);
    ASSERT_TRUE(logs.add(sound.path()).ok());
    for (const reader::BlockEntry& entry : logs.files()[0]->blocks()) bytes[entry.header_offset() + 40] ^= 1;
  }
  const TempFile file(bytes);
  reader::LogSet logs(test::kByIndex);
  ASSERT_TRUE(logs.add(file.path()).ok());
  auto source = arrow::BatchSource::make(logs, {});
  ASSERT_TRUE(source.ok()) << source.status().message();
  std::shared_ptr<arrow::BatchData> data;
  for (const reader::BlockEntry& entry : logs.files()[0]->blocks()) {
    EXPECT_EQ(source.value()->step(&data), Step::kNothing);
    EXPECT_TRUE(logs.files()[0]->is_damaged(entry));
  }
  EXPECT_EQ(source.value()->step(&data), Step::kEnd);
}

TEST(BatchCursor, SchemasOfChoices) {
  const TempFile file(two_blocks());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  options.shape = BatchOptions::Shape::kStatement;
  options.columns = {"n", "text", "none"};
  options.skip_missing = true;
  for (const SiteFacts& site : log->sites()) options.choices.push_back({site.stable_id, ""});
  ASSERT_EQ(options.choices.size(), 2u);
  options.choices.push_back({77, ""});
  auto cursor = log->batches(options);
  ASSERT_TRUE(cursor.ok()) << cursor.status().message();
  ArrowSchema schema;
  std::set<std::string> names;
  for (std::size_t choice = 0; choice < 2; ++choice) {
    ASSERT_TRUE(cursor->export_schema(choice, &schema));
    ASSERT_EQ(schema.n_children, 1);
    names.insert(std::string(schema.children[0]->name) + schema.children[0]->format);
    schema.release(&schema);
  }
  EXPECT_EQ(names, std::set<std::string>({"ni", "textu"}));
  EXPECT_FALSE(cursor->export_schema(2, &schema));
  EXPECT_FALSE(cursor->export_schema(3, &schema));

  options.choices[2] = options.choices[0];
  EXPECT_EQ(log->batches(options).status().message(), "a statement is chosen twice");
  options.choices.pop_back();
  options.stable_id = options.choices[0].stable_id;
  EXPECT_FALSE(log->batches(options).ok());
  options.stable_id = 0;
  options.choices[1].where = "n >";
  EXPECT_FALSE(log->batches(options).ok());
}

// It reads on when the reader has gone.
TEST(BatchCursor, OutlivesTheReader) {
  const TempFile file(two_blocks());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  options.shape = BatchOptions::Shape::kStatement;
  options.columns = {"message"};
  options.choices.push_back({log->sites()[1].stable_id, ""});
  auto cursor = log->batches(options);
  ASSERT_TRUE(cursor.ok()) << cursor.status().message();
  { const LogReader gone = std::move(log).value(); }
  BatchCursor moved = std::move(*cursor);
  EXPECT_EQ(read_rows(moved).size(), 2u);
}

}  // namespace
}  // namespace steno
