// A flight recorder of a process that brings no scribe: 'steno scribe' keeps it.
#include <gtest/gtest.h>
#include <steno/log.h>
#include <steno/recorder.h>
#include <steno/session.h>
#include <sys/mman.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include "external_process.h"

namespace steno {
namespace {

using test::Ran;
using test::run_steno;

class ExternalRecorderTest : public test::ExternalTest {
 protected:
  Options recording() const {
    Options options = test::patient(log());
    options.level = Level::kTrace;
    options.recorder.below = Level::kInfo;
    options.recorder.bytes = 65536;
    return options;
  }
  // A session of a child that does `what`, says so, and goes on with what it is told: 'p' polls until it is told more.
  pid_t record(
      const std::function<void()>& what, const std::function<void()>& then = [] {}) {
    int to_us[2];
    int to_child[2];
    EXPECT_EQ(::pipe2(to_us, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(to_child, O_CLOEXEC), 0);
    const pid_t child = run_child([&] {
      ::close(to_child[1]);
      if (!steno::start(recording())) return 1;
      what();
      char byte = 0;
      if (::write(to_us[1], "x", 1) != 1 || ::read(to_child[0], &byte, 1) != 1) return 2;
      then();
      steno::stop();
      return 0;
    });
    ::close(to_us[1]);
    ::close(to_child[0]);
    answers_ = to_us[0];
    control_ = to_child[1];
    wait_for_answer();
    return child;
  }
  void go_on() { EXPECT_EQ(::write(control_, "x", 1), 1); }
  static void details(int begin, int end) {
    for (int n = begin; n < end; ++n) STENO_DEBUG("detail {n}", n);
  }
  static std::string details_text(int begin, int end) {
    std::string text;
    for (int n = begin; n < end; ++n) text += "detail " + std::to_string(n) + "\n";
    return text;
  }
  std::string messages() const { return run_steno({"cat", "--pattern", "{message}", log()}).out; }
  void expect_complete() const {
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
    EXPECT_NE(verify.out.find(" 0 lost"), std::string::npos) << verify.out;
  }
};

TEST_F(ExternalRecorderTest, AnErrorBringsWhatWasBeforeIt) {
  const pid_t scribe = start_scribe();
  const pid_t child = record([] {
    details(0, 3);
    STENO_ERROR("it failed");
    details(3, 5);
  });
  go_on();
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(messages(), details_text(0, 3) + "it failed\n" + details_text(3, 5) +
                            "flight recorder: 5 records kept, 0 before them not: a record of level ERROR or above was "
                            "logged\n");
  expect_complete();
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(what_scribes_said(), "");
}

TEST_F(ExternalRecorderTest, WhatNothingAsksForIsInNoFile) {
  const pid_t scribe = start_scribe();
  const pid_t child = record([] {
    details(0, 3);
    STENO_INFO("an event");
  });
  go_on();
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(messages(), "an event\nflight recorder: 0 records kept, 3 before them not: the session ended\n");
  expect_complete();
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
}

TEST_F(ExternalRecorderTest, ACallBringsIt) {
  const pid_t scribe = start_scribe();
  const pid_t child = record([] {
    for (int n = 0; n < 50; ++n) {
      details(n, n + 1);
      if (!steno::dump_recorder().ok()) std::_Exit(3);
    }
    if (!steno::dump_recorder().ok()) std::_Exit(4);  // nothing new
  });
  std::string expected;
  for (int n = 0; n < 50; ++n)
    expected += details_text(n, n + 1) + "flight recorder: 1 records kept, 0 before them not: it was asked for\n";
  EXPECT_EQ(messages(), expected) << "on file when the call returns";
  go_on();
  EXPECT_EQ(wait_for(child), 0);
  expect_complete();
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
}

TEST_F(ExternalRecorderTest, TheCommandBringsIt) {
  const pid_t scribe = start_scribe();
  std::atomic<bool>* const done =
      static_cast<std::atomic<bool>*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = record([] { details(0, 4); },
                             [&] {
                               while (!*done) (void)steno::poll();
                             });
  go_on();
  const Ran dump = run_steno({"ctl", log(), "--timeout", "60s", "dump"});
  EXPECT_EQ(dump.code, 0) << dump.err;
  EXPECT_EQ(messages(), details_text(0, 4) + "flight recorder: 4 records kept, 0 before them not: it was asked for\n");
  *done = true;
  EXPECT_EQ(wait_for(child), 0);
  ::munmap(done, 4096);
  expect_complete();
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
}

TEST_F(ExternalRecorderTest, TheDeathOfTheProcessBringsIt) {
  const pid_t scribe = start_scribe();
  const pid_t child = record([] {
    details(0, 4);
    if (!steno::flush().ok()) std::_Exit(3);
    details(4, 6);
  });
  kill(child);
  EXPECT_TRUE(all_is_on_file());
  const std::string text = messages();
  for (int n = 0; n < 6; ++n) EXPECT_NE(text.find(details_text(n, n + 1)), std::string::npos) << text;
  EXPECT_NE(text.find("flight recorder: 6 records kept, 0 before them not: the process died"), std::string::npos)
      << text;
  expect_complete();
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
}

// It works without a scribe at that moment, too.
TEST_F(ExternalRecorderTest, TheDeathOfBothBringsIt) {
  const pid_t scribe = start_scribe();
  const pid_t child = record([] {
    details(0, 4);
    if (!steno::flush().ok()) std::_Exit(3);
    details(4, 6);
  });
  end_scribe(scribe, SIGKILL);
  kill(child);
  start_scribe();
  EXPECT_TRUE(all_is_on_file());
  const std::string text = messages();
  for (int n = 0; n < 6; ++n) EXPECT_NE(text.find(details_text(n, n + 1)), std::string::npos) << text;
  expect_complete();
}

TEST_F(ExternalRecorderTest, ItOutlivesScribes) {
  pid_t scribe = start_scribe();
  const pid_t child = record(
      [] {
        details(0, 4);
        if (!steno::flush().ok()) std::_Exit(3);
      },
      [] {
        details(4, 6);
        STENO_ERROR("it failed");
      });
  for (int i = 0; i < 3; ++i) {
    end_scribe(scribe, i == 1 ? SIGTERM : SIGKILL);
    scribe = start_scribe();
  }
  go_on();
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(messages(), details_text(0, 6) +
                            "it failed\nflight recorder: 6 records kept, 0 before them not: a record of "
                            "level ERROR or above was logged\n");
  expect_complete();
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
}

TEST_F(ExternalRecorderTest, WhatIsOverwrittenIsCounted) {
  const pid_t scribe = start_scribe();
  const pid_t child = record([] {
    details(0, 100'000);
    if (!steno::dump_recorder().ok()) std::_Exit(3);
  });
  go_on();
  EXPECT_EQ(wait_for(child), 0);
  const std::string text = messages();
  int kept = 0;
  int left_out = 0;
  const std::size_t last = text.rfind("flight recorder: ");
  ASSERT_NE(last, std::string::npos);
  EXPECT_EQ(std::sscanf(text.c_str() + last, "flight recorder: %d records kept, %d before", &kept, &left_out), 2);
  EXPECT_EQ(kept + left_out, 100'000);
  EXPECT_GT(kept, 100);
  // The latest; of what comes faster than it is overwritten some is left out in between.
  EXPECT_EQ(lines(text.substr(0, last)), static_cast<std::size_t>(kept));
  EXPECT_EQ(text.find(details_text(99'900, 100'000) + "flight recorder: "),
            last - details_text(99'900, 100'000).size());
  expect_complete();
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
}

// Killed at any moment, the scribe neither loses nor repeats a record that the recorder has, nor forgets that it is
// due.
TEST_F(ExternalRecorderTest, ScribesAreKilledWhileTheyWriteIt) {
  const pid_t child = record([] {},
                             [] {
                               for (int n = 0; n < 300; ++n) {
                                 details(2 * n, 2 * n + 2);
                                 STENO_ERROR("error {n}", n);
                               }
                             });
  go_on();
  for (int i = 0; i < 10; ++i) {
    const off_t before = size();
    const pid_t scribe = start_scribe({log(), "--flush", "0"});
    (void)eventually([&] { return size() > before || ::waitpid(child, nullptr, WNOHANG | WNOWAIT) != 0; });
    end_scribe(scribe, SIGKILL);
  }
  start_scribe();
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  expect_complete();
  std::string found;
  std::istringstream lines(messages());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("detail")) found += line + '\n';
  }
  EXPECT_EQ(found, details_text(0, 600));
}

TEST_F(ExternalRecorderTest, SinksShowItWhenItIsWritten) {
  const std::string path = directory_ + "/all.log";
  const pid_t scribe = start_scribe({log(), "--sink", "path = '" + path + "', pattern = '{message}'"});
  const pid_t child = record([] {
    details(0, 3);
    STENO_INFO("an event");
    if (!steno::flush().ok()) std::_Exit(3);
    STENO_ERROR("it failed");
  });
  go_on();
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  for (const std::string line : {"an event\n", "it failed\n", "detail 0\n", "detail 1\n", "detail 2\n"})
    EXPECT_NE(all.find(line), std::string::npos) << line << " is not in " << all;
  EXPECT_NE(all.find("flight recorder: 3 records kept"), std::string::npos) << all;
}

}  // namespace
}  // namespace steno
