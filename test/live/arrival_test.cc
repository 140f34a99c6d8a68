// Tests how a scribe of many processes learns that one has come, beside staging that is not for it, or not yet.
#include <steno/log.h>
#include <steno/session.h>
#include <sys/stat.h>

#include <fstream>

#include "external_process.h"
#include "live/doorbells.h"
#include "staging/directory.h"
#include "staging/doorbell.h"
#include "staging/foreign_staging.h"

namespace steno {
namespace {

using test::log_numbers;
using test::patient;
using test::run_steno;

class ArrivalTest : public test::ExternalTest {
 protected:
  ArrivalTest() {
    auto user = staging::open_user_directory(staging_, true);
    EXPECT_TRUE(user.ok()) << user.status().message();
    if (user.ok()) ::close(*user);
  }

  // Returns the staging that a process leaves that logs messages `begin` to `end` to a file and does not wait for a
  // scribe.
  std::string leave(const std::string& path, int begin, int end) {
    const std::vector<std::string> before = staging_here();
    const pid_t child = run_child([&] {
      Options options = patient(path);
      options.stop_waits = false;
      if (!steno::start(options)) return 1;
      log_numbers(begin, end);
      return 0;
    });
    EXPECT_EQ(wait_for(child), 0);
    std::vector<std::string> after = staging_here();
    std::erase_if(after, [&](const std::string& one) { return std::count(before.begin(), before.end(), one) != 0; });
    EXPECT_EQ(after.size(), 1u);
    return after.empty() ? std::string() : after[0];
  }
  // A session that a scribe is there for. It has been drained when its end is on file.
  void log_and_wait(int begin, int end) {
    const pid_t child = run_child([&] {
      if (!steno::start(patient(log()))) return 1;
      log_numbers(begin, end);
      steno::stop();
      return 0;
    });
    EXPECT_EQ(wait_for(child), 0);
  }
  bool is_gone(const std::string& directory) const {
    struct stat st {};
    return ::stat(directory.c_str(), &st) != 0;
  }
  void set_version(const std::string& directory, std::uint32_t version) const {
    std::fstream file(directory + "/session", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);
    file.write(reinterpret_cast<const char*>(&version), sizeof version);
  }
};

TEST_F(ArrivalTest, ADoorbellSaysWhereASessionHasBegun) {
  live::Doorbells doorbells({staging_});
  staging::Doorbell* const bell = staging::open_doorbell(staging_);
  ASSERT_NE(bell, nullptr);
  staging::call_for_session(bell, 1, 1);  // before anybody listened
  doorbells.open();
  EXPECT_TRUE(doorbells.take_new_sessions().directories.empty());
  EXPECT_FALSE(doorbells.take_new_sessions().unnamed);

  staging::call_for_session(bell, 17, 0xabc);
  staging::call_for_session(bell, 4'000'000'000u, ~std::uint64_t{0});
  live::Doorbells::NewSessions found = doorbells.take_new_sessions();
  const std::string user = staging::user_directory(staging_);
  EXPECT_EQ(found.directories,
            (std::vector<std::string>{user + "/17-0000000000000abc", user + "/4000000000-ffffffffffffffff"}));
  EXPECT_FALSE(found.unnamed);
  EXPECT_TRUE(doorbells.take_new_sessions().directories.empty());

  // A front end that does not know of names, or that died in between, only counts.
  __atomic_fetch_add(&bell->sessions, 1u, __ATOMIC_RELEASE);
  staging::call_for_session(bell, 18, 0xdef);
  found = doorbells.take_new_sessions();
  EXPECT_EQ(found.directories, (std::vector<std::string>{user + "/18-0000000000000def"}));
  EXPECT_TRUE(found.unnamed);

  // More than there are names of.
  for (std::uint32_t i = 0; i <= staging::kArrivals; ++i) staging::call_for_session(bell, 100 + i, i);
  EXPECT_TRUE(doorbells.take_new_sessions().unnamed);
  for (std::uint32_t i = 0; i < staging::kArrivals; ++i) staging::call_for_session(bell, 100 + i, i);
  found = doorbells.take_new_sessions();
  EXPECT_EQ(found.directories.size(), std::size_t{staging::kArrivals});
  EXPECT_FALSE(found.unnamed);
  staging::close_doorbell(bell);
}

// Staging of another log, of another version, of no session, and of a process that brings its scribe is left as it is.
TEST_F(ArrivalTest, LeftoversOfOthersAreNotInTheWay) {
  const std::string other = leave(directory_ + "/other.steno", 0, 10);
  const std::string newer = leave(directory_ + "/newer.steno", 0, 10);
  set_version(newer, 99);
  const std::string unfinished = staging::user_directory(staging_) + "/1-0123456789abcdef";
  ASSERT_EQ(::mkdir(unfinished.c_str(), 0700), 0);
  const std::size_t left = staging_here().size();
  const pid_t own = run_child([&] {
    ::unsetenv("STENO_SCRIBE");
    if (!steno::start({.path = directory_ + "/own.steno"})) return 1;
    while (true) ::pause();
  });
  EXPECT_TRUE(eventually([&] { return staging_here().size() > left; }));
  const pid_t scribe = start_scribe();
  for (int i = 0; i < 5; ++i) log_and_wait(i * 10, i * 10 + 10);
  EXPECT_EQ(numbers(), numbers_below(50));
  for (const std::string& directory : {other, newer, unfinished}) EXPECT_FALSE(is_gone(directory)) << directory;
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_NE(what_scribes_said().find(newer + ": staging has version 99"), std::string::npos) << what_scribes_said();
  kill(own);
}

// Staging that a scribe has refused is taken when the reason is gone.
TEST_F(ArrivalTest, WhatWasRefusedIsLookedAtAgain) {
  const std::string open_to_others = leave(log(), 0, 10);
  ASSERT_EQ(::chmod(open_to_others.c_str(), 0755), 0);
  const std::string newer = leave(log(), 10, 20);
  set_version(newer, 99);
  const std::string place = directory_ + "/place";
  ASSERT_EQ(::mkdir(place.c_str(), 0700), 0);
  const std::string nowhere = leave(place + "/other.steno", 20, 30);
  ASSERT_EQ(::rename(place.c_str(), (place + "-hidden").c_str()), 0);
  start_scribe({log(), place + "/other.steno"});
  log_and_wait(20, 40);  // it has looked at all of them
  EXPECT_TRUE(eventually([&] {
    const std::string said = what_scribes_said();
    return said.find("version 99") != std::string::npos && said.find(place) != std::string::npos;
  })) << what_scribes_said();
  for (const std::string& directory : {open_to_others, newer, nowhere}) EXPECT_FALSE(is_gone(directory)) << directory;
  ASSERT_EQ(::chmod(open_to_others.c_str(), 0700), 0);
  set_version(newer, ring::kVersion);
  ASSERT_EQ(::rename((place + "-hidden").c_str(), place.c_str()), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(40));
}

// Processes that log to the same file and bring no scribe leave it to that process's.
TEST_F(ArrivalTest, AScribeRecoversAfterAProcessThatBroughtItsOwn) {
  ::unsetenv("STENO_SCRIBE");
  const std::string other = directory_ + "/other.steno";
  const pid_t own = run_child([&] {
    if (!steno::start({.path = other, .flush_interval = std::chrono::hours(1)})) return 1;
    log_numbers(0, 10);
    return ::kill(::getpid(), SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(wait_for(own)));
  ASSERT_EQ(staging_here().size(), 1u);
  ::setenv("STENO_SCRIBE", "external", 1);
  const pid_t scribe = start_scribe();
  log_and_wait(0, 10);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(staging_here().size(), 1u) << "the scribe drains another log";
  start_scribe({other});
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(run_steno({"cat", "--count", other}).out, "11\n") << "its death is the last";
}

TEST_F(ArrivalTest, AForeignOwnersStagingIsTakenOnceItIsOurs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const std::string given = leave(log(), 0, 10);
  ASSERT_EQ(::chown(given.c_str(), 1, 1), 0);
  start_scribe();
  log_and_wait(10, 20);
  EXPECT_EQ(numbers().count(0), 0u);
  ASSERT_EQ(::chown(given.c_str(), 0, 0), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(20));
}

// The staging of the dead takes long. A living process would report meanwhile that nobody drains it.
TEST_F(ArrivalTest, WhoLivesIsServedBeforeTheDead) {
  constexpr int kDead = 100;
  std::vector<std::string> logs = {log()};  // of their own: who begins to log recovers what others left of its log
  for (int i = 0; i < kDead; ++i) logs.push_back(directory_ + "/" + std::to_string(i) + ".steno");
  for (int i = 1; i <= kDead; ++i) leave(logs[i], 0, 10);
  std::vector<std::string> dead = staging_here();
  ASSERT_EQ(dead.size(), static_cast<std::size_t>(kDead));
  const pid_t child = start(10);
  std::string living;
  for (const std::string& directory : staging_here()) {
    if (!std::binary_search(dead.begin(), dead.end(), directory)) living = directory;
  }
  start_scribe(logs);
  const auto is_served = [&] {
    const auto view = staging::ForeignStaging::open(living, staging::ForeignStaging::Access::kRead,
                                                    staging::ForeignStaging::Extent::kSession);
    return !view.ok() || view->session().consumer_pid != 0;
  };
  const auto end = std::chrono::steady_clock::now() + test::kPatience;
  while (!is_served() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  std::erase_if(dead, [&](const std::string& directory) { return is_gone(directory); });
  EXPECT_FALSE(dead.empty());
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  for (const std::string& log : logs) EXPECT_EQ(run_steno({"cat", "--count", log}).out, "10\n") << log;
}

// A process logs elsewhere, and then to the scribe's log.
TEST_F(ArrivalTest, ASessionThatMovesHereIsTaken) {
  start_scribe();
  const pid_t child = run_child([&] {
    Options options = patient(directory_ + "/other.steno");
    options.stop_waits = false;
    if (!steno::start(options)) return 1;
    log_numbers(0, 10);
    steno::stop();
    if (!steno::start(patient(log()))) return 2;
    log_numbers(10, 20);
    steno::stop();
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(20));
}

}  // namespace
}  // namespace steno
