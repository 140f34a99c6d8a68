// Values that may be absent (spec/types.md) as Arrow's nulls.
#include <gtest/gtest.h>

#include "pull.h"
#include "reader/file_builder.h"
#include "reader/temp_file.h"

namespace steno::test {
namespace {

TEST(AbsentBatch, AbsentIsNull) {
  auto log = LogReader::open({STENO_SOURCE_DIR "/spec/vectors/absent_values.steno"});
  ASSERT_TRUE(log.ok());
  for (const bool dictionaries : {false, true}) {
    BatchOptions options;
    options.shape = BatchOptions::Shape::kStatement;
    options.statement = "got variant";
    options.dictionary_strings = dictionaries;
    const ArrowTable variants = pull(*log, options);
    ASSERT_EQ(variants.rows.size(), 41u);
    EXPECT_EQ(variants.fields.size(), 7u);  // time, thread, logger, and no flag
    EXPECT_EQ(variants.values("v.int")[4], "4");
    EXPECT_EQ(variants.values("v.int")[5], std::nullopt);
    EXPECT_EQ(variants.values("v.string")[4], std::nullopt);
    EXPECT_EQ(variants.values("v.string")[5], "text");
    EXPECT_EQ(variants.values("v.char")[6], "q");
    EXPECT_EQ(variants.values("v.char")[7], std::nullopt);
    EXPECT_TRUE(variants.fields[variants.column("v.int")].nullable);
    EXPECT_FALSE(variants.fields[variants.column("n")].nullable);

    // Records are in a context and outside of it.
    options.statement = "{qty} of";
    options.columns = {"qty", "took", "price", "side", "list"};
    std::vector<std::size_t> nulls(options.columns.size(), 0);
    std::size_t rows = 0;
    const auto count = [&](const Batch& batch) {
      rows += batch.rows();
      for (std::size_t c = 0; c < nulls.size(); ++c) nulls[c] += batch.columns()[c].nulls;
    };
    ASSERT_TRUE(log->for_each_batch(options, count).ok());
    EXPECT_EQ(rows, 61u);
    EXPECT_EQ(nulls, (std::vector<std::size_t>{30, 15, 12, 10, 9}));
    rows = 0;
    options.where = "side is not null and took is null";
    ASSERT_TRUE(log->for_each_batch(options, count).ok());
    EXPECT_EQ(rows, 10u);
  }
}

// Whatever bytes are where a flag says that there is no value.
TEST(AbsentBatch, AFlagCounts) {
  FileBuilder builder;
  builder.session().thread(0, 1, "main");
  builder.site_with_meanings(17, "{text} {number} {wide}", "Siobbb", {}, {"?0", "?1", "?2"});
  for (const bool there : {false, true}) {
    builder.log(0, 17, 1000,
                Args()
                    .text("text")
                    .i32(7)
                    .add('o', static_cast<unsigned __int128>(9) << 70)
                    .add('b', there)
                    .add('b', there)
                    .add('b', there));
  }
  const TempFile file(builder.flush().bytes());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  std::size_t records = 0;
  log->for_each([&](const Record& record) {
    ASSERT_EQ(record.argument_count(), 3u);
    if (records++ != 0) {
      EXPECT_EQ(record.argument(1).as_int64(), 7);
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(record.argument(i).is_null());
    EXPECT_EQ(record.argument(0).as_string().data(), nullptr);
    EXPECT_EQ(record.argument(1).as_int64(), 0);
    EXPECT_EQ(record.argument(2).as_double(), 0);
    ASSERT_NE(record.argument(2).bytes16(), nullptr);
    EXPECT_EQ(record.message(), "none none none");
  });
  EXPECT_EQ(records, 2u);
  BatchOptions options;
  options.shape = BatchOptions::Shape::kStatement;
  options.statement = "{text}";
  options.columns = {"text", "number", "wide"};
  for (const bool dictionaries : {false, true}) {
    options.dictionary_strings = dictionaries;
    const ArrowTable table = pull(*log, options);
    for (const std::string& column : options.columns) {
      EXPECT_EQ(table.values(column)[0], std::nullopt) << column;
      EXPECT_NE(table.values(column)[1], std::nullopt) << column;
    }
  }
  for (const char* const none : {"text is null", "text is not null", "text == \"text\"", "number == 7", "wide > 0"}) {
    options.where = none;
    EXPECT_EQ(pull(*log, options).rows.size(), 1u) << none;
  }
  options.where.clear();
  options.columns = {"?0"};
  ArrowArrayStream stream;
  EXPECT_EQ(log->stream(options, &stream).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace steno::test
