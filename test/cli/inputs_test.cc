// Tests names of input files: patterns, standard input, directories, and unreadable files; the same for all commands.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_steno;

constexpr std::uint64_t kLoggedAt = FileBuilder::kStart;

// One session with three records of two statements; `n` tells files apart.
std::string log_of(int n) {
  FileBuilder b;
  b.session(static_cast<std::uint64_t>(n)).thread(0, 1, "main");
  b.site(16, Level::kInfo, "sent {id}", "i").site(17, Level::kInfo, "acked {id}", "i");
  b.log(0, 16, kLoggedAt + static_cast<std::uint64_t>(n), Args().i32(n));
  b.log(0, 17, kLoggedAt + 100 + static_cast<std::uint64_t>(n), Args().i32(n));
  return b.end().bytes();
}

class Inputs : public ::testing::Test {
 protected:
  Inputs() {
    char directory[] = "/tmp/steno-inputs-XXXXXX";
    directory_ = mkdtemp(directory);
    for (const int n : {2, 1, 3}) write("app." + std::to_string(n) + ".steno", log_of(n));
    write("other.steno", log_of(4));
  }
  ~Inputs() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::string directory_;
};

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Inputs, EveryCommandExpandsPatterns) {
  const std::string pattern = path("app.*.steno");
  EXPECT_EQ(run_steno({"cat", pattern, "--pattern", "{args}", "--no-sort"}).out,
            "{\"id\":1}\n{\"id\":1}\n{\"id\":2}\n{\"id\":2}\n{\"id\":3}\n{\"id\":3}\n");  // in order of name
  EXPECT_EQ(run_steno({"tail", pattern, "-n", "2", "--pattern", "{args}"}).out, "{\"id\":2}\n{\"id\":3}\n");
  EXPECT_EQ(run_steno({"sites", pattern}).code, 0);
  EXPECT_EQ(lines(run_steno({"stat", pattern, "--json"}).out), 3u);
  EXPECT_EQ(run_steno({"verify", pattern, "--per-file"}).out,
            path("app.1.steno") + ": complete: 2 records, 1 thread, 1 session, 0 lost\n" + path("app.2.steno") +
                ": complete: 2 records, 1 thread, 1 session, 0 lost\n" + path("app.3.steno") +
                ": complete: 2 records, 1 thread, 1 session, 0 lost\n");
  EXPECT_EQ(run_steno({"agg", pattern, "--format", "csv"}).out, "count\r\n6\r\n");
  EXPECT_EQ(run_steno({"agg", pattern, "sent", "--op", "sum", "--format", "csv"}).out, "sum\r\n6\r\n");
  EXPECT_EQ(run_steno({"agg", path("other.steno"), pattern, "--format", "csv"}).out, "count\r\n8\r\n");
  EXPECT_EQ(run_steno({"pair", pattern, "sent", "acked", "--key", "id", "--format", "csv"}).out.substr(0, 40),
            run_steno({"pair", path("app.1.steno"), path("app.2.steno"), path("app.3.steno"), "sent", "acked", "--key",
                       "id", "--format", "csv"})
                .out.substr(0, 40));
  const std::string difference = run_steno({"diff", pattern, pattern}).out;
  EXPECT_NE(difference.find("\nno difference in 2 statements\n"), std::string::npos) << difference;
  EXPECT_EQ(run_steno({"recover", pattern}).out, path("app.1.steno") + ": nothing to recover\n" + path("app.2.steno") +
                                                     ": nothing to recover\n" + path("app.3.steno") +
                                                     ": nothing to recover\n");
  EXPECT_EQ(run_steno({"top", pattern, "--once", "--interval", "10ms"}).code, 0);
}

// The first records of a session that has not ended.
std::string part_of_session(int end) {
  FileBuilder b;
  b.session(9).thread(0, 1, "main").thread(1, 2, "worker");
  b.site(16, Level::kInfo, "sent {id}", "i").site(17, Level::kInfo, "acked {id}", "i");
  for (int i = 0; i < end; ++i) {
    b.log(static_cast<std::uint32_t>(i % 2), 16, kLoggedAt + 10 * static_cast<std::uint64_t>(i), Args().i32(i));
  }
  b.flush();
  return b.bytes();
}

