// A log that is removed, moved, emptied or copied after its process died: what was written there is named as such, not
// as loss; what waits in staging goes to the file that is there now, and no record to two files.
#include <filesystem>

#include "external_process.h"

namespace steno::test {
namespace {

namespace fs = std::filesystem;

class MovedLogTest : public ExternalTest {
 protected:
  static constexpr const char* kOthersAreHere = " written to another file; all others are here\n";

  // Has `written` messages on file and `waiting` more in its ring.
  pid_t log_some(int written, int waiting) {
    ::setenv("STENO_SCRIBE", "thread", 1);
    return start_with(
        [=] {
          log_numbers(0, written);
          if (written != 0 && !steno::flush().ok()) std::_Exit(1);
          log_numbers(written, written + waiting);
        },
        {.flush_interval = std::chrono::hours(1)});
  }
  pid_t log_and_die(int written, int waiting) {
    const pid_t child = log_some(written, waiting);
    kill(child);
    return child;
  }
  // Runs another process, which logs one line.
  void run_once() {
    const pid_t child = run_child([this] {
      if (!steno::start(log())) return 1;
      STENO_INFO("the next run");
      steno::stop();
      return 0;
    });
    EXPECT_EQ(wait_for(child), 0);
  }
  std::string old() const { return directory_ + "/old.steno"; }
  static std::string messages(const std::string& path) {
    return without_times(run_steno({"cat", "--pattern", "{message}", path}).out);
  }
  static std::string death(pid_t child, const std::string& account) {
    return "process " + std::to_string(child) + " (" + ::program_invocation_short_name +
           ") died at about TIME: " + account;
  }
  static std::string verdict(const std::string& counts, int elsewhere) {
    return "complete as far as this file goes: " + counts + ", 0 lost; 1 process died; " + std::to_string(elsewhere) +
           (elsewhere == 1 ? " record before these was" : " records before these were") +
           " written to another file (removed, moved, or not given)\n";
  }
  static void expect_verdict(const std::string& path, const std::string& text) {
    const Ran verify = run_steno({"verify", path});
    EXPECT_EQ(verify.out, text);
    EXPECT_EQ(verify.code, 0);
  }
};

TEST_F(MovedLogTest, WhatWasInARemovedFileIsNotLost) {
  const pid_t child = log_and_die(3, 2);
  ASSERT_TRUE(fs::remove(log()));
  run_once();
  EXPECT_EQ(messages(log()), "message 3 of child\nmessage 4 of child\n" +
                                 death(child, std::string("3 of its records were") + kOthersAreHere) +
                                 "the next run\n");
  expect_verdict(log(), verdict("4 records, 2 threads, 2 sessions", 3));
  const std::string json = run_steno({"verify", "--json", log()}).out;
  EXPECT_NE(json.find("\"complete\":true,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"lost\":0,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"in_other_file\":3,"), std::string::npos) << json;
}

// Only the death is left to report.
TEST_F(MovedLogTest, WhereAllWasWrittenTheNewFileSaysWhoDied) {
  const pid_t child = log_and_die(1, 0);
  ASSERT_TRUE(fs::remove(log()));
  run_once();
  EXPECT_EQ(messages(log()), death(child, std::string("1 of its records was") + kOthersAreHere) + "the next run\n");
  expect_verdict(log(), verdict("2 records, 2 threads, 2 sessions", 1));
}

TEST_F(MovedLogTest, WhereNothingWasWrittenNothingLiesElsewhere) {
  const pid_t child = log_and_die(0, 2);
  fs::remove(log());
  run_once();
  EXPECT_EQ(messages(log()), "message 0 of child\nmessage 1 of child\n" + death_of(child) + "the next run\n");
  expect_verdict(log(), "complete: 4 records, 2 threads, 2 sessions, 0 lost; 1 process died\n");
}

// Somebody else rotates the log: both files together have each record once.
TEST_F(MovedLogTest, AMovedFileAndItsSuccessorAreCompleteTogether) {
  const pid_t child = log_and_die(3, 2);
  fs::rename(log(), old());
  EXPECT_EQ(lines(messages(old())), 6u) << "what waits is shown beside the file that the process wrote";
  run_once();
  EXPECT_EQ(messages(old()), "message 0 of child\nmessage 1 of child\nmessage 2 of child\n");
  EXPECT_EQ(messages(log()), "message 3 of child\nmessage 4 of child\n" +
                                 death(child, std::string("3 of its records were") + kOthersAreHere) +
                                 "the next run\n");
  expect_verdict(log(), verdict("4 records, 2 threads, 2 sessions", 3));
  EXPECT_EQ(run_steno({"verify", old()}).code, 1) << "it cannot know what came after it";
  const Ran both = run_steno({"verify", old(), log()});
  EXPECT_EQ(both.code, 0) << both.out;
  EXPECT_EQ(both.out.find("another file"), std::string::npos) << both.out;
  EXPECT_EQ(run_steno({"cat", "--count", old(), log()}).out, "7\n");
}

// A reader that comes before the recovery.
TEST_F(MovedLogTest, WhatWaitsIsShownBesideAFileThatWasMadeAnew) {
  const pid_t child = log_and_die(3, 2);
  fs::rename(log(), old());
  std::ofstream(log()).close();
  const std::string all =
      "message 3 of child\nmessage 4 of child\n" + death(child, std::string("3 of its records were") + kOthersAreHere);
  EXPECT_EQ(messages(log()), all);
  expect_verdict(log(), verdict("3 records, 1 thread, 1 session", 3));
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  EXPECT_EQ(messages(log()), all);
  expect_verdict(log(), verdict("3 records, 1 thread, 1 session", 3));
}

TEST_F(MovedLogTest, WhatWaitsIsShownWhereTheFileIsGone) {
  const pid_t child = log_and_die(3, 2);
  ASSERT_TRUE(fs::remove(log()));
  EXPECT_EQ(messages(log()), "message 3 of child\nmessage 4 of child\n" +
                                 death(child, std::string("3 of its records were") + kOthersAreHere));
  expect_verdict(log(), verdict("3 records, 1 thread, 1 session", 3));
}

// Its number is the same, its bytes are gone.
TEST_F(MovedLogTest, AnEmptiedFileIsAnother) {
  (void)log_and_die(3, 2);
  fs::resize_file(log(), 0);
  run_once();
  expect_verdict(log(), verdict("4 records, 2 threads, 2 sessions", 3));
}

// File systems give the number of a removed file to the next one.
TEST_F(MovedLogTest, AFileThatGotTheNumberOfARemovedOneIsAnother) {
  (void)log_and_die(3, 2);
  struct stat before {};
  ASSERT_EQ(::stat(log().c_str(), &before), 0);
  ASSERT_TRUE(fs::remove(log()));
  std::string again;
  for (int i = 0; i < 2000 && again.empty(); ++i) {
    const std::string path = directory_ + "/" + std::to_string(i);
    std::ofstream(path).close();
    struct stat st {};
    if (::stat(path.c_str(), &st) == 0 && st.st_ino == before.st_ino) again = path;
  }
  if (again.empty()) GTEST_SKIP() << "this file system does not use numbers again, or other programs came first";
  const pid_t other = run_child([&again] {
    if (!steno::start(again)) return 1;
    STENO_INFO("the next run");
    steno::stop();
    return 0;
  });
  ASSERT_EQ(wait_for(other), 0);
  fs::rename(again, log());
  expect_verdict(log(), verdict("4 records, 2 threads, 2 sessions", 3));  // as what waits will be there
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  expect_verdict(log(), verdict("4 records, 2 threads, 2 sessions", 3));
}

// Its number is another, its bytes are the same.
TEST_F(MovedLogTest, WhatIsInACopyIsInNoOtherFile) {
  const pid_t child = log_and_die(3, 2);
  fs::copy_file(log(), old());
  fs::rename(old(), log());
  run_once();
  std::string all;
  for (int n = 0; n < 5; ++n) all += "message " + std::to_string(n) + " of child\n";
  EXPECT_EQ(messages(log()),
            all + death(child, std::string("3 of its records were") + kOthersAreHere) + "the next run\n");
  expect_verdict(log(), "complete: 7 records, 2 threads, 2 sessions, 0 lost; 1 process died\n");
}

// A backup, or a database's standby: what goes on, or waits, is the log's.
TEST_F(MovedLogTest, ACopyIsJudgedByItself) {
  const pid_t child = log_some(3, 2);
  fs::copy_file(log(), old());
  const std::string first = "message 0 of child\nmessage 1 of child\nmessage 2 of child\n";
  const std::string rest = "message 3 of child\nmessage 4 of child\n";
  for (const bool lives : {true, false}) {
    if (!lives) kill(child);
    EXPECT_EQ(messages(old()), first);
    const Ran verify = run_steno({"verify", old()});
    EXPECT_EQ(verify.code, 1);
    EXPECT_NE(verify.out.find("has no end, and its staging is not here"), std::string::npos) << verify.out;
    EXPECT_NE(verify.out.find("incomplete: 3 records"), std::string::npos) << verify.out;
    EXPECT_EQ(messages(log()), first + rest + (lives ? "" : death_of(child)));
  }
  EXPECT_EQ(run_steno({"recover", old()}).code, 0);
  EXPECT_EQ(messages(old()), first) << "what waits belongs to the log";
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  EXPECT_EQ(messages(log()), first + rest + death_of(child));
  expect_verdict(log(), "complete: 6 records, 1 thread, 1 session, 0 lost; 1 process died\n");
}

TEST_F(MovedLogTest, AFileThatTheUserNamesIsAnother) {
  (void)log_and_die(3, 2);
  const std::vector<std::string> staging = staging_here();
  ASSERT_EQ(staging.size(), 1u);
  EXPECT_EQ(run_steno({"recover", "--staging", staging[0], "--output", old()}).code, 0);
  expect_verdict(old(), verdict("3 records, 1 thread, 1 session", 3));
  EXPECT_EQ(run_steno({"verify", log(), old()}).code, 0);
}

TEST_F(MovedLogTest, AScribeOfItsOwnProcessSaysTheSame) {
  (void)log_and_die(3, 2);
  ASSERT_TRUE(fs::remove(log()));
  const pid_t scribe = start_scribe();
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0) << what_scribes_said();
  expect_verdict(log(), verdict("3 records, 1 thread, 1 session", 3));
}

// The process lives, and its scribe died: what it logs from then on is a session of its own, as after any change of
// file.
TEST_F(MovedLogTest, AScribeThatFindsAnEmptiedFileBeginsANewSession) {
  const pid_t first = start_scribe({"--flush", "0", log()});
  const pid_t child = start(10);
  EXPECT_TRUE(eventually([&] { return count_without_staging() == "10\n"; }));
  end_scribe(first, SIGKILL);
  fs::resize_file(log(), 0);
  log_one_more();
  start_scribe();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(messages(log()), "message 10 of child\n");
  expect_verdict(log(), "complete: 1 record, 1 thread, 1 session, 0 lost\n");
}

}  // namespace
}  // namespace steno::test
