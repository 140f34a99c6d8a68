// Fields of context at the end of lines: where they are shown, and how.
#include <gtest/gtest.h>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

std::string log_in_context() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "got {id}", "i").site(17, Level::kWarn, "work: begin", "", 130);
  b.site_in_context(20, 16, "mS", {"request_id", "tenant"});
  b.site_in_context(21, 17, "mm", {"span", "parent"}).site_in_context(22, 21, "S", {"tenant"});
  auto at = [now = std::uint64_t{FileBuilder::kStart}]() mutable { return now += 1000; };
  b.log(0, 16, at(), Args().i32(1));
  b.log(0, 20, at(), Args().i32(2).u64(7).text("acme"));
  b.log(0, 20, at(), Args().i32(3).u64(8).text("two words"));
  b.log(0, 20, at(), Args().i32(4).u64(9).text("evil\n2027 \x1b[1m]"));
  b.log(0, 21, at(), Args().u64(5).u64(0));
  b.log(0, 22, at(), Args().u64(6).u64(5).text("bolt"));
  return b.end().bytes();
}

const std::string kLines =
    "got 1\ngot 2 [request_id=7 tenant=acme]\ngot 3 [request_id=8 tenant=\"two words\"]\n"
    "got 4 [request_id=9 tenant=\"evil\\n2027 \\u001b[1m]\"]\nwork: begin\nwork: begin [tenant=bolt]\n";
const std::string kMessages = "got 1\ngot 2\ngot 3\ngot 4\nwork: begin\nwork: begin\n";

// Returns the lines from the message on.
std::string ends_of_lines(const std::string& text) {
  std::string ends;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    ends += line.substr(std::min(line.find("got "), line.find("work: "))) + "\n";
    at = end + 1;
  }
  return ends;
}

// A field of context is of no statement in particular.
TEST(ContextInConditions, MistakesNameNoPlace) {
  const TempFile file(log_in_context());
  EXPECT_EQ(
      run_steno({"cat", file.path(), "--where", "request_id == 'x'"}).err,
      "steno: --where: 'request_id' is a number (a field of context), it cannot be compared with the text \"x\"\n");
  EXPECT_EQ(run_steno({"cat", file.path(), "--where", "id == 'x'"}).err,
            "steno: --where: 'id' is a number (src/server.cc:16), it cannot be compared with the text \"x\"\n");
}

TEST(ContextOnLines, IsAtTheEndOfLinesWhereItIsAskedFor) {
  const TempFile file(log_in_context());
  for (const std::string command : {"cat", "tail"}) {
    EXPECT_EQ(ends_of_lines(run_steno({command, file.path(), "--show-context", "always"}).out), kLines);
    EXPECT_EQ(ends_of_lines(run_steno({command, file.path(), "--show-context", "never"}).out), kMessages);
    EXPECT_EQ(ends_of_lines(run_steno({command, file.path()}).out), kMessages) << "no terminal";
  }
  EXPECT_EQ(run_steno({"cat", file.path(), "--show-context", "some"}).code, 2);
  EXPECT_EQ(run_steno({"cat", file.path(), "--show-context", "always", "--pattern", "{message}"}).code, 2);
}

TEST(ContextOnLines, IsShownOnATerminal) {
  if (run_shell("command -v script").code != 0) GTEST_SKIP() << "there is no script(1)";
  const TempFile file(log_in_context());
  const auto on_terminal = [&](const std::string& options) {
    std::string text =
        run_shell("export TERM=dumb; script -qec \"$STENO cat $FILE " + options + "\" /dev/null < /dev/null",
                  file.path())
            .out;
    std::erase(text, '\r');
    return ends_of_lines(text);
  };
  EXPECT_EQ(on_terminal(""), kLines);
  EXPECT_EQ(on_terminal("--show-context never"), kMessages);
}

TEST(ContextOnLines, TheEnvironmentHasTheUsualLayout) {
  const TempFile file(log_in_context());
  const auto with = [&](const std::string& format, const std::string& options) {
    return run_shell("STENO_FORMAT='" + format + "' $STENO cat --head 2 " + options + " $FILE", file.path());
  };
  EXPECT_EQ(with("{level} {tenant}", "").out, "INFO \nINFO acme\n");
  EXPECT_EQ(with("{level} {nobody}", "").out, "INFO \nINFO \n") << "a name that this log does not have";
  EXPECT_EQ(with("{level}", "--pattern '{message}'").out, "got 1\ngot 2\n");
  EXPECT_EQ(with("{level}", "--columns message").out, "got 1\ngot 2\n");
  EXPECT_EQ(ends_of_lines(with("{level}", "--show-context always").out), kLines.substr(0, kLines.find("got 3")));
  EXPECT_EQ(with("", "").out, run_steno({"cat", "--head", "2", file.path()}).out);
  const Ran wrong = with("{level", "");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.out.find("steno: STENO_FORMAT: "), 0u) << wrong.out;
}

}  // namespace
}  // namespace steno
