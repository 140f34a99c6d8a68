// Tests the output of --help: it fits a terminal, and its examples work as they are printed.
#include <gtest/gtest.h>

#include <sstream>

#include "../reader/file_builder.h"
#include "../sanitizers.h"
#include "../shared_memory.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

const std::vector<std::string> kCommands = {
    "cat",     "clocks", "sites",      "stat", "agg",  "pair",       "diff", "verify", "tail",   "top", "ps",
    "recover", "scribe", "check-ring", "ctl",  "help", "completion", "cut",  "pack",   "redact", "web", "trace"};
const std::vector<std::string> kTopics = {"where", "fields", "times", "settings"};

std::size_t width_of(const std::string& line) {
  std::size_t width = 0;
  for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return width;
}

TEST(Help, Fits80Columns) {
  std::vector<std::vector<std::string>> all = {{"--help"}};
  for (const std::string& command : kCommands) all.push_back({command, "--help"});
  for (const std::string& topic : kTopics) all.push_back({"help", topic});
  for (const auto& arguments : all) {
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 80u) << arguments[0] << ": " << line;
  }
}

// Every statement that an example names, and of one of them more than a thousand records.
std::string log_of_examples() {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "Hello World # {}", "i")
      .site(17, Level::kInfo, "filled {qty} @ {price} for {client}", "idS");
  b.site(18, Level::kWarn, "took {} ms", "d").site(19, Level::kInfo, "order sent {id}", "m");
  b.site(20, Level::kInfo, "order acked {id}", "m").site(21, Level::kInfo, "often", "");
  std::uint64_t at = FileBuilder::kStart;
  for (int i = 0; i < 900; ++i) {
    b.log(0, 16, at += 1000, Args().i32(i));
    b.log(0, 17, at += 1000, Args().i32(i).f64(99.5 + i).text(i % 3 == 2 ? "ann@example.org" : "acme"));
    b.log(0, 18, at += 1000, Args().f64(i));
    b.log(0, 19, at += 1000, Args().u64(100'000 + static_cast<std::uint64_t>(i)));
    b.log(0, 20, at += 1000, Args().u64(100'000 + static_cast<std::uint64_t>(i)));
    for (int k = 0; k < 2; ++k) b.log(0, 21, at += 1000);
  }
  return b.end().bytes();
}

// Runs a line in a directory with the files that examples name.
Ran run_there(const std::string& line) {
  const TempFile file(log_of_examples());
  return run_shell(
      "export PATH=$(dirname $STENO):$PATH; D=$(mktemp -d); cd $D; "
      "for F in app yesterday today a b; do cp $FILE $F.steno; done; " +
          line + "; E=$?; rm -r $D; exit $E",
      file.path());
}

TEST(Help, ExamplesWorkAsPrinted) {
  test::check_no_leaks_in_children();
  // Some commands look at, or write, the records that all dead programs left in shared memory: there is none of others
  // here.
  const bool alone = test::take_shared_memory();
  std::size_t tried = 0;
  const bool has_jq = run_shell("command -v jq").code == 0;
  const bool has_web = run_shell("test -x $(dirname $STENO)/steno-web").code == 0;
  std::vector<std::vector<std::string>> pages;
  for (const std::string& command : kCommands) pages.push_back({command, "--help"});
  for (const std::string& topic : kTopics) pages.push_back({"help", topic});
  for (const auto& page : pages) {
    std::istringstream lines(run_steno(page).out);
    std::size_t shown = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("  steno ", 0) != 0) continue;
      ++shown;
      for (std::string more; line.back() == '\\' && std::getline(lines, more);) line += "\n" + more;
      if (line.find("4711") != std::string::npos) continue;  // a process that does not run
      if (line.find("> ~") != std::string::npos) continue;   // files of whoever runs this
      if (!alone && line.find("--all") != std::string::npos) continue;
      if (!has_jq && line.find("| jq ") != std::string::npos) continue;
      const bool web = line.find("steno web") != std::string::npos;
      if (web && (!has_web || line.find("--port") != std::string::npos)) continue;  // the port may be in use
      // These commands go on until they are ended.
      const bool endless = line.find("tail -f") != std::string::npos || line.find("steno top") != std::string::npos ||
                           line.find("steno scribe") != std::string::npos || web;
      const Ran ran = run_there((endless ? "timeout 0.5" : "set -o pipefail; ") + line);
      EXPECT_EQ(ran.code, endless ? 124 : 0) << line << "\n" << ran.out;
      ++tried;
    }
    EXPECT_GE(shown, page[0] == "check-ring" ? 1u : 3u) << page[0] << " " << page[1];
  }
  EXPECT_GE(tried, 24u);
}

TEST(Help, OfCommandsAndTopics) {
  EXPECT_EQ(run_steno({"help"}).out, run_steno({"--help"}).out);
  EXPECT_EQ(run_steno({"help", "agg"}).out, run_steno({"agg", "--help"}).out);
  const std::string all = run_steno({"--help"}).out;
  const std::size_t topics = all.rfind("topics");
  ASSERT_NE(topics, std::string::npos) << all;
  for (const std::string& topic : kTopics) EXPECT_NE(all.find(topic, topics), std::string::npos) << topic;
  const Ran unknown = run_steno({"help", "wher"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err, "steno: there is no command or topic 'wher'; did you mean 'where'?\n");
}

TEST(Help, SitesAreSortedByWhatSortReads) {
  const Ran ran = run_there("steno sites app.steno | sort -rn | head -1");
  EXPECT_NE(ran.out.find("often"), std::string::npos) << ran.out;
}

// A value that a table prints for an argument can be written into a condition.
TEST(Help, ValuesOfTablesAreThoseOfConditions) {
  EXPECT_NE(run_there("steno pair app.steno 'order sent {id}' 'order acked {id}' --key id").out.find("\n100000 "),
            std::string::npos);
  EXPECT_NE(run_there("steno agg app.steno 'order sent' --by id --op count").out.find("100000      1\n"),
            std::string::npos);
  EXPECT_NE(run_there("steno agg app.steno 'order sent' --op top:2").out.find("100000      1\n"), std::string::npos);
}

}  // namespace
}  // namespace steno