TEST_F(Inputs, StatAndVerifySumUpASet) {
  const std::string pattern = path("app.*.steno");
  EXPECT_EQ(run_steno({"verify", pattern}).out, "complete: 3 files, 6 records, 3 threads, 3 sessions, 0 lost\n");
  const std::string all = run_steno({"stat", pattern}).out;
  std::uintmax_t size = 0;
  for (const int n : {1, 2, 3}) size += std::filesystem::file_size(path("app." + std::to_string(n) + ".steno"));
  EXPECT_EQ(all.find("3 files as one log"), 0u) << all;
  for (const char* line : {"  records   6 in 3 blocks, 3 threads\n", "  INFO                 6  100.0 %\n"}) {
    EXPECT_NE(all.find(line), std::string::npos) << line << all;
  }
  std::string grouped = std::to_string(size);
  if (grouped.size() > 3) grouped.insert(grouped.size() - 3, ",");
  EXPECT_NE(all.find("  size      " + grouped + " bytes"), std::string::npos) << all;
  // Each statement once, with the records of all files, and a line a file.
  for (const char* once :
       {"  sent {id}\n", "  acked {id}\n", "  app.1.steno\n", "  app.2.steno\n", "  app.3.steno\n"}) {
    const std::size_t at = all.find(once);
    ASSERT_NE(at, std::string::npos) << once << all;
    EXPECT_EQ(all.find(once, at + 1), std::string::npos) << once << all;
  }
  // Each on its own is what each gives alone.
  std::string alone;
  for (const int n : {1, 2, 3}) {
    alone += (alone.empty() ? "" : "\n") + run_steno({"stat", path("app." + std::to_string(n) + ".steno")}).out;
  }
  EXPECT_EQ(run_steno({"stat", pattern, "--per-file"}).out, alone);
}

