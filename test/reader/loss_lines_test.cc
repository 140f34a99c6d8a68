// Tests which times a line of a loss names: a question about other times must lack nothing.
#include "reader/loss_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "file_builder.h"
#include "indexed_log.h"
#include "memory_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;

constexpr std::uint64_t kHour = 3'600'000'000'000;
constexpr std::uint64_t kFirst = static_cast<std::uint64_t>(FileBuilder::kStart);

// Records of an hour each. The logger of the last two is declared in a block between two of data.
struct LogWithADeclaration {
  explicit LogWithADeclaration(bool share) : builder(false, share) {
    builder.session().site(16, Level::kInfo, "line {}", "i").thread(0, 1, "main");
    for (std::uint64_t i = 0; i < 5; ++i) builder.log(0, 16, kFirst + i, Args().i32(static_cast<int>(i))).flush();
    before = builder.size();
    builder.log(0, 16, kFirst + kHour, Args().i32(1)).flush();
    declaration = builder.size();
    builder.logger(2, "late").flush();
    after = builder.size();
    for (std::uint64_t i = 2; i < 9; ++i) builder.log(0, 16, kFirst + i * kHour, Args().i32(2), 2).flush();
    builder.end();
  }

  FileBuilder builder;
  std::size_t before = 0;
  std::size_t declaration = 0;
  std::size_t after = 0;
};

// Returns whether a line is for those who ask about this time.
bool is_told_at(const std::string& bytes, std::uint64_t time) {
  const test::MemoryFile file(bytes);
  Ordinals ordinals;
  const auto log = LogFile::open(file.path(), &ordinals, {}, kCheckAll);
  EXPECT_TRUE(log.ok()) << log.status().message();
  if (!log.ok()) return false;
  const std::vector<LossLine> lines = loss_lines(**log);
  return std::any_of(lines.begin(), lines.end(), [&](const LossLine& line) {
    return line.earliest <= static_cast<std::int64_t>(time) && static_cast<std::int64_t>(time) <= line.latest;
  });
}

// Bytes of a record's block and of the declaration after it are changed, headers included.
TEST(LossLines, ALostDeclarationIsOfAllLaterTimes) {
  for (const bool share : {false, true}) {
    const LogWithADeclaration log(share);
    const std::string sound = log.builder.bytes();
    ASSERT_FALSE(is_told_at(sound, kFirst));
    // With an index after all of it the bytes before stay where they are.
    for (const std::string& bytes : {sound, test::with_indexes(sound, 1000)}) {
      for (std::size_t a = log.before; a < log.declaration; ++a) {
        for (std::size_t b = log.declaration; b < log.after; ++b) {
          std::string damaged = bytes;
          damaged[a] ^= 1;
          damaged[b] ^= 1;
          ASSERT_TRUE(is_told_at(damaged, kFirst + 8 * kHour))
              << share << ' ' << a - log.before << ' ' << b - log.declaration;
        }
      }
    }
  }
}

// By the index, it was a block of records and nothing else.
TEST(LossLines, AnIndexSaysThatNothingElseIsLost) {
  const LogWithADeclaration log(false);
  std::string damaged = test::with_indexes(log.builder.bytes(), 1000);
  damaged[log.before] ^= 1;
  EXPECT_TRUE(is_told_at(damaged, kFirst + kHour));
  EXPECT_FALSE(is_told_at(damaged, kFirst + 8 * kHour));
}

// A clock gives all records their times.
TEST(LossLines, ALostClockIsOfAllTimes) {
  FileBuilder builder;
  builder.session(FileBuilder::kId, 1).site(16, Level::kInfo, "line {}", "i").thread(0, 1, "main");
  builder.clock({{.wall_ns = FileBuilder::kStart}});
  for (std::uint64_t i = 0; i < 5; ++i) builder.log(0, 16, i, Args().i32(1)).flush();
  const std::size_t begin = builder.size();
  builder.log(0, 16, 50, Args().i32(1)).flush();
  const std::size_t clock = builder.size();
  builder.clock({{.ticks = 60, .wall_ns = FileBuilder::kStart + 60}});
  const std::size_t end = builder.size();
  for (std::uint64_t i = 100; i < 105; ++i) builder.log(0, 16, i, Args().i32(1)).flush();
  const std::string sound = builder.end().bytes();
  ASSERT_FALSE(is_told_at(sound, kFirst));
  for (const std::string& bytes : {sound, test::with_indexes(sound, 1000)}) {
    for (std::size_t b = clock; b < end; ++b) {
      std::string damaged = bytes;
      damaged[begin + format::kBlockHeaderSize] ^= 1;
      damaged[b] ^= 1;
      ASSERT_TRUE(is_told_at(damaged, kFirst)) << b - clock;
    }
  }
  // Headers that lead from the beginning of the damage to its end, but not to the clock.
  const std::string indexed = test::with_indexes(sound, 1000);
  std::string typed = indexed;
  typed[begin + format::kBlockHeaderSize] ^= 1;
  typed[clock + format::kFlagsAt - 1] = static_cast<char>(format::BlockType::kRows);
  typed[clock + format::kBlockHeaderSize] ^= 1;
  EXPECT_TRUE(is_told_at(typed, kFirst));
  std::string covered = indexed;
  const auto length = static_cast<std::uint32_t>(end - begin - format::kBlockHeaderSize);
  std::memcpy(covered.data() + begin + 8, &length, sizeof length);
  covered[clock + format::kBlockHeaderSize] ^= 1;
  EXPECT_TRUE(is_told_at(covered, kFirst));
}

}  // namespace
}  // namespace steno::reader
