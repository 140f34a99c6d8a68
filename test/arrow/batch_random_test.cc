// Random logs: batches have what the log was made of, and what for_each shows, record by record.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "../random_cases.h"
#include "arrow/batch_source.h"
#include "arrow_consumer.h"
#include "pull.h"
#include "query/random_log.h"
#include "reader/indexed_log.h"
#include "reader/temp_file.h"
#include "steno/reader.h"

namespace steno {
namespace {

using test::ArrowCell;
using test::ArrowTable;
using test::KnownLog;
using test::KnownRecord;
using test::pull;
using test::TempFile;
using Rows = std::vector<std::vector<ArrowCell>>;
using Shape = BatchOptions::Shape;

const std::vector<std::string> kColumns = {"time", "level", "thread", "tid", "logger", "file", "line", "message"};

std::vector<ArrowCell> row_of(const KnownRecord& r) {
  return {std::to_string(r.time),
          level_name(r.level),
          r.thread,
          std::to_string(r.tid),
          r.logger,
          r.file,
          std::to_string(r.line),
          r.message};
}

std::vector<ArrowCell> row_of(const Record& r) {
  const SiteFacts site = r.site();
  return {std::to_string(r.time_ns()), level_name(r.level()),  std::string(r.thread()),   std::to_string(r.thread_id()),
          std::string(r.logger()),     std::string(site.file), std::to_string(site.line), r.message()};
}

// Returns all records of the log, in its order.
Rows shown(LogReader& log) {
  ReadFilter filter;
  filter.sort = false;
  Rows rows;
  log.for_each(filter, [&](const Record& r) { rows.push_back(row_of(r)); });
  return rows;
}

TEST(BatchRandom, LogIsWhatWasLogged) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const KnownLog known = test::random_log(seed, seed % 3 == 0, 12, 900);
    const TempFile file(known.bytes);
    auto log = LogReader::open({file.path()});
    ASSERT_TRUE(log.ok());
    BatchOptions options;
    options.columns = kColumns;
    options.max_rows = seed * 50;
    Rows expected;
    for (const KnownRecord& r : known.records) expected.push_back(row_of(r));
    EXPECT_EQ(pull(*log, options).rows, expected);
    EXPECT_EQ(shown(*log), expected);
  }
}

// Rows without columns: counted from the index, where it tells and statement, time and level decide, else by the
// blocks.
TEST(BatchRandom, CountsByIndex) {
  std::mt19937 random(11);
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const KnownLog known = test::random_log(seed, seed % 3 == 0, 12, 500);
    const TempFile file(test::with_indexes(known.bytes, 5));
    reader::LogSet logs(test::kByIndex);
    ASSERT_TRUE(logs.add(file.path()).ok());
    for (int round = 0; round < test::random_cases(30); ++round) {
      const test::KnownCondition condition = test::random_condition(random, known, round % 3);
      BatchOptions options;
      options.shape = round % 2 == 0 ? Shape::kLog : Shape::kStatement;
      options.columns = {round % 2 == 0 ? "pid" : "severity", "session"};
      options.parts = 1 + random() % 3;
      options.max_rows = 1 + random() % 400;
      if (round % 3 != 0) options.where = condition.text;
      std::map<std::uint64_t, std::size_t> expected;  // by severity
      for (const KnownRecord& r : known.records) {
        if (round % 3 == 0 || condition.holds(r).value_or(false))
          ++expected[round % 2 == 0 ? 0 : static_cast<std::uint64_t>(r.level)];
      }
      std::map<std::uint64_t, std::size_t> rows;
      std::size_t read = 0;
      std::uint64_t opened_bytes = 0;
      for (options.part = 0; options.part < options.parts; ++options.part) {
        auto source = arrow::BatchSource::make(logs, options, arrow::BatchSource::Use::kStream);
        ASSERT_TRUE(source.ok()) << source.status().message();
        const auto estimate = source.value()->estimate();
        ASSERT_EQ(estimate.ok(), options.shape == Shape::kLog) << "statements have no schema in common";
        if (estimate.ok()) {
          std::size_t total = 0;
          for (const auto& [severity, count] : expected) total += count;
          EXPECT_GE(estimate->rows, total) << options.where;
          EXPECT_LE(estimate->rows, known.records.size());
          opened_bytes = estimate->opened_bytes;
        }
        for (std::shared_ptr<arrow::BatchData> data; source.value()->next(&data);) {
          const std::uint8_t* const severities = data->columns[0].values.data();
          for (std::size_t i = 0; i < data->rows; ++i) ++rows[round % 2 == 0 ? 0 : severities[i]];
        }
        read += source.value()->progress().read;
      }
      ASSERT_EQ(rows, expected) << options.where << " seed " << seed;
      const auto& blocks = logs.files()[0]->blocks();
      const auto without_counts =
          std::count_if(blocks.begin(), blocks.end(), [](const auto& block) { return block.sites == 0; });
      if (options.where.empty()) {
        EXPECT_EQ(read, static_cast<std::size_t>(without_counts));
        if (options.shape == Shape::kLog) {
          EXPECT_EQ(opened_bytes != 0, without_counts != 0);
        }
      }
    }
  }
}

