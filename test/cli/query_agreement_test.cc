// agg, pair, stat and diff, run as commands: their numbers against those that a script computes from `cat --format
// json`, and what cat counts against what it prints.
#include <gtest/gtest.h>

#include <algorithm>

#include "../query/random_log.h"
#include "../sanitizers.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

const std::string kScript = STENO_SOURCE_DIR "/test/cli/check_queries.py";

void expect_agrees(const std::string& command, std::uint32_t seed, const std::string& files) {
  const Ran ran = run_shell("python3 " + kScript + " $STENO " + command + " " + std::to_string(seed) + " " + files);
  EXPECT_EQ(ran.code, 0) << command << " seed " << seed << "\n" << ran.out;
  ASSERT_EQ(ran.out.substr(0, 3), "ok ") << ran.out;
  EXPECT_GT(std::stoi(ran.out.substr(3)), 10);
}

// A file with a byte in the middle of a block changed.
std::string damaged(std::string bytes) {
  bytes[bytes.size() * 5 / 8] = static_cast<char>(bytes[bytes.size() * 5 / 8] ^ 0x40);
  return bytes;
}

TEST(Agg, AgreesWithPython) {
  constexpr std::uint32_t kSeeds = test::sampled(3);
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const TempFile file(test::random_log(seed, false, 14, 2000).bytes);
    expect_agrees("agg", seed, file.path());
  }
}

TEST(Agg, AgreesWithPythonOnRows) {
  const TempFile file(test::random_log(4, true, 10, 300).bytes);
  expect_agrees("agg", 4, file.path());
}

TEST(Agg, AgreesWithPythonOnDamage) {
  const TempFile file(damaged(test::random_log(5, false, 14, 2000).bytes));
  ASSERT_EQ(run_steno({"verify", file.path()}).code, 1);
  expect_agrees("agg", 5, file.path());
  EXPECT_EQ(run_steno({"agg", file.path()}).code, 1);
}

TEST(Pair, AgreesWithPython) {
  const TempFile file(test::random_log(6, false, 14, 2000).bytes);
  expect_agrees("pair", 6, file.path());
  const TempFile worse(damaged(test::random_log(7, false, 14, 2000).bytes));
  expect_agrees("pair", 7, worse.path());
}

TEST(Stat, AgreesWithPython) {
  const TempFile file(test::random_log(8, false, 14, 2000).bytes);
  expect_agrees("stat", 8, file.path());
  const TempFile rows(test::random_log(9, true, 14, 200).bytes);
  expect_agrees("stat", 9, rows.path());
}

TEST(Diff, AgreesWithPython) {
  const TempFile before(test::random_log(10, false, 3, 300).bytes);
  const TempFile after(test::random_log(11, false, 14, 1000).bytes);
  expect_agrees("diff", 10, before.path() + " " + after.path());
  expect_agrees("diff", 11, after.path() + " " + before.path());
}

TEST(Diff, OfALogWithItself) {
  const TempFile file(test::random_log(12, false, 14, 1000).bytes);
  const Ran ran = run_steno({"diff", file.path(), file.path()});
  EXPECT_NE(ran.out.find("\n\nno difference in 4 statements\n"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.code, 0);
}

// However records are chosen, and whatever is damaged or there twice.
TEST(Cat, CountIsTheNumberOfLines) {
  const std::string whole = test::random_log(13, false, 14, 1000).bytes;
  const std::size_t block = whole.rfind("STN1", whole.size() - 1000);
  const TempFile files[] = {TempFile(whole), TempFile(damaged(whole)), TempFile(whole + whole.substr(block)),
                            TempFile(test::random_log(14, true, 10, 300).bytes)};
  const std::vector<std::vector<std::string>> filters = {
      {}, {"--level", "WARN"}, {"--since", "first 1ms"}, {"--grep", "took 1"}, {"--where", "qty > 100"}};
  for (const TempFile& file : files) {
    for (std::vector<std::string> arguments : filters) {
      arguments.insert(arguments.begin(), {"cat", file.path(), "--format", "json"});
      const Ran lines = run_steno(arguments);
      arguments.insert(arguments.begin() + 1, "--count");
      const Ran count = run_steno(arguments);
      EXPECT_EQ(count.out, std::to_string(std::count(lines.out.begin(), lines.out.end(), '\n')) + "\n");
      EXPECT_EQ(count.code, lines.code);
      EXPECT_EQ(count.err, lines.err);
    }
  }
}

}  // namespace
}  // namespace steno
