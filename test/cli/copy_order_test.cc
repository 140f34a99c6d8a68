// Logs that cut and pack write: records of one time stay in the order, and have the times, that readers of the old
// files give them, in whatever order those are named.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_steno;
using test::TempFile;

using Files = std::vector<std::unique_ptr<TempFile>>;

// A session of three files, each with some of its clock points only, and then one that began before the last of its
// records: as a program leaves them that rotates its log, and starts anew within a tick of a coarse clock.
Files rotated_files(std::mt19937_64& random) {
  Files files;
  format::SessionBlock block;
  block.session_id = 900;
  block.start_wall = FileBuilder::kStart;
  block.clock_kind = 1;
  format::ClockPoint point{1'000, FileBuilder::kStart, 1.0, 50, 0};
  std::uint64_t ticks = 1'000;
  std::uint64_t number = 0;
  for (int f = 0; f < 4; ++f) {
    if (f == 3) {
      block = {};
      block.session_id = 7;
      block.start_wall = FileBuilder::kStart + 1;
      block.clock_kind = 1;
    } else if (f > 0) {
      block.elsewhere = {{0, number}};
    }
    FileBuilder builder;
    builder.session(block).site(16, Level::kInfo, "n {}", "m").thread(0, 1, "t").clock({point});
    if (f < 3) builder.skip(0, number);
    for (int i = 0; i < 40; ++i) {
      ticks += random() % 3 == 0 ? random() % 20 : 0;
      builder.log(0, 16, ticks, Args().u64(number++));
      if (i != 20 || ticks == point.ticks) continue;
      point.wall_ns += static_cast<std::int64_t>(ticks - point.ticks) - 3;
      point.ticks = ticks;
      point.ns_per_tick = 0.9 + static_cast<double>(random() % 20) / 100;
      builder.clock({point});
    }
    f >= 2 ? builder.end() : builder.flush();
    files.push_back(std::make_unique<TempFile>(builder.bytes()));
  }
  return files;
}

class CopyOrder : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, CopyOrder, ::testing::Values("cut", "pack", "redact"));

TEST_P(CopyOrder, IsThatOfTheFiles) {
  std::mt19937_64 random(37);
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    Files files = rotated_files(random);
    const TempFile folder;
    const std::string copy = folder.path() + ".copy.steno";
    const std::vector<std::string> shown = {"cat", "--columns", "time,message", "--time-format", "ns"};
    std::vector<std::string> old = shown;
    for (const auto& file : files) old.push_back(file->path());
    const Ran wanted = run_steno(old);
    ASSERT_EQ(wanted.code, 0) << wanted.err;
    std::shuffle(files.begin(), files.end(), random);
    std::vector<std::string> arguments = {GetParam()};
    for (const auto& file : files) arguments.push_back(file->path());
    arguments.insert(arguments.end(), {"-o", copy});
    const bool redacts = arguments[0] == "redact";
    if (redacts) arguments.insert(arguments.end(), {"--match", "absent"});
    const Ran copied = run_steno(arguments);
    ASSERT_EQ(copied.code, redacts ? 1 : 0) << copied.err;  // a match of nothing may be a mistake
    std::vector<std::string> now = shown;
    now.push_back(copy);
    const Ran found = run_steno(now);
    ::unlink(copy.c_str());
    EXPECT_EQ(found.out, wanted.out);
  }
}

}  // namespace
}  // namespace steno
