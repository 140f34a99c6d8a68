#include "reader/statistics.h"

#include <gtest/gtest.h>

#include "file_builder.h"
#include "reader/log_set.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;

// A statement that is reached through two loggers has two groups in a block, which is one block still.
TEST(Statistics, CodecsAreCountedByBlock) {
  FileBuilder b;
  b.session().thread(0, 1, "main").logger(1, "net").site(16, Level::kInfo, "n {n}", "m");
  for (std::uint64_t block = 0; block < 3; ++block) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      b.log(0, 16, FileBuilder::kStart + 100 * block + i, Args().u64(i), static_cast<std::uint16_t>(i % 2));
    }
    b.flush();
  }
  const test::TempFile file(b.end().bytes());
  LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  const Statistics statistics = collect_statistics(*logs.files()[0]);
  ASSERT_EQ(statistics.sites.size(), 1u);
  EXPECT_EQ(statistics.sites[0].records, 300u);
  ASSERT_EQ(statistics.sites[0].columns.size(), 1u);
  std::uint64_t blocks = 0;
  for (const auto& [codec, count] : statistics.sites[0].columns[0].codecs) blocks += count;
  EXPECT_EQ(blocks, 3u);
}

}  // namespace
}  // namespace steno::reader
