// 'steno scribe' with several threads.
#include <steno/log.h>
#include <steno/session.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "external_process.h"

namespace steno {
namespace {

using test::log_numbers;
using test::patient;
using test::Ran;
using test::run_steno;

class ExternalThreadsTest : public test::ExternalTest {
 protected:
  // Children that log until they are killed; returns when all do. (One that is killed while it begins may leave staging
  // that says no log yet, which no scribe of ours wants.)
  void log_for_ever(int processes) {
    int begun[2];
    ASSERT_EQ(::pipe(begun), 0);
    for (int i = 0; i < processes; ++i) {
      run_child([this, &begun] {
        if (!steno::start(patient(log()))) return 1;
        log_numbers(0, 1000);
        if (::write(begun[1], "", 1) != 1) return 1;
        while (true) log_numbers(0, 1000);
      });
    }
    ::close(begun[1]);
    char byte = 0;
    for (int i = 0; i < processes; ++i) EXPECT_EQ(::read(begun[0], &byte, 1), 1);
    ::close(begun[0]);
  }
  void expect_success(const std::vector<pid_t>& children) {
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    EXPECT_TRUE(all_is_on_file());
  }
  static int helpers_of(pid_t scribe) {
    int helpers = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(scribe) + "/task")) {
      std::string name;
      std::getline(std::ifstream(thread.path() / "comm"), name);
      helpers += name == "steno-helper" ? 1 : 0;
    }
    return helpers;
  }
};

TEST_F(ExternalThreadsTest, HelpersComeWhenThereIsWorkForThem) {
  const pid_t scribe = start_scribe({"--threads", "3", log()});
  const pid_t child = start(1000);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  log_one_more();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(helpers_of(scribe), 0) << "for one session";
  log_for_ever(6);
  EXPECT_TRUE(eventually([&] { return helpers_of(scribe) == 2; })) << helpers_of(scribe);
  while (!children_.empty()) kill(children_.back());
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(what_scribes_said(), "");
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(ExternalThreadsTest, KilledUnderLoadTheyLoseAndRepeatNothing) {
  const std::vector<pid_t> children = log_at_once(6, 40'000);
  for (int i = 0; i < 6; ++i) {
    const off_t before = size();
    const pid_t scribe = start_scribe({"--threads", "4", log()});
    EXPECT_TRUE(eventually([&] { return size() > before || staging_here().empty(); }));
    EXPECT_TRUE(WIFSIGNALED(end_scribe(scribe, SIGKILL)));
  }
  start_scribe({"--threads", "4", log()});
  expect_success(children);
  EXPECT_EQ(numbers(), numbers_below(240'000));
  const Ran verify = run_steno({"verify", log()});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_NE(verify.out.find("complete: 240,000 records, 6 threads, 6 sessions, 0 lost"), std::string::npos)
      << verify.out;
}

TEST_F(ExternalThreadsTest, SessionsOfOneLogAreRotatedTogether) {
  const pid_t scribe = start_scribe(
      {"--threads", "4", "--rotate-size", "64KB", "--rotate-name", "{stem}.{n}{ext}", "--flush", "0", log()});
  const std::vector<pid_t> children = log_at_once(5, 40'000);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  for (int i = 0; i < 3; ++i) {
    ::kill(scribe, SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  expect_success(children);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(what_scribes_said(), "");
  const std::string all = directory_ + "/app*.steno";
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/app.1.steno"));
  EXPECT_EQ(run_steno({"cat", "--count", all}).out, "200000\n");
  const Ran verify = run_steno({"verify", all});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
}

TEST_F(ExternalThreadsTest, ManyShortProcessesAtOnceLeaveNothingBehind) {
  const pid_t scribe = start_scribe({"--threads", "4", log()});
  constexpr int kAtOnce = 12;
  constexpr int kRounds = 8;
  for (int i = 0; i < kRounds; ++i) expect_success(log_at_once(kAtOnce, 10, i * kAtOnce * 10));
  EXPECT_EQ(numbers(), numbers_below(kRounds * kAtOnce * 10));
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(what_scribes_said(), "");
}

TEST_F(ExternalThreadsTest, AsManyAsAreAskedFor) {
  for (const char* threads : {"0", "65", "many"}) {
    const Ran ran = run_steno({"scribe", "--threads", threads, log()});
    EXPECT_EQ(ran.code, 2) << threads;
    EXPECT_NE(ran.err.find("--threads: "), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace steno
