// cat --lines-of: the lines of whole requests. That it finds all of them is asked of a night of two hosts as well
// (incident/questions.py).
#include <gtest/gtest.h>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_steno;
using test::TempFile;

// Requests 1, 2, 3, … whose second lines come in the other order, and lines of none.
std::string log_of_requests() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "begin {request}", "i").site(17, Level::kWarn, "end {request} after {us}", "ii");
  b.site(18, Level::kWarn, "alone {us}", "i").site(19, Level::kInfo, "query {id} by {name}", "lS");
  b.site(20, Level::kError, "odd {order}", "S").site(21, Level::kInfo, "copy {of} to {id}", "jl");
  std::uint64_t at = FileBuilder::kStart;
  for (int i = 1; i <= 4; ++i) b.log(0, 16, ++at, Args().i32(i));
  for (int i = 4; i >= 1; --i) b.log(0, 17, ++at, Args().i32(i).i32(i % 2 == 0 ? 100 + i : i));
  b.log(0, 18, ++at, Args().i32(103));
  b.log(0, 19, ++at, Args().add<std::int64_t>('l', 2).text("1"));
  b.log(0, 20, ++at, Args().text("3"));
  b.log(0, 21, ++at, Args().add<std::uint32_t>('j', 4).add<std::int64_t>('l', 3));
  return b.end().bytes();
}

class LinesOf : public ::testing::Test {
 protected:
  Ran cat(std::vector<std::string> words) const {
    words.insert(words.begin(), {"cat", file_.path(), "--pattern", "{message}"});
    return run_steno(words);
  }
  const TempFile file_{log_of_requests()};
};

TEST_F(LinesOf, TheGreatestComeInTheirOrder) {
  const Ran ran = cat({"--top", "2", "--arg", "us", "--lines-of", "request", "--site", "server.cc:17"});
  EXPECT_EQ(ran.out, "begin 4\nend 4 after 104\n--\nbegin 2\nend 2 after 102\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(LinesOf, TheFirstAndTheLastInTheOrderOfTime) {
  EXPECT_EQ(cat({"--head", "2", "--level", "WARN", "--lines-of", "request"}).out,
            "begin 4\nend 4 after 104\n--\nbegin 3\nend 3 after 3\n");
  EXPECT_EQ(cat({"-n", "2", "--site", "server.cc:17", "--lines-of", "request"}).out,
            "begin 2\nend 2 after 102\n--\nbegin 1\nend 1 after 1\n");
  EXPECT_EQ(cat({"-n", "0", "--lines-of", "request"}).out, "");
}

// Integers of all types, and texts, are one key if they read alike.
TEST_F(LinesOf, NamesOfOneThing) {
  EXPECT_EQ(cat({"--where", "request == 2", "--lines-of", "request=id"}).out,
            "begin 2\nend 2 after 102\nquery 2 by 1\n");
  EXPECT_EQ(cat({"--level", "ERROR", "--lines-of", "order=request"}).out, "begin 3\nend 3 after 3\nodd 3\n");
  // The last line has two keys, and is there once, with the first.
  EXPECT_EQ(cat({"--where", "request == 3 or request == 4", "--lines-of", "request=of=id"}).out,
            "begin 3\nend 3 after 3\ncopy 4 to 3\n--\nbegin 4\nend 4 after 104\n");
  // It joins both as a selected record.
  EXPECT_EQ(cat({"--grep", "^copy", "--lines-of", "id=of=request"}).out,
            "begin 3\nbegin 4\nend 4 after 104\nend 3 after 3\ncopy 4 to 3\n");
}

TEST_F(LinesOf, SaysThatRecordsHaveNoKey) {
  const Ran none = cat({"--level", "ERROR", "--lines-of", "request"});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "steno: the selected record has no 'request'\n");
  EXPECT_EQ(cat({"--where", "line >= 19", "--lines-of", "request=us"}).err,
            "steno: none of the 3 selected records has 'request' or 'us'\n");
  EXPECT_EQ(cat({"--level", "ERROR", "--lines-of", "request", "--fail-if-empty"}).code, 1);
  const Ran some = cat({"--top", "3", "--arg", "us", "--lines-of", "request"});
  EXPECT_EQ(some.out, "begin 4\nend 4 after 104\n--\nbegin 2\nend 2 after 102\n");
  EXPECT_EQ(some.err, "steno: 1 of the 3 selected records has no 'request'\n");
  EXPECT_EQ(cat({"-n", "3", "--lines-of", "request"}).err, "steno: none of the 3 selected records has 'request'\n");
  EXPECT_EQ(cat({"--where", "us == 7", "--lines-of", "request"}).err, "");
}

TEST_F(LinesOf, NamesThatMakeNoSense) {
  for (const char* names : {"request=", "=request", "request==id"}) {
    const Ran ran = cat({"--lines-of", names});
    EXPECT_EQ(ran.code, 2) << names;
    EXPECT_EQ(ran.err.find("steno: --lines-of: '" + std::string(names) + "' lacks a name"), 0U) << ran.err;
  }
  const Ran ran = cat({"--lines-of", "request=ids"});
  EXPECT_EQ(ran.err.find("steno: --lines-of: the statements of these files have no argument 'ids'; did you mean 'id'?"),
            0U)
      << ran.err;
}

}  // namespace
}  // namespace steno