TEST(BatchRandom, Filters) {
  std::mt19937 random(7);
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const KnownLog known = test::random_log(seed, seed % 4 == 0, 10, 700);
    const TempFile file(known.bytes);
    auto log = LogReader::open({file.path()});
    ASSERT_TRUE(log.ok());
    for (int round = 0; round < test::random_cases(40); ++round) {
      const test::KnownCondition condition = test::random_condition(random, known, 2);
      BatchOptions options;
      options.columns = kColumns;
      options.where = condition.text;
      options.max_rows = 1 + random() % 300;
      if (random() % 3 == 0) options.since_ns = known.records[random() % known.records.size()].time;
      if (random() % 3 == 0) options.until_ns = known.records[random() % known.records.size()].time;
      if (random() % 3 == 0) options.min_level = Level::kWarn;
      const bool narrow = random() % 2 == 0;
      if (narrow) options.columns = {"time", "tid"};  // the filter's columns are not asked for
      Rows expected;
      for (const KnownRecord& r : known.records) {
        if (r.time < options.since_ns || r.time >= options.until_ns || r.level < options.min_level) continue;
        if (!condition.holds(r).value_or(false)) continue;
        expected.push_back(row_of(r));
        if (narrow) expected.back() = {expected.back()[0], expected.back()[3]};
      }
      EXPECT_EQ(pull(*log, options).rows, expected) << condition.text;
    }
  }
}

ArrowCell cell_of(const test::KnownValue& value, char type) {
  char text[64];
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return std::to_string(*u);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* d = std::get_if<double>(&value)) {
    std::snprintf(text, sizeof text, "%a", type == 'f' ? static_cast<double>(static_cast<float>(*d)) : *d);
    return text;
  }
  return {};
}

// Each statement's arguments, under each way to have strings; records of different loggers may change places.
TEST(BatchRandom, Statements) {
  std::mt19937 random(5);
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const KnownLog known = test::random_log(seed, seed % 3 == 0, 12, 900);
    const TempFile file(known.bytes);
    auto log = LogReader::open({file.path()});
    ASSERT_TRUE(log.ok());
    for (const SiteFacts& site : log->sites()) {
      BatchOptions options;
      options.shape = Shape::kStatement;
      options.stable_id = site.stable_id;
      options.dictionary_strings = seed % 2 == 0;
      options.max_rows = 1 + random() % 400;
      const test::KnownCondition condition = test::random_condition(random, known, 1);
      if (random() % 2 == 0) options.where = condition.text;
      Rows expected;
      for (const KnownRecord& r : known.records) {
        if (r.file != site.file || r.line != site.line) continue;
        if (!options.where.empty() && !condition.holds(r).value_or(false)) continue;
        std::vector<ArrowCell> row = {std::to_string(r.time), r.thread, r.logger};
        for (std::size_t i = 0; i < r.arguments.size(); ++i)
          row.push_back(cell_of(r.arguments[i].second, site.types[i]));
        expected.push_back(row);
      }
      Rows rows = pull(*log, options).rows;
      std::sort(rows.begin(), rows.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(rows, expected) << site.format << " where " << options.where;
    }
  }
}

