// The command on processes that run, that are stopped, and that are dead.
#include <steno/reader.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>

#include "../sanitizers.h"
#include "live_process.h"
#include "staging/directory.h"
#include "staging/find_staging.h"

namespace steno::test {
namespace {

TEST_F(LiveTest, AStoppedProcessIsReadWithoutItsHelp) {
  const pid_t child = start(100);
  ::kill(child, SIGSTOP);
  const Ran live = run_steno({"cat", "--live", std::to_string(child)});
  EXPECT_EQ(live.code, 0) << live.err;
  EXPECT_EQ(lines(live.out), 100u);
  EXPECT_NE(live.out.find("message 99 of child"), std::string::npos);
  EXPECT_EQ(run_steno({"cat", log()}).out, live.out);
  const Ran verify = run_steno({"verify", log()});
  EXPECT_EQ(verify.code, 0);
  EXPECT_EQ(verify.out, "complete: 100 records, 1 thread, 1 session, 0 lost so far; 1 session goes on\n");
  const Ran ps = run_steno({"ps", "--json"});
  EXPECT_NE(ps.out.find("\"pid\":" + std::to_string(child) + ",\"state\":\"stopped\""), std::string::npos) << ps.out;
  EXPECT_NE(ps.out.find("\"path\":\"" + log() + "\""), std::string::npos) << ps.out;
  const Ran recover = run_steno({"recover", log()});
  EXPECT_EQ(recover.out, log() + ": nothing to recover\n");
  ::kill(child, SIGCONT);
  log_one_more();
  EXPECT_EQ(lines(run_steno({"cat", log()}).out), 101u);
}

// Numbers of processes are used again.
TEST_F(LiveTest, WhatADeadProcessOfTheSameNumberHasLeftIsNotMeant) {
  const pid_t first = start(10);
  const pid_t second = start(20);
  const auto of_second = [&] {
    return staging::find_staging_of_process(static_cast<std::uint32_t>(second), {staging_});
  };
  const std::vector<std::string> one = of_second();
  ASSERT_EQ(one.size(), 1u);
  const std::vector<std::string> left = staging::find_staging_of_process(static_cast<std::uint32_t>(first), {staging_});
  ASSERT_EQ(left.size(), 1u);
  kill(first);
  const auto number = static_cast<std::uint32_t>(second);
  std::fstream file(left[0] + "/session", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offsetof(ring::SessionFile, pid));
  file.write(reinterpret_cast<const char*>(&number), sizeof number);
  file.close();
  EXPECT_EQ(of_second(), one);
  kill(second);
  EXPECT_EQ(of_second().size(), 2u) << "now they are alike";
}

// A process that recovers holds a lock. A child that any of its threads forks meanwhile must not go on holding it.
TEST_F(LiveTest, AForkInTheMidstOfARecoveryDoesNotKeepTheLock) {
  using staging::ForeignStaging;
  kill(start(10));
  std::vector<std::string> orphans = staging::find_staging(staging::Whose::kOwn, {staging_});
  std::erase_if(orphans, [this](const std::string& path) { return !path.starts_with(staging_); });
  ASSERT_EQ(orphans.size(), 1u);
  const auto fork_that_waits = [this] {
    const pid_t child = ::fork();
    if (child != 0) return children_.push_back(child);
    for (;;) ::pause();
  };
  {
    const auto view = ForeignStaging::open(orphans[0], ForeignStaging::Access::kOwn);
    ASSERT_TRUE(view.ok()) << view.status().message();
    fork_that_waits();
    EXPECT_FALSE(ForeignStaging::open(orphans[0], ForeignStaging::Access::kOwn).ok());
  }
  EXPECT_TRUE(ForeignStaging::open(orphans[0], ForeignStaging::Access::kOwn).ok()) << "it was let go";

  int ids[2];
  int hold[2];  // the grandchild lives until we close this
  ASSERT_EQ(::pipe(ids), 0);
  ASSERT_EQ(::pipe(hold), 0);
  const pid_t recovers = ::fork();
  if (recovers == 0) {
    ::close(hold[1]);
    const auto view = ForeignStaging::open(orphans[0], ForeignStaging::Access::kOwn);
    const pid_t grandchild = view.ok() ? ::fork() : -1;
    char byte = view.ok() ? 'o' : 'x';
    if (grandchild == 0) {
      if (::write(ids[1], &byte, 1) == 1 && ::read(hold[0], &byte, 1) == 0) std::_Exit(0);
    } else if (grandchild < 0) {
      (void)!::write(ids[1], &byte, 1);
    }
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ids[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'o');
  kill(recovers);
  EXPECT_TRUE(ForeignStaging::open(orphans[0], ForeignStaging::Access::kOwn).ok()) << "it died; its child lives";
  ::close(hold[1]);
}

TEST_F(LiveTest, ADeadProcessIsReadThenRecovered) {
  const pid_t child = start(50);
  kill(child);
  EXPECT_NE(run_steno({"ps", "--json"}).out.find("\"state\":\"died\",\"program\":"), std::string::npos);
  EXPECT_NE(run_steno({"ps"}).out.find(log()), std::string::npos);
  const std::string before = run_steno({"cat", log()}).out;
  EXPECT_EQ(lines(before), 51u) << "with that of its death";
  EXPECT_EQ(run_steno({"verify", log()}).out, "complete: 51 records, 1 thread, 1 session, 0 lost; 1 process died\n");
  // A program reads it as well.
  auto reader = LogReader::open({log()});
  ASSERT_TRUE(reader.ok());
  std::size_t records = 0;
  reader->for_each([&records](const Record&) { ++records; });
  EXPECT_EQ(records, 51u);
  EXPECT_TRUE(reader->losses().empty());

  const Ran recover = run_steno({"recover", log()});
  EXPECT_EQ(recover.code, 0) << recover.err;
  EXPECT_EQ(recover.out.find("recovered 50 records into " + log()), 0u) << recover.out;
  EXPECT_EQ(run_steno({"cat", log()}).out, before);
  EXPECT_EQ(run_steno({"ps"}).out.find(log()), std::string::npos);
  EXPECT_EQ(run_steno({"recover", log()}).out, log() + ": nothing to recover\n");
}

// Some of the rings are being made when it dies, in no order.
TEST_F(LiveTest, AProcessThatDiesWhileManyThreadsBeginLosesNothing) {
  constexpr int kThreads = 100;
  for (const int logged_before : {1, 30, 80}) {
    int to_us[2];
    ASSERT_EQ(::pipe(to_us), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      if (!steno::start({.path = log()})) std::_Exit(1);
      std::vector<std::thread> threads;
      std::atomic<bool> go{false};
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          go.wait(false);
          STENO_INFO("up {n}", t);
          const char byte = static_cast<char>(t);
          if (::write(to_us[1], &byte, 1) == 1) ::pause();
        });
      }
      go = true;
      go.notify_all();
      threads[0].join();  // never
    }
    ::close(to_us[1]);
    children_.push_back(child);
    std::set<int> logged;
    for (char byte = 0; ::read(to_us[0], &byte, 1) == 1; logged.insert(byte)) {
      if (static_cast<int>(logged.size()) == logged_before - 1) ::kill(child, SIGKILL);
    }
    ::close(to_us[0]);
    kill(child);
    EXPECT_GE(static_cast<int>(logged.size()), logged_before);
    EXPECT_EQ(run_steno({"recover", log()}).code, 0);
    std::set<int> found;
    std::istringstream lines(run_steno({"cat", "--pattern", "{message}", log()}).out);
    for (std::string line; std::getline(lines, line);) {
      int number = 0;
      if (std::sscanf(line.c_str(), "up %d", &number) != 1) continue;
      EXPECT_TRUE(found.insert(number).second) << line;
    }
    EXPECT_TRUE(std::includes(found.begin(), found.end(), logged.begin(), logged.end()));
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
    std::filesystem::remove(log());
  }
}