TEST_F(Inputs, ASessionInSeveralFilesIsOneSession) {
  write("part.1.steno", part_of_session(10));
  write("part.2.steno", part_of_session(20));  // begins with copies of those
  const Ran verify = run_steno({"verify", path("part.*.steno")});
  EXPECT_NE(verify.out.find("incomplete: 2 files, "), std::string::npos) << verify.out;
  EXPECT_NE(verify.out.find(" 2 threads, 1 session"), std::string::npos) << verify.out;
  EXPECT_EQ(verify.code, 1);
  const std::string all = run_steno({"stat", path("part.*.steno")}).out;
  EXPECT_NE(all.find("  records   20 in 2 blocks, 2 threads; 10 copies not counted\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("\n        2      "), std::string::npos) << all;
}

// One damaged file does not make the others incomplete, but the set.
TEST_F(Inputs, VerifyNamesTheFileOfASetThatIsDamaged) {
  std::string bytes = log_of(5);
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i) bytes[i] = 'x';
  write("app.2.steno", bytes);
  const Ran ran = run_steno({"verify", path("app.*.steno")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out.find(path("app.2.steno") + ": "), 0u) << ran.out;
  EXPECT_NE(ran.out.find(path("app.2.steno") + ": incomplete: "), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find(path("app.1.steno") + ": "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\nincomplete: 3 files, "), std::string::npos) << ran.out;
}

TEST_F(Inputs, AFileThatIsNamedLikeAPatternIsAFile) {
  write("a[1].steno", log_of(7));
  write("a1.steno", log_of(8));
  EXPECT_EQ(run_steno({"cat", path("a[1].steno"), "--pattern", "{args}", "--head", "1"}).out, "{\"id\":7}\n");
}

// A command, by the arguments around a file.
struct Command {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {{{"cat"}, {}},          {{"tail"}, {}},
                                           {{"sites"}, {}},        {{"stat"}, {}},
                                           {{"agg"}, {}},          {{"pair"}, {"sent", "acked", "--key", "id"}},
                                           {{"diff", "GOOD"}, {}}, {{"verify"}, {}}};
  return all;
}

Ran run_on(const Command& command, const std::string& file, const std::string& good, const std::string& input = "") {
  std::vector<std::string> arguments = command.before;
  for (std::string& argument : arguments) argument = argument == "GOOD" ? good : argument;
  arguments.push_back(file);
  arguments.insert(arguments.end(), command.after.begin(), command.after.end());
  return run_steno(arguments, input);
}

TEST_F(Inputs, StandardInputIsAFileEverywhere) {
  for (const Command& command : commands()) {
    const Ran from_file = run_on(command, path("other.steno"), path("other.steno"));
    const Ran from_input = run_on(command, "-", path("other.steno"), log_of(4));
    std::string expected = from_file.out;
    for (std::size_t at = 0; (at = expected.find(path("other.steno"), at)) != std::string::npos;) {
      expected.replace(at, path("other.steno").size(), "-");
    }
    EXPECT_EQ(from_input.code, 0) << command.before[0] << from_input.err;
    EXPECT_EQ(from_input.out, expected) << command.before[0];
    EXPECT_NE(from_input.out, "");
  }
  EXPECT_EQ(run_steno({"tail", "-f", "-"}).code, 2);
  EXPECT_EQ(run_steno({"top", "-"}).code, 2);
  EXPECT_EQ(run_steno({"recover", "-"}).code, 2);
}

// Packs bytes by the program of that name, as people pack logs.
std::string packed_by(const std::string& packer, const std::string& bytes) {
  const test::TempFile file(bytes);
  const test::TempFile out;
  test::run_shell(packer + " -c < $FILE > " + out.path(), file.path());
  return test::read_file(out.path());
}

class Packed : public Inputs, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (test::run_shell(std::string("command -v ") + GetParam()).code != 0)
      GTEST_SKIP() << "there is no " << GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(By, Packed, ::testing::Values("gzip", "zstd"));

std::string without(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) text.replace(at, name.size(), "");
  return text;
}

TEST_P(Packed, AFileIsReadAsIfItWereNot) {
  const std::string name = path("other.steno.packed");  // the name does not matter
  write("other.steno.packed", packed_by(GetParam(), log_of(4)));
  for (const Command& command : commands()) {
    const Ran plain = run_on(command, path("other.steno"), path("other.steno"));
    const Ran packed = run_on(command, name, path("other.steno"));
    const Ran from_input = run_on(command, "-", path("other.steno"), packed_by(GetParam(), log_of(4)));
    EXPECT_EQ(packed.code, plain.code) << command.before[0] << packed.err;
    EXPECT_EQ(without(packed.out, name), without(plain.out, path("other.steno"))) << command.before[0];
    EXPECT_EQ(from_input.code, plain.code) << command.before[0] << from_input.err;
    EXPECT_NE(from_input.out, "") << command.before[0];
  }
}

TEST_P(Packed, SeveralPartsOfAFileAreOne) {
  const std::string bytes = log_of(4);
  const std::size_t half = bytes.size() / 2;
  write("two.packed", packed_by(GetParam(), bytes.substr(0, half)) + packed_by(GetParam(), bytes.substr(half)));
  EXPECT_EQ(run_steno({"cat", path("two.packed")}).out, run_steno({"cat", path("other.steno")}).out);
}

// Wherever it is cut or changed, a packed file is read in full, or is refused by one sentence.
TEST_P(Packed, DamageIsOneSentence) {
  const std::string bytes = packed_by(GetParam(), log_of(4));
  const std::string whole = run_steno({"cat", path("other.steno")}).out;
  std::size_t refused = 0;
  for (std::size_t at = 4; at < bytes.size(); at += 7) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    for (const std::string& bad : {bytes.substr(0, at), changed}) {
      write("bad.packed", bad);
      const Ran ran = run_steno({"cat", path("bad.packed")});
      if (ran.code == 0) {
        EXPECT_EQ(ran.out, whole) << at;
        continue;
      }
      ++refused;
      EXPECT_EQ(ran.out, "") << at;
      EXPECT_EQ(ran.code, 3) << at << ran.err;
      EXPECT_EQ(lines(ran.err), 1u) << at << ran.err;
      EXPECT_EQ(ran.err.find("steno: " + path("bad.packed") + ": the data of " + GetParam() + " is damaged at byte "),
                0u)
          << at << ran.err;
    }
  }
  EXPECT_GT(refused, bytes.size() / 7);
}

TEST_F(Inputs, WhatCannotBeReadIsOneSentence) {
  write("empty.steno", "");
  write("text.steno", "this is no log, but it is long enough to be looked at as if it were one\n");
  const std::string newer = STENO_SOURCE_DIR "/spec/vectors/newer_version.steno";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {path("none.*.steno"), path("none.*.steno") + ": no file matches this pattern"},
      {path("none.steno"), path("none.steno") + ": no such file"},
      {path("app.1.steno/x"), path("app.1.steno/x") + ": no such file"},
      {directory_, directory_ + ": is a directory, not a file"},
      {path("empty.steno"), path("empty.steno") + ": is empty"},
      {path("text.steno"), path("text.steno") + ": not a steno file"},
      {newer, newer + ": written in format version "},
  };
  for (const Command& command : commands()) {
    for (const auto& [file, sentence] : bad) {
      const Ran ran = run_on(command, file, path("other.steno"));
      EXPECT_EQ(ran.code, 3) << command.before[0] << " " << file;
      EXPECT_EQ(ran.out, "") << command.before[0] << " " << file;
      EXPECT_EQ(ran.err.find("steno: " + sentence), 0u) << command.before[0] << ": " << ran.err;
      EXPECT_EQ(lines(ran.err), 1u) << command.before[0] << ": " << ran.err;
    }
  }
  for (const auto& [file, sentence] : bad) {
    for (const char* command : {"recover", "top"}) {
      if (std::string(command) == "top" && file == directory_) continue;  // may be a staging directory
      const Ran ran = run_steno({command, file});
      // A file that does not exist needs no recovery.
      if (std::string(command) == "recover" && (sentence.ends_with("no such file") || sentence.ends_with("is empty"))) {
        EXPECT_EQ(ran.code, 0);
        EXPECT_EQ(ran.out, file + ": nothing to recover\n");
        continue;
      }
      EXPECT_EQ(ran.code, 3) << command << " " << file << ran.out;
      EXPECT_EQ(ran.err.find("steno: " + sentence), 0u) << command << ": " << ran.err;
      EXPECT_EQ(lines(ran.err), 1u) << command << ": " << ran.err;
    }
  }
  const Ran top = run_steno({"top", directory_});
  EXPECT_EQ(top.code, 3);
  EXPECT_EQ(lines(top.err), 1u) << top.err;
}

// logrotate's `copytruncate` does this to a reader: the mapped pages vanish while they are read.
TEST_F(Inputs, AFileCutShortWhileItIsReadIsOneSentence) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "sent {id}" + std::string(200, '.'), "m");
  std::uint64_t id = 1;
  for (std::uint64_t i = 0; i < 600'000; ++i) {
    id = id * 6364136223846793005u + 1442695040888963407u;  // takes its eight bytes
    b.log(0, 16, kLoggedAt + i, Args().u64(id));
    if (i % 10'000 == 9'999) b.flush();
  }
  write("long.steno", b.end().bytes());
  // Pipe and memory are full long before the end. What is printed is lines of the log, of which the last may be cut.
  const Ran ran = test::run_shell(
      R"({ "$STENO" cat --memory 4M --pattern '{message}' "$FILE"; echo "status $?" >&2; } |
         { head -c 4000; truncate -s 8192 "$FILE"; cat; } | grep -vE '^(s|se|sen|sent|sent [0-9]*[.]*)$')",
      path("long.steno"));
  EXPECT_EQ(ran.out,
            "steno: " + path("long.steno") +
                ": the file was truncated while it was read, or its disk failed; run the command again\nstatus 3\n");
}

}  // namespace
}  // namespace steno
