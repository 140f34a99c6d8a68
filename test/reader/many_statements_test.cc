// A program with very many statements, each logged now and then: what a record costs follows the records of a block,
// not the statements.
#include <gtest/gtest.h>

#include "file_builder.h"
#include "reader/log_set.h"
#include "reader/statistics.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;

constexpr std::uint32_t kStatements = 10'000;

// Blocks of as many records as a scribe finds in the rings of a program that logs much; bytes of data blocks a record.
double bytes_a_record(std::uint32_t statements) {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  for (std::uint32_t i = 0; i < statements; ++i) b.site(100 + i, Level::kInfo, "statement " + std::to_string(i), "i");
  constexpr std::uint64_t kRecords = 4 * kStatements;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    b.log(0, 100 + static_cast<std::uint32_t>(i % statements), FileBuilder::kStart + 100 * i,
          Args().i32(static_cast<std::int32_t>(i)));
    if (i % (2 * kStatements) == 2 * kStatements - 1) b.flush();
  }
  const test::TempFile file(b.end().bytes());
  LogSet logs;
  EXPECT_TRUE(logs.add(file.path()).ok());
  const Statistics statistics = collect_statistics(*logs.files()[0]);
  EXPECT_EQ(statistics.records, kRecords);
  EXPECT_EQ(statistics.sites.size(), statements);
  std::uint64_t bytes = 0;
  for (const auto& entry : logs.files()[0]->blocks()) bytes += entry.total_size();
  return static_cast<double>(bytes) / kRecords;
}

TEST(ManyStatements, UsedInTurnCostLittleMoreThanOne) {
  EXPECT_LT(bytes_a_record(kStatements), 4.0);
  EXPECT_LT(bytes_a_record(1), 0.2);
}

}  // namespace
}  // namespace steno::reader
