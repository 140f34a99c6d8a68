// Batches that are joined, and types of profiles: the values are those of the batches that are not.
#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include "arrow_consumer.h"
#include "query/random_log.h"
#include "reader/file_builder.h"
#include "reader/temp_file.h"
#include "steno/batch.h"
#include "steno/reader.h"

namespace steno {
namespace {

using test::Args;
using test::ArrowTable;
using test::FileBuilder;
using test::TempFile;
using Profile = BatchOptions::Profile;

constexpr std::int64_t kFirst = FileBuilder::kStart;

struct Joined {
  ArrowTable table;
  std::vector<std::int64_t> rows;  // of each batch
};

Joined read(LogReader& log, const BatchOptions& options) {
  ArrowArrayStream stream;
  const Status status = log.stream(options, &stream);
  EXPECT_TRUE(status.ok()) << status.message();
  Joined joined;
  ArrowSchema schema;
  EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
  test::read_schema(schema, &joined.table);
  for (;;) {
    ArrowArray array;
    EXPECT_EQ(stream.get_next(&stream, &array), 0);
    if (array.release == nullptr) break;
    joined.rows.push_back(array.length);
    test::read_array(schema, array, &joined.table);
    array.release(&array);
  }
  schema.release(&schema);
  stream.release(&stream);
  return joined;
}

enum class Strings { kPlain, kDictionaries, kViews };

BatchOptions with_strings(Strings strings, BatchOptions options = {}) {
  options.dictionary_strings = strings == Strings::kDictionaries;
  options.view_strings = strings == Strings::kViews;
  return options;
}

class JoinedBatches : public testing::TestWithParam<Strings> {};

TEST_P(JoinedBatches, HaveTheSameRows) {
  const TempFile file(test::random_log(42, false, 30, 4000).bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  for (const char* statement : {"", "filled {qty} @ {price} for {client}"}) {
    BatchOptions options;
    options.shape = *statement == '\0' ? BatchOptions::Shape::kLog : BatchOptions::Shape::kStatement;
    options.statement = statement;
    const Joined plain = read(*log, options);
    options = with_strings(GetParam(), options);
    const Joined apart = read(*log, options);
    ASSERT_GT(apart.rows.size(), 10u);
    EXPECT_EQ(apart.table.rows, plain.table.rows);
    for (const std::uint32_t rows : {1u, 500u, 5000u, UINT32_MAX}) {
      options.min_rows = rows;
      const Joined joined = read(*log, options);
      EXPECT_EQ(joined.table.fields, apart.table.fields);
      EXPECT_EQ(joined.table.rows, apart.table.rows);
      for (std::size_t i = 0; i + 1 < joined.rows.size(); ++i) EXPECT_GE(joined.rows[i], rows);
      if (rows == UINT32_MAX) {
        EXPECT_EQ(joined.rows.size(), 1u);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Strings, JoinedBatches,
                         testing::Values(Strings::kPlain, Strings::kDictionaries, Strings::kViews));

// The values that a column needs are decoded where it is the only one, too.
TEST(StreamColumns, AreTheSameAlone) {
  const TempFile file(test::random_log(43, false, 20, 3000).bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  for (const char* statement : {"", "filled {qty} @ {price} for {client}"}) {
    BatchOptions options;
    options.shape = *statement == '\0' ? BatchOptions::Shape::kLog : BatchOptions::Shape::kStatement;
    options.statement = statement;
    options.columns = {"time", "time_ns",  "level",  "severity", "thread",    "tid",    "logger",
                       "file", "function", "format", "line",     "stable_id", "ticks",  "session",
                       "ring", "sequence", "pid",    "program",  "host",      "message"};
    if (*statement != '\0') options.columns.insert(options.columns.end(), {"qty", "price", "client"});
    const ArrowTable whole = read(*log, options).table;
    for (const std::string& name : std::vector<std::string>(options.columns)) {
      options.columns = {name};
      EXPECT_EQ(read(*log, options).table.values(name), whole.values(name)) << name;
    }
  }
}

// A batch's memory is used again when it has been released, and not before.
TEST(StreamBatches, StayWhatTheyAreWhileTheyAreHeld) {
  const TempFile file(test::random_log(44, false, 30, 4000).bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  for (const std::uint32_t rows : {1u, 700u}) {
    for (const Strings strings : {Strings::kPlain, Strings::kDictionaries, Strings::kViews}) {
      BatchOptions options = with_strings(strings);
      options.shape = BatchOptions::Shape::kStatement;
      options.statement = "filled {qty} @ {price} for {client}";
      options.min_rows = rows;
      const ArrowTable wanted = read(*log, options).table;
      ArrowArrayStream stream;
      ASSERT_TRUE(log->stream(options, &stream).ok());
      ArrowSchema schema;
      ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
      ArrowTable found;
      test::read_schema(schema, &found);
      std::vector<ArrowArray> held;
      for (;;) {
        ArrowArray array;
        ASSERT_EQ(stream.get_next(&stream, &array), 0);
        if (array.release == nullptr) break;
        held.push_back(array);
        if (held.size() < 3) continue;
        test::read_array(schema, held.front(), &found);
        held.front().release(&held.front());
        held.erase(held.begin());
      }
      stream.release(&stream);
      for (ArrowArray& array : held) {
        test::read_array(schema, array, &found);
        array.release(&array);
      }
      schema.release(&schema);
      EXPECT_EQ(found.rows, wanted.rows);
    }
  }
}

// Bits and nulls of batches whose rows are no multiple of eight.
TEST(JoinedBatch, BitsAndNulls) {
  FileBuilder builder;
  builder.session().thread(0, 1, "worker", 77);
  builder.site(16, Level::kInfo, "{yes} {name}", "bS", 10);
  std::vector<std::vector<test::ArrowCell>> wanted;
  for (int i = 0; i < 200; ++i) {
    Args args;
    args.add('b', std::uint8_t(i % 3 == 0));
    const std::string name = "n" + std::to_string(i % 7) + (i % 4 == 0 ? ", in more than twelve bytes" : "");
    if (i % 5 == 0) {
      args.null_text();
    } else {
      args.text(name);
    }
    builder.log(0, 16, kFirst + i, args);
    wanted.push_back({i % 3 == 0 ? "true" : "false", i % 5 == 0 ? test::ArrowCell() : name});
    if (i % 13 == 0) builder.flush();
  }
  const TempFile file(builder.end().bytes());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  options.shape = BatchOptions::Shape::kStatement;
  options.statement = "{yes} {name}";
  options.columns = {"yes", "name"};
  options.max_rows = 5;
  for (const Strings strings : {Strings::kPlain, Strings::kDictionaries, Strings::kViews}) {
    options = with_strings(strings, options);
    options.min_rows = 1;
    EXPECT_GT(read(*log, options).rows.size(), 40u);
    for (const std::uint32_t rows : {7u, 64u, 1000u}) {
      options.min_rows = rows;
      EXPECT_EQ(read(*log, options).table.rows, wanted);
    }
  }
}

std::map<std::string, std::string> formats_of(const ArrowTable& table) {
  std::map<std::string, std::string> formats;
  for (const test::ArrowField& field : table.fields) {
    EXPECT_TRUE(field.nullable) << field.name;
    EXPECT_EQ(field.index_format, "") << field.name;
    formats[field.name] = field.format;
  }
  return formats;
}

TEST(Profile, TypesThatEnginesTake) {
  FileBuilder builder;
  builder.session().thread(0, 1, "worker", 77);
  builder.site(16, Level::kError, "{h} {t} {j} {m} {n} {s}", "htjmnS", 10);
  builder.log(0, 16, kFirst - 1,
              Args()
                  .add('h', std::uint8_t{255})
                  .add('t', std::uint16_t{65535})
                  .add('j', UINT32_MAX)
                  .u64(std::uint64_t{1} << 62)
                  .add('n', __int128{-1})
                  .text("text"));
  const TempFile file(builder.end().bytes());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  options.shape = BatchOptions::Shape::kStatement;
  options.statement = "{h} {t} {j} {m} {n} {s}";
  options.columns = {"h", "t", "j", "m", "n", "s", "time", "time_ns", "thread", "severity"};
  options.dictionary_strings = true;
  const std::string micros = std::to_string((kFirst - 1) / 1000);
  const std::string nanos = std::to_string(kFirst - 1);

  options.profile = Profile::kSpark;
  ArrowTable spark = read(*log, options).table;
  const std::map<std::string, std::string> spark_formats = {
      {"h", "s"}, {"t", "i"},          {"j", "l"},       {"m", "l"},      {"n", "z"},
      {"s", "u"}, {"time", "tsu:UTC"}, {"time_ns", "l"}, {"thread", "u"}, {"severity", "s"}};
  EXPECT_EQ(formats_of(spark), spark_formats);
  const std::string ones(16, '\xFF');
  const std::vector<test::ArrowCell> spark_row = {
      "255", "65535", "4294967295", "4611686018427387904", ones, "text", micros, nanos, "worker", "5"};
  ASSERT_EQ(spark.rows.size(), 1u);
  EXPECT_EQ(spark.rows[0], spark_row);

  options.profile = Profile::kParquet;
  const ArrowTable parquet = read(*log, options).table;
  const std::map<std::string, std::string> parquet_formats = {
      {"h", "C"}, {"t", "S"},          {"j", "I"},       {"m", "L"},      {"n", "w:16"},
      {"s", "u"}, {"time", "tsn:UTC"}, {"time_ns", "l"}, {"thread", "u"}, {"severity", "C"}};
  EXPECT_EQ(formats_of(parquet), parquet_formats);
  EXPECT_EQ(parquet.rows[0][7], nanos);
}

TEST(StreamProgress, CountsBlocksThatAreRead) {
  const TempFile file(test::random_log(42, false, 30, 4000).bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  BatchProgress last;
  options.progress = [&last](const BatchProgress& now) {
    EXPECT_GE(now.done, last.done);
    EXPECT_GE(now.read, last.read);
    EXPECT_LE(now.read, now.done);
    last = now;
    return true;
  };
  const Joined all = read(*log, options);
  EXPECT_GT(last.blocks, 10u);
  EXPECT_EQ(last.done, last.blocks);
  EXPECT_GT(last.read, last.blocks / 2);
  last = {};
  options.where = "line > 1000000";  // which the sites decide
  EXPECT_TRUE(read(*log, options).rows.empty());
  EXPECT_EQ(last.done, last.blocks);
  EXPECT_EQ(last.read, 0u);
}

TEST(StreamProgress, Stops) {
  const TempFile file(test::random_log(42, false, 30, 4000).bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  options.min_rows = UINT32_MAX;
  options.progress = [](const BatchProgress& now) { return now.done < 5; };
  ArrowArrayStream stream;
  ASSERT_TRUE(log->stream(options, &stream).ok());
  ArrowArray array;
  EXPECT_EQ(stream.get_next(&stream, &array), ECANCELED);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_STREQ(stream.get_last_error(&stream), "stopped by its reader");
  stream.release(&stream);
  int batches = 0;
  EXPECT_TRUE(log->for_each_batch(options, [&](const Batch&) { ++batches; }).ok());
  EXPECT_LT(batches, 5);
}

}  // namespace
}  // namespace steno
