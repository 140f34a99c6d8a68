// Tests which process a trace shows records under.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::FileBuilder;
using test::Ran;
using test::run_steno;
using test::TempFile;

// Sessions of one number of a process, by when they begin and end, in seconds.
std::set<std::string> processes_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sessions) {
  FileBuilder builder;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    builder.session(100 + i, 3, 1).thread(0, 1, "main").site(16, Level::kInfo, "up", "");
    builder.log(0, 16, FileBuilder::kStart + sessions[i].first * 1'000'000'000);
    builder.log(0, 16, FileBuilder::kStart + sessions[i].second * 1'000'000'000).end();
  }
  const TempFile file(builder.bytes());
  const Ran ran = run_steno({"trace", file.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::set<std::string> numbers;
  const std::string mark = "\"ph\":\"i\"";
  for (std::size_t at = ran.out.find(mark); at != std::string::npos; at = ran.out.find(mark, at + 1)) {
    const std::size_t number = ran.out.find("\"pid\":", at) + 6;
    numbers.insert(ran.out.substr(number, ran.out.find(',', number) - number));
  }
  return numbers;
}

TEST(Trace, RunsOfOneNumberAreProcessesOfTheirOwn) {
  EXPECT_EQ(processes_of({{0, 10}}).size(), 1u);
  EXPECT_EQ(processes_of({{0, 10}, {20, 30}}).size(), 2u);
  EXPECT_EQ(processes_of({{20, 30}, {0, 10}, {40, 50}}).size(), 3u);
  // At the same time a number is that of one process only.
  EXPECT_EQ(processes_of({{0, 10}, {5, 15}, {12, 20}}).size(), 1u);
}

}  // namespace
}  // namespace steno