TEST_F(LiveTest, TheStagingOfARenamedFileIsFound) {
  const pid_t child = start(10);
  log_one_more();
  ASSERT_EQ(std::rename(log().c_str(), (directory_ + "/old.steno").c_str()), 0);
  kill(child);
  EXPECT_EQ(lines(run_steno({"cat", directory_ + "/old.steno"}).out), 12u);
  EXPECT_EQ(run_steno({"recover", directory_ + "/old.steno"}).code, 0);
  EXPECT_EQ(run_steno({"verify", directory_ + "/old.steno"}).out,
            "complete: 12 records, 1 thread, 1 session, 0 lost; 1 process died\n");
}

// This happens when a server's workers outlive it, or after daemon(3).
TEST_F(LiveTest, ADeadProcessIsRecoveredThoughItsChildLives) {
  int to_us[2];
  ASSERT_EQ(::pipe(to_us), 0);
  const pid_t parent = start_with([&] {
    for (int i = 0; i < 20; ++i) STENO_INFO("message {n}", i);
    test::let_scribe_rest();
    if (::fork() != 0) return;
    const pid_t child = ::getpid();  // told by itself: until fork() returned in it, it may still hold its parent's lock
    (void)!::write(to_us[1], &child, sizeof child);
    ::pause();
  });
  pid_t child = 0;
  ASSERT_EQ(::read(to_us[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  children_.push_back(child);
  kill(parent);
  const Ran recover = run_steno({"recover", log()});
  EXPECT_EQ(recover.out.find("recovered 20 records into " + log()), 0u) << recover.out << recover.err;
  EXPECT_EQ(run_steno({"verify", log()}).out, "complete: 21 records, 1 thread, 1 session, 0 lost; 1 process died\n");
}

TEST_F(LiveTest, ARingThatCannotBeMappedNowIsKept) {
  if (test::kAddressSanitizer || test::kThreadSanitizer) GTEST_SKIP() << "their shadow alone is more than any limit";
  ::setenv("STENO_STAGING", directory_.c_str(), 1);  // there may be less room in /dev/shm
  kill(start_with([] { STENO_INFO("message {n}", 1); }));
  // The file is as large as if the ring had grown.
  const std::uint64_t capacity = std::uint64_t{1} << 28;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
    if (entry.path().filename() != "ring-0") continue;
    std::filesystem::resize_file(entry.path(), ring::kHeaderBytes + capacity);
    std::fstream file(entry.path());
    file.seekp(offsetof(ring::RingHeader, capacity));
    file.write(reinterpret_cast<const char*>(&capacity), sizeof capacity);
  }
  const Ran recover = run_shell("ulimit -v 220000; $STENO recover $FILE", log());
  EXPECT_EQ(recover.code, 3);
  EXPECT_NE(recover.out.find("ring-0: Cannot allocate memory"), std::string::npos) << recover.out;
  EXPECT_EQ(run_steno({"recover", log()}).out.find("recovered 1 record into " + log()), 0u);
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

// A ring that has grown, and grows while it is read along; then its owner is killed.
TEST_F(LiveTest, RingsThatGrewAreReadAndRecovered) {
  constexpr int kMessages = test::sampled(40000);
  const pid_t child = start_with(
      [] {
        for (int i = 0; i < kMessages; ++i) STENO_INFO("message {n} of {who}", i, "a child that logs much");
      },
      {.ring_bytes = std::size_t{1} << 23});
  const auto count = [&](const std::string& what) {
    return run_shell("$STENO cat --pattern '{message}' $FILE | grep -c '^message'", log()).out + what;
  };
  EXPECT_EQ(count("alive"), std::to_string(kMessages) + "\nalive");
  kill(child);
  EXPECT_EQ(count("dead"), std::to_string(kMessages) + "\ndead");
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  EXPECT_EQ(count("recovered"), std::to_string(kMessages) + "\nrecovered");
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

// Each session goes on with the clock of the one before, whose points are there.
TEST_F(LiveTest, StagingIsSoundAfterManySessions) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (int session = 0; session < 3; ++session) {
      if (!steno::start({.path = log()})) std::_Exit(1);
      for (int file = 0; file < 4; ++file) {
        STENO_INFO("in file {}", file);
        (void)steno::rotate();
      }
      if (session != 2) steno::stop();
    }
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto found = staging::find_staging_of_process(static_cast<std::uint32_t>(child), {staging_});
  ASSERT_EQ(found.size(), 1u);
  const Ran check = run_steno({"check-ring", found[0]});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
}

TEST_F(LiveTest, StagingThatNobodyWantsIsRemoved) {
  // A thread's name, and no record of it.
  const pid_t child = ::fork();
  if (child == 0) {
    prepare_thread();
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const std::string user = staging::user_directory(staging_);
  EXPECT_FALSE(std::filesystem::is_empty(user));
  // Rings that were made while their owner removed the rest.
  const std::string remains = user + "/1-0123456789abcdef";
  ASSERT_EQ(::mkdir(remains.c_str(), 0700), 0);
  std::ofstream(remains + "/ring-3") << "x";
  kill(start(1));
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  for (const auto& left : std::filesystem::directory_iterator(user))
    ADD_FAILURE() << left.path() << ": " << run_shell("ls " + left.path().string()).out;
}

TEST_F(LiveTest, StagingThatLostItsDictionaryIsReportedAndKept) {
  kill(start(10));
  const std::string user = staging::user_directory(staging_);
  std::string orphan;
  for (const auto& entry : std::filesystem::directory_iterator(user)) {
    if (entry.path().filename() != "by-log") orphan = entry.path();
  }
  std::filesystem::rename(orphan + "/dictionary", staging_ + "/dictionary");
  const Ran recover = run_steno({"recover", "--staging", orphan});
  EXPECT_EQ(recover.code, 3);
  EXPECT_EQ(recover.err, "steno: " + orphan + ": its dictionary is missing, so its records cannot be read\n");
  EXPECT_EQ(run_steno({"recover", log()}).code, 3);
  EXPECT_EQ(run_steno({"verify", log()}).code, 1);
  std::filesystem::rename(staging_ + "/dictionary", orphan + "/dictionary");
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  EXPECT_EQ(run_steno({"verify", log()}).out, "complete: 11 records, 1 thread, 1 session, 0 lost; 1 process died\n");
}

// Nobody can recover staging of another version with this one: a process that starts, recovers or reads reports it.
TEST_F(LiveTest, StagingOfAnotherVersionIsReportedAndKept) {
  const pid_t child = start(10);
  const std::string user = staging::user_directory(staging_);
  std::string staging;
  for (const auto& entry : std::filesystem::directory_iterator(user)) {
    if (entry.path().filename() != "by-log") staging = entry.path();
  }
  const auto set_version = [&staging](std::uint32_t version) {
    std::fstream session(staging + "/session", std::ios::in | std::ios::out | std::ios::binary);
    session.seekp(offsetof(ring::SessionFile, version));
    session.write(reinterpret_cast<const char*>(&version), sizeof version);
  };
  // Returns the warnings of a start on that path.
  const auto warnings_of_start = [this](const std::string& path) {
    const std::string heard = directory_ + "/heard";
    std::ofstream{heard};
    const pid_t starter = ::fork();
    if (starter == 0) {
      Options options;
      options.path = path;
      options.on_warning = [&heard](const std::string& what) { std::ofstream(heard, std::ios::app) << what << "\n"; };
      if (!steno::start(options)) std::_Exit(1);
      steno::stop();
      std::exit(0);
    }
    int status = 0;
    ::waitpid(starter, &status, 0);
    EXPECT_EQ(status, 0);
    std::stringstream text;
    text << std::ifstream(heard).rdbuf();
    return text.str();
  };
  set_version(ring::kVersion + 1);
  EXPECT_EQ(warnings_of_start(log()), "") << "it lives";
  kill(child);
  const std::string what = staging + ": staging has version " + std::to_string(ring::kVersion + 1) +
                           ", but this steno supports version " + std::to_string(ring::kVersion) +
                           ": use the steno that the program was built with\n";
  EXPECT_EQ(warnings_of_start(log()), "records of an earlier run could not be recovered yet: " + what);
  EXPECT_EQ(warnings_of_start(directory_ + "/other.steno"), "");
  const Ran recover = run_steno({"recover", log()});
  EXPECT_EQ(recover.code, 3);
  EXPECT_EQ(recover.err, "steno: " + what);
  const Ran verify = run_steno({"verify", log()});
  EXPECT_EQ(verify.code, 1);
  EXPECT_NE((verify.out + verify.err).find(what), std::string::npos) << verify.out << verify.err;
  set_version(ring::kVersion);
  EXPECT_EQ(warnings_of_start(log()), "");
  const Ran whole = run_steno({"cat", "--count", log()});
  EXPECT_EQ(whole.out, "11\n") << "with that of its death";
}

// Recovery finds what `ps` lists as dead, or it says why it cannot, and what to do.
TEST_F(LiveTest, WhereTheDirectoryOfTheLogIsGoneRecoverySaysSo) {
  kill(start(5));
  const std::vector<std::string> orphans = staging::find_staging_of(log(), {});
  ASSERT_EQ(orphans.size(), 1u);
  std::filesystem::rename(directory_, directory_ + ".moved");
  EXPECT_NE(run_steno({"ps"}).out.find(log()), std::string::npos);
  const std::string why = "steno: " + orphans[0] + ": its records stay there: cannot open " + log() +
                          " for logging: No such file or directory; make the directory first; or 'steno recover "
                          "--staging " +
                          orphans[0] + " --output FILE' writes them to a file of your choice\n";
  for (const Ran& ran : {run_steno({"recover", log()}), run_steno({"recover", "--all", "--root", staging_})}) {
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err << ran.out;
  }
  std::filesystem::rename(directory_ + ".moved", directory_);
  const std::string chosen = directory_ + "/chosen.steno";
  EXPECT_EQ(run_steno({"recover", "--staging", orphans[0], "--output", chosen}).code, 0);
  EXPECT_EQ(run_steno({"cat", "--count", log(), chosen}).out, "6\n") << "and the record of the death";
}

TEST_F(LiveTest, UnknownProcessesAreOneSentence) {
  const Ran cat = run_steno({"cat", "--live", "999999999"});
  EXPECT_EQ(cat.code, 3);
  EXPECT_EQ(cat.err, "steno: 999999999: no process that logs with steno; 'steno ps' lists them\n");
  EXPECT_EQ(run_steno({"cat"}).code, 2);
  EXPECT_EQ(run_steno({"recover"}).code, 2);
  EXPECT_EQ(run_steno({"recover", "--all", log()}).code, 2);
}

// A process that starts makes its file, and writes the first block a moment later.
TEST_F(LiveTest, TailWaitsForAFileThatIsStillEmpty) {
  ASSERT_TRUE(std::ofstream(log()).good());
  const Ran once = run_steno({"tail", log()});
  EXPECT_EQ(once.code, 3);
  EXPECT_EQ(once.err, "steno: " + log() + ": is empty, so it is no steno file (yet)\n");
  Tail tail(log(), directory_ + "/tail");
  ::usleep(100'000);  // it has looked at the empty file
  start(2);
  EXPECT_EQ(tail.wait_for(2), "message 0 of child\nmessage 1 of child\n");
}

TEST_F(LiveTest, TailFollowsThroughACrashARestartAndARotation) {
  Tail tail(log(), directory_ + "/tail");  // the file is not there yet
  std::string expected;
  const auto expect = [&expected](int from, int to) {
    for (int i = from; i < to; ++i) expected += "message " + std::to_string(i) + " of child\n";
  };
  const pid_t first = start(20);
  expect(0, 20);
  EXPECT_EQ(tail.wait_for(20), expected);
  log_one_more();
  expect(20, 21);
  EXPECT_EQ(tail.wait_for(21), expected);
  kill(first);
  expected += death_of(first);
  EXPECT_EQ(without_times(tail.wait_for(22)), expected) << "before anybody recovers it";
  start(5);
  expect(0, 5);
  EXPECT_EQ(without_times(tail.wait_for(27)), expected);
  ASSERT_EQ(std::rename(log().c_str(), (directory_ + "/app.steno.1").c_str()), 0);
  log_one_more();
  expect(5, 6);
  EXPECT_EQ(without_times(tail.wait_for(28)), expected);
  ::usleep(1'500'000);  // the scribe looks for the path once a second
  log_one_more();
  expect(6, 7);
  EXPECT_EQ(without_times(tail.wait_for(29)), expected);
  log_one_more();
  expect(7, 8);
  EXPECT_EQ(without_times(tail.wait_for(30)), expected);  // nothing comes twice
  tail.stop();
}

}  // namespace
}  // namespace steno::test