// Without a choice every statement comes, in batches of its own; nothing is missing or twice.
TEST(BatchRandom, AllStatements) {
  const KnownLog known = test::random_log(11, false, 12, 900);
  const TempFile file(known.bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  options.shape = Shape::kStatement;
  options.columns = {"time", "session", "ring", "sequence", "line"};
  std::map<std::vector<ArrowCell>, int> keys;
  std::size_t rows = 0;
  ASSERT_TRUE(log->for_each_batch(options,
                                  [&](const Batch& batch) {
                                    ArrowSchema schema;
                                    ArrowArray array;
                                    batch.export_arrow(&schema, &array);
                                    ArrowTable table;
                                    read_schema(schema, &table);
                                    read_array(schema, array, &table);
                                    schema.release(&schema);
                                    array.release(&array);
                                    for (const auto& row : table.rows) {
                                      ++rows;
                                      EXPECT_EQ(row[4], std::to_string(batch.site().line));
                                      EXPECT_EQ(row[1], std::to_string(batch.session()));
                                      EXPECT_GE(std::stoll(*row[0]), batch.min_time_ns());
                                      EXPECT_LE(std::stoll(*row[0]), batch.max_time_ns());
                                      ++keys[{row[1], row[2], row[3]}];
                                    }
                                  })
                  .ok());
  EXPECT_EQ(rows, known.records.size());
  EXPECT_EQ(keys.size(), known.records.size());
}

// Shares, each pulled by a thread of its own, are together the log.
TEST(BatchRandom, SharesInThreads) {
  const KnownLog known = test::random_log(13, false, 40, 500);
  const TempFile file(known.bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  constexpr std::uint32_t kParts = 4;
  ArrowArrayStream streams[kParts];
  BatchOptions options;
  options.columns = kColumns;
  options.where = "message contains \"o\" or qty > 0";
  const Rows whole = pull(*log, options).rows;
  options.parts = kParts;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    options.part = i;
    ASSERT_TRUE(log->stream(options, &streams[i]).ok());
  }
  Rows rows[kParts];
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    threads.emplace_back([&, i] { rows[i] = test::read_stream(&streams[i]).rows; });
  }
  for (std::thread& thread : threads) thread.join();
  Rows all;
  for (const Rows& part : rows) {
    EXPECT_FALSE(part.empty());
    all.insert(all.end(), part.begin(), part.end());
  }
  Rows sorted = whole;
  std::sort(all.begin(), all.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_FALSE(sorted.empty());
  EXPECT_EQ(all, sorted);
}

// The files have the same log twice, and lost bytes.
TEST(BatchRandom, RepeatedAndDamaged) {
  std::mt19937 random(3);
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    std::string bytes = test::random_log(seed, seed % 2 == 0, 10, 300).bytes;
    for (int i = 0; i < 5; ++i) bytes[2000 + random() % (bytes.size() - 2000)] ^= static_cast<char>(1 + random() % 255);
    bytes.resize(bytes.size() - random() % 300);
    const TempFile file(bytes);
    auto log = LogReader::open({file.path(), file.path()});
    ASSERT_TRUE(log.ok());
    BatchOptions options;
    options.columns = kColumns;
    EXPECT_EQ(pull(*log, options).rows, shown(*log));
  }
}

}  // namespace
}  // namespace steno
