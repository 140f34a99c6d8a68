// Tests the words that the shell offers for the last word of a line.
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

std::string log_to_complete() {
  FileBuilder b;
  b.session().thread(0, 1, "main").thread(1, 2, "worker-1").logger(1, "net.http");
  b.site(16, Level::kInfo, "order sent {id} to {venue}", "mS", 120);
  b.site(17, Level::kWarn, "order lost", "", 121);
  b.site_with_meanings(18, "side {side}", "i", {{0, "=0 kBuy,1 kSell"}});
  b.log(0, 18, FileBuilder::kStart, Args().i32(1));
  b.log(0, 16, FileBuilder::kStart, Args().u64(1).text("XETRA"), 1).log(1, 17, FileBuilder::kStart + 1);
  return b.end().bytes();
}

TEST(Completion, OfferedWords) {
  const TempFile file(log_to_complete());
  const auto offered = [&](std::vector<std::string> words) {
    for (std::string& word : words) {
      if (word == "FILE") word = file.path();
    }
    words.insert(words.begin(), "complete");
    const Ran ran = run_steno(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  };
  EXPECT_EQ(offered({"ca"}), "cat\n");
  EXPECT_EQ(offered({"help", "wh"}), "where\n");
  EXPECT_EQ(offered({"cat", "FILE", "--grep-"}), "--grep-not\n");
  EXPECT_EQ(offered({"cat", "FILE", "--thread", ""}), "main\nworker-1\n");
  EXPECT_EQ(offered({"tail", "FILE", "--logger", "n"}), "net.http\n");
  EXPECT_EQ(offered({"agg", "FILE", "--site", "server.cc:12"}), "server.cc:120\nserver.cc:121\n");
  EXPECT_EQ(offered({"agg", "FILE", "--arg", ""}), "id\nside\nvenue\n");
  EXPECT_EQ(offered({"agg", "FILE", "--by", "h"}), "host\n");
  EXPECT_EQ(offered({"cat", "FILE", "--columns", "time,ve"}), "time,venue\n");
  EXPECT_EQ(offered({"cat", "FILE", "--where", "id > 5 and (ven"}), "id > 5 and (venue\n");
  EXPECT_EQ(offered({"cat", "FILE", "--where", "id > 5 and (side == "}),
            "id > 5 and (side == \"kBuy\"\nid > 5 and (side == \"kSell\"\n");
  EXPECT_EQ(offered({"cat", "FILE", "--where", "side != \"kS"}), "side != \"kSell\"\n");
  EXPECT_EQ(offered({"cat", "FILE", "--where", "side in ("}), "side in (\"kBuy\"\nside in (\"kSell\"\n");
  EXPECT_EQ(offered({"cat", "FILE", "--where", "id == si"}), "id == side\nid == site\n");
  EXPECT_EQ(offered({"ctl", "FILE", "l"}), "level\nlist\n");
  EXPECT_EQ(offered({"agg", "FILE", "order s"}), "order sent {id} to {venue}\n");
  EXPECT_EQ(offered({"cat", "FILE", "--level", "W"}), "WARN\n");
  EXPECT_EQ(offered({"cat", "FILE", "--shift", ""}), "auto\ntesthost=\n");
  EXPECT_EQ(offered({"tail", "FILE", "--time-format", "r"}), "relative\n");
  EXPECT_EQ(offered({"pair", "FILE", "--same", "p"}), "pid\nprogram\n");
  EXPECT_EQ(offered({"clocks", "FILE", "order l"}), "order lost\n");
  EXPECT_EQ(offered({"cat", "FI"}), "");  // files are the shell's
  EXPECT_EQ(offered({"nonsense", "--x", ""}), "");
}

TEST(Completion, InBash) {
  const TempFile file(log_to_complete());
  const std::string bash =
      "PATH=$(dirname $STENO):$PATH; source <(steno completion bash); COMP_LINE=\"steno agg $FILE 'order s\"; "
      "COMP_POINT=${#COMP_LINE}; COMP_WORDS=(steno agg $FILE \"'order s\"); COMP_CWORD=3; "
      "_steno; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Ran ran = run_shell(bash, file.path());
  EXPECT_EQ(ran.out, "order sent {id} to {venue}\n");
  for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_EQ(run_steno({"completion", shell}).code, 0);
}

}  // namespace
}  // namespace steno
