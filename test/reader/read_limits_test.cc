// Tests limits of programs that read logs: a log that needs more is read as far as allowed, and the limit is named.
#include "steno/read_limits.h"

#include <gtest/gtest.h>

#include "file_builder.h"
#include "steno/reader.h"
#include "temp_file.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

struct ReadAll {
  std::uint64_t records = 0;
  std::uint64_t without_text = 0;
  std::string losses;
};

ReadAll read_all(const std::string& bytes, const ReadLimits& limits) {
  const TempFile file(bytes);
  ReadOptions options;
  options.limits = limits;
  auto log = LogReader::open({file.path()}, options);
  ReadAll all;
  EXPECT_TRUE(log.ok()) << log.status().message();
  if (!log.ok()) return all;
  log->for_each([&all](const Record& record) {
    ++all.records;
    all.without_text += record.message().substr(0, 2) == "{!" ? 1 : 0;
  });
  for (const LossFacts& loss : log->losses()) all.losses += loss.text + "\n";
  return all;
}

std::string log_of_statements(std::uint32_t statements) {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  for (std::uint32_t i = 0; i < statements; ++i) b.site(16 + i, Level::kInfo, "statement {n}", "i", i);
  for (std::uint32_t i = 0; i < statements; ++i) b.log(0, 16 + i, FileBuilder::kStart + i, Args().i32(1));
  return b.end().bytes();
}

TEST(ReadLimits, OfStatements) {
  ReadLimits limits;
  limits.statements = 10;
  EXPECT_EQ(read_all(log_of_statements(10), limits).losses, "");
  const ReadAll all = read_all(log_of_statements(15), limits);
  EXPECT_EQ(all.records, 15u);
  EXPECT_EQ(all.without_text, 5u);
  EXPECT_NE(all.losses.find("it wants more than ReadLimits::statements allows"), std::string::npos) << all.losses;
  EXPECT_EQ(read_all(log_of_statements(15), {}).losses, "");
}

TEST(ReadLimits, OfFields) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "{} {}", "ii").site(17, Level::kInfo, "{} {} {}", "iii");
  b.log(0, 16, FileBuilder::kStart, Args().i32(1).i32(2));
  b.log(0, 17, FileBuilder::kStart + 1, Args().i32(1).i32(2).i32(3));
  const std::string bytes = b.end().bytes();
  ReadLimits limits;
  limits.fields = 2;
  const ReadAll all = read_all(bytes, limits);
  EXPECT_EQ(all.records, 2u);
  EXPECT_EQ(all.without_text, 1u);
  EXPECT_EQ(read_all(bytes, {}).without_text, 0u);
}

TEST(ReadLimits, OfABlock) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "{}", "i");
  for (int i = 0; i < 1000; ++i) b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(i), Args().i32(i * i));
  const std::string bytes = b.end().bytes();
  ReadLimits limits;
  limits.decoded_bytes = 8000;
  EXPECT_EQ(read_all(bytes, limits).records, 1000u);
  limits.decoded_bytes = 7999;
  const ReadAll all = read_all(bytes, limits);
  EXPECT_EQ(all.records, 0u);
  EXPECT_NE(all.losses.find("it wants more than ReadLimits::decoded_bytes allows (1000 records)"), std::string::npos)
      << all.losses;
}

// Blocks of one moment are held together.
TEST(ReadLimits, OfAllBlocksTogether) {
  constexpr std::uint32_t kRings = 50;
  constexpr int kEach = 20'000;
  FileBuilder b;
  b.session().site(16, Level::kInfo, "the same", "");
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    b.thread(ring, ring + 1, "t");
    for (int i = 0; i < kEach; ++i) b.log(ring, 16, FileBuilder::kStart);
    b.flush();
  }
  const std::string bytes = b.end().bytes();
  EXPECT_EQ(read_all(bytes, {}).records, std::uint64_t{kRings} * kEach);
  ReadLimits limits;
  limits.memory = 10 * kEach * 20;  // of ten: order, clocks, walls
  const ReadAll all = read_all(bytes, limits);
  EXPECT_GE(all.records, std::uint64_t{4} * kEach);
  EXPECT_LE(all.records, std::uint64_t{12} * kEach);
  EXPECT_NE(all.losses.find("it wants more than ReadLimits::memory allows (20000 records)"), std::string::npos)
      << all.losses;
  limits.memory = 100 * kEach * 20;
  EXPECT_EQ(read_all(bytes, limits).losses, "");
}

}  // namespace
}  // namespace steno
