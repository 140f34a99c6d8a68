// Values that may be absent (spec/types.md) as Arrow's nulls.
#include <gtest/gtest.h>

#include "pull.h"

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

    // In a context and outside of it.
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
    options.where = "qty != 3 and took is null";
    ASSERT_TRUE(log->for_each_batch(options, count).ok());
    EXPECT_EQ(rows, 61u);
  }
}

}  // namespace
}  // namespace steno::test
