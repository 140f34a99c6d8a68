// Processes that log without a scribe of their own, and 'steno scribe', which drains them: either may die at any
// moment.
#include "live/external_scribe.h"

#include <steno/log.h>
#include <steno/session.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

#include "external_process.h"
#include "logfile/file_calls.h"
#include "staging/directory.h"
#include "staging/doorbell.h"
#include "staging/foreign_staging.h"

namespace steno {
namespace {

using staging::ForeignStaging;
using test::log_numbers;
using test::name_of;
using test::patient;
using test::Ran;
using test::run_steno;

class ExternalTest : public test::ExternalTest {};

TEST_F(ExternalTest, WhatIsLoggedIsOnFile) {
  const pid_t scribe = start_scribe();
  const pid_t child = start(1000);
  EXPECT_TRUE(eventually([&] {
    return run_steno({"ps"}).out.find("running       " + std::to_string(scribe)) != std::string::npos;
  })) << run_steno({"ps"}).out;
  log_one_more();
  EXPECT_EQ(run_steno({"cat", "--count", log()}).out, "1001\n");
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(1001));
  const Ran verify = run_steno({"verify", log()});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_NE(verify.out.find("complete: 1,001 records, 1 thread, 1 session, 0 lost"), std::string::npos) << verify.out;
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(what_scribes_said(), "");
}

TEST_F(ExternalTest, AScribeThatIsKilledUnderLoadLosesAndRepeatsNothing) {
  constexpr int kMessages = 300'000;
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    for (int n = 0; n < kMessages; ++n) STENO_INFO("message {n} of {who}", n, name_of(n));
    steno::stop();
    return 0;
  });
  for (int i = 0; i < 8; ++i) {
    const off_t before = size();
    const pid_t scribe = start_scribe();
    EXPECT_TRUE(eventually([&] { return size() > before || ::waitpid(child, nullptr, WNOHANG | WNOWAIT) != 0; }));
    EXPECT_TRUE(WIFSIGNALED(end_scribe(scribe, SIGKILL)));
  }
  start_scribe();
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  const Ran verify = run_steno({"verify", log()});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_NE(verify.out.find("complete: 300,000 records, 1 thread, 1 session, 0 lost"), std::string::npos) << verify.out;
  std::istringstream lines(run_steno({"cat", "--pattern", "{message}", log()}).out);
  int n = 0;
  for (std::string line; std::getline(lines, line); ++n)
    ASSERT_EQ(line, "message " + std::to_string(n) + " of " + name_of(n));
  EXPECT_EQ(n, kMessages);
  EXPECT_NE(run_steno({"stat", log()}).out.find("strings"), std::string::npos) << "no strings were shared";
}

// Staging that it leaves behind is no death, whoever writes it.
TEST_F(ExternalTest, AProcessNeedNotWaitForItsEnd) {
  const pid_t child = run_child([&] {
    Options options = patient(log());
    options.stop_waits = false;
    if (!steno::start(options)) return 1;
    log_numbers(0, 1000);
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_FALSE(staging_here().empty()) << "nobody drains";
  start_scribe();
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(1000));
  const Ran verify = run_steno({"verify", log()});
  EXPECT_NE(verify.out.find("complete: 1,000 records, 1 thread, 1 session, 0 lost"), std::string::npos) << verify.out;
  EXPECT_EQ(verify.out.find("died"), std::string::npos) << verify.out;
}

// Not before the flush interval, which is an hour here: less than half of the ring waits, and the rest is too small.
TEST_F(ExternalTest, ALargeRecordThatIsRefusedHasRoomSoon) {
  start_scribe({log(), "--flush", "3600"});
  const pid_t child = run_child([&] {
    Options options = patient(log());
    options.ring_bytes = std::size_t{1} << 16;
    options.when_full = WhenFull::kDrop;
    if (!steno::start(options)) return 1;
    std::minstd_rand random(5);
    for (int n = 0; n < 300; ++n) {
      const std::string text(1 + random() % 30'000, 'x');
      if (!eventually([&] { return STENO_TRY_INFO("{n}: {text}", n, text); })) return 2;
    }
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
}

TEST_F(ExternalTest, AScribeEndsWithItsLifeline) {
  const pid_t child = start(1000);  // before there is a pipe: it would hold it, too
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  const pid_t scribe = start_scribe({log(), "--lifeline", std::to_string(ends[0])});
  ::close(ends[0]);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  EXPECT_EQ(::waitpid(scribe, nullptr, WNOHANG), 0) << "it ended before";
  ::close(ends[1]);
  EXPECT_EQ(end_scribe(scribe, 0), 0);
  end_child(child);
}

TEST_F(ExternalTest, AProducerThatIsKilledIsReported) {
  const pid_t scribe = start_scribe();
  const pid_t child = start(1000);
  kill(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(1000));
  const std::string last = run_steno({"cat", "--tail", "1", "--pattern", "{message}", log()}).out;
  EXPECT_EQ(without_times(last), death_of(child));
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
  EXPECT_EQ(end_scribe(scribe, SIGINT), 0);
}

TEST_F(ExternalTest, BothAreKilled) {
  const pid_t scribe = start_scribe();
  const pid_t child = start(1000);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  end_scribe(scribe, SIGKILL);
  log_one_more();
  kill(child);
  start_scribe();
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(1001));
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(ExternalTest, SixteenProcessesAndOneScribe) {
  start_scribe();
  std::vector<pid_t> all;
  for (int i = 0; i < 16; ++i) {
    all.push_back(run_child([&, i] {
      if (!steno::start(patient(log()))) return 1;
      log_numbers(i * 5000, (i + 1) * 5000);
      steno::stop();
      return 0;
    }));
  }
  for (const pid_t child : all) EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(80'000));
  const Ran verify = run_steno({"verify", log()});
  EXPECT_NE(verify.out.find("complete: 80,000 records, 16 threads, 16 sessions, 0 lost"), std::string::npos)
      << verify.out << verify.err;
}

// One that looks for sessions by itself only when it comes.
TEST_F(ExternalTest, ASessionThatBeginsCallsTheScribe) {
  auto user = staging::open_user_directory(staging_, true);
  ASSERT_TRUE(user.ok()) << user.status().message();
  ::close(*user);
  run_child([&] {
    live::ExternalScribeOptions options;
    options.paths = {log()};
    options.roots = {staging_};
    options.find_gap_ns = std::int64_t{1} << 60;
    options.attach.warn = [](const std::string&) {};
    live::ExternalScribe(std::move(options)).run([] { return false; });
    return 0;
  });
  EXPECT_TRUE(eventually([&] { return staging::is_attended(staging_); }));
  for (int i = 0; i < 3; ++i) {
    const pid_t child = run_child([&] {
      if (!steno::start(patient(log()))) return 1;
      log_numbers(i * 100, (i + 1) * 100);
      steno::stop();
      return 0;
    });
    EXPECT_EQ(wait_for(child), 0);
    EXPECT_TRUE(all_is_on_file());
  }
  EXPECT_EQ(numbers(), numbers_below(300));
}

TEST_F(ExternalTest, ManyShortProcessesLeaveNothingBehindInTheScribe) {
  const pid_t scribe = start_scribe();
  const auto descriptors = [&] {
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(scribe) + "/fd");
    return std::distance(begin(all), end(all));
  };
  std::ptrdiff_t before = 0;
  for (int i = 0; i < 60; ++i) {
    const pid_t child = run_child([&] {
      if (!steno::start(patient(log()))) return 1;
      log_numbers(i * 10, (i + 1) * 10);
      steno::stop();
      return 0;
    });
    EXPECT_EQ(wait_for(child), 0);
    if (i == 0) before = descriptors();
  }
  EXPECT_TRUE(all_is_on_file());
  // Other processes may make directories that it has a doorbell in.
  EXPECT_TRUE(eventually([&] { return descriptors() <= before + 10; })) << before << " and then " << descriptors();
  EXPECT_EQ(numbers(), numbers_below(600));
  EXPECT_EQ(what_scribes_said(), "");
}

TEST_F(ExternalTest, OneDoorbellForAllOfAUser) {
  EXPECT_EQ(staging::open_doorbell(staging_), nullptr) << "there is no directory of the user's";
  auto user = staging::open_user_directory(staging_, true);
  ASSERT_TRUE(user.ok()) << user.status().message();
  staging::Doorbell* const one = staging::open_doorbell(staging_);
  staging::Doorbell* const other = staging::open_doorbell(staging_);
  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(staging::calls(one), 0u);
  staging::call(one);
  EXPECT_EQ(staging::calls(other), 1u);
  EXPECT_EQ(staging::sessions(other), 0u);
  staging::Arrival arrival{};
  EXPECT_FALSE(staging::load_arrival(one, 1, &arrival));
  staging::call_for_session(other, 17, 0x123456789abcdef0);
  EXPECT_EQ(staging::calls(one), 2u);
  EXPECT_EQ(staging::sessions(one), 1u);
  ASSERT_TRUE(staging::load_arrival(one, 1, &arrival));
  EXPECT_EQ(staging::staging_name(arrival.pid, arrival.nonce), "17-123456789abcdef0");
  EXPECT_FALSE(staging::is_attended(staging_));
  int attends = -1;
  staging::attend_doorbell(staging_, &attends);
  EXPECT_TRUE(staging::is_attended(staging_));
  ::close(attends);
  EXPECT_FALSE(staging::is_attended(staging_));
  staging::close_doorbell(one);
  staging::close_doorbell(other);

  ASSERT_EQ(::renameat(*user, "doorbell", *user, "elsewhere"), 0);
  ASSERT_EQ(::symlinkat("elsewhere", *user, "doorbell"), 0);
  EXPECT_EQ(staging::open_doorbell(staging_), nullptr) << "a link leads out";
  ASSERT_EQ(::unlinkat(*user, "doorbell", 0), 0);
  ASSERT_EQ(::mkfifoat(*user, "doorbell", 0600), 0);
  EXPECT_EQ(staging::open_doorbell(staging_), nullptr) << "no file";
  ::close(*user);
}

TEST_F(ExternalTest, ZstdWhereItHalvesColumns) {
  const auto size_with = [&](const char* option) {
    const pid_t scribe = start_scribe({option, "--no-keep-up", log()});
    EXPECT_EQ(wait_for(run_child([&] {
                if (!steno::start(patient(log()))) return 1;
                std::mt19937 random(1);
                std::vector<std::string> texts(200, std::string(80, ' '));
                for (std::string& text : texts) {
                  for (char& c : text) c = static_cast<char>('a' + random() % 26);
                }
                for (int i = 0; i < 5000; ++i) {
                  const std::string& text = texts[random() % texts.size()];
                  STENO_INFO("{}", text.substr(0, i % 70) + std::to_string(random()) + text.substr(i % 70));
                }
                return 0;
              })),
              0);
    EXPECT_TRUE(all_is_on_file());
    end_scribe(scribe, SIGTERM);
    const off_t bytes = size();
    EXPECT_EQ(::unlink(log().c_str()), 0);
    return bytes;
  };
  const off_t without = size_with("--no-zstd");
  if (size_with("--zstd=3") == without) GTEST_SKIP() << "built without zstd";
  EXPECT_LT(2 * size_with("--zstd=0"), without);
}

TEST_F(ExternalTest, WritesAsItIsTold) {
  start_scribe({"--sync", "warn", "--zstd", "3", "--no-keep-up", log()});
  const pid_t child = start(1000);
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(1000));
  EXPECT_EQ(what_scribes_said(), "");
  for (const char* when : {"info", "off", "sometimes", "1s", "4000"}) {
    const Ran ran = run_steno({"scribe", "--sync", when, log()});
    EXPECT_EQ(ran.code, 2) << when;
    EXPECT_NE(ran.err.find("--sync: write"), std::string::npos) << when << ": " << ran.err;
  }
}

int forced_to_disk = 0;

int count_forced(int) {
  ++forced_to_disk;
  return 0;
}

// Recovers processes that ended before the scribe looked. If a server's processes are short, each costs it a write to
// the disk.
class RecoveringScribeTest : public test::ExternalTest {
 protected:
  void recover(bool never) {
    const pid_t child = run_child([&] {
      Options options = patient(log());
      options.stop_waits = false;
      if (!steno::start(options)) return 1;
      log_numbers(0, 100);
      return 0;
    });
    EXPECT_EQ(wait_for(child), 0);
    ASSERT_FALSE(staging_here().empty());
    live::ExternalScribeOptions options;
    options.paths = {log()};
    options.roots = {staging_};
    options.attach.warn = [](const std::string& what) { ADD_FAILURE() << what; };
    options.attach.sync.never = never;
    logfile::FileCalls calls = logfile::system_file_calls();
    calls.fdatasync = count_forced;
    logfile::set_file_calls(&calls);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    live::ExternalScribe(std::move(options)).run([&] {
      return staging_here().empty() || std::chrono::steady_clock::now() > give_up;
    });
    logfile::set_file_calls(nullptr);
    EXPECT_EQ(numbers(), numbers_below(100));
  }
};

TEST_F(RecoveringScribeTest, ForcesNothingToTheDiskThatIsToBeNever) {
  recover(true);
  EXPECT_EQ(forced_to_disk, 0);
}

TEST_F(RecoveringScribeTest, ForcesToTheDiskWhatIsToBe) {
  recover(false);
  EXPECT_EQ(forced_to_disk, 1);
}

TEST_F(ExternalTest, EndsByItselfWhenThereIsNobody) {
  const pid_t child = start(1000);
  const pid_t scribe = start_scribe({"--until-idle", "0.2", log()});
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  log_one_more();
  end_child(child);
  EXPECT_TRUE(eventually([&] { return end_of(scribe) == 0; }));
  EXPECT_TRUE(staging_here().empty());
  EXPECT_EQ(numbers(), numbers_below(1001));
  EXPECT_EQ(what_scribes_said(), "");
}

TEST_F(ExternalTest, AScribeThatComesLaterFindsEverything) {
  const pid_t child = start(500);
  EXPECT_NE(run_steno({"ps"}).out.find("running       none "), std::string::npos) << run_steno({"ps"}).out;
  EXPECT_EQ(size(), 0);
  start_scribe();
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  log_one_more();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(501));
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(ExternalTest, WhatEndedWithoutAScribeIsTheNextOnes) {
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    log_numbers(0, 100);
    return steno::flush().code() == StatusCode::kFailedPrecondition ? 0 : 2;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(size(), 0);
  start_scribe();
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(100));
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(ExternalTest, ASecondScribeWaitsAndTakesOver) {
  const pid_t first = start_scribe();
  const pid_t child = start(100);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  start_scribe();
  const std::string told = "process " + std::to_string(first) + " drains the session of process " +
                           std::to_string(child) + "; this scribe takes over when that one ends";
  EXPECT_TRUE(eventually([&] { return what_scribes_said().find(told) != std::string::npos; })) << what_scribes_said();
  end_scribe(first, SIGKILL);
  log_one_more();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(101));
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(ExternalTest, WhereNoScribeComesTheRestIsDroppedAndCounted) {
  const pid_t child = run_child([&] {
    std::string warnings;
    Options options;
    options.path = log();
    options.ring_bytes = 4096;
    options.block_at_most = std::chrono::milliseconds(20);
    options.on_warning = [&](const std::string& what) { warnings += what; };
    if (!steno::start(options)) return 1;
    log_numbers(0, 1000);
    steno::stop();
    // This start continues the same session, because nobody has written its end.
    if (!steno::start(options)) return 2;
    log_numbers(1000, 2000);
    steno::stop();
    return warnings.find("no scribe has drained the rings") != std::string::npos ? 0 : 3;
  });
  EXPECT_EQ(wait_for(child), 0);
  start_scribe();
  EXPECT_TRUE(all_is_on_file());
  const std::string lost = run_steno({"verify", log()}).out;
  const std::size_t at = lost.rfind(", ", lost.find(" lost"));
  ASSERT_NE(at, std::string::npos) << lost;
  std::string number = lost.substr(at + 2, lost.find(" lost") - at - 2);
  std::erase(number, ',');
  EXPECT_EQ(numbers().size() + std::stoul(number), 2000u) << lost;
}

TEST_F(ExternalTest, SessionsOfOneProcessFollowOneAnother) {
  start_scribe();
  const pid_t child = run_child([&] {
    for (int i = 0; i < 5; ++i) {
      if (!steno::start(patient(log()))) return 1;
      log_numbers(i * 1000, (i + 1) * 1000 - 500);
      if (!steno::flush().ok()) return 2;
      log_numbers((i + 1) * 1000 - 500, (i + 1) * 1000);
      steno::stop();
    }
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(5000));
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(ExternalTest, WhoNamesNoLogGetsOneByItsName) {
  const pid_t child = run_child([] {
    Options options;
    if (!steno::start(options)) return 1;
    log_numbers(0, 10);
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  start_scribe({"--out", directory_ + "/{program}.{pid}.steno"});
  EXPECT_TRUE(all_is_on_file());
  const std::string name = directory_ + "/" + ::program_invocation_short_name + "." + std::to_string(child) + ".steno";
  EXPECT_EQ(run_steno({"cat", "--count", name}).out, "10\n");
}

TEST_F(ExternalTest, WhoBringsItsScribeIsLeftAlone) {
  ::unsetenv("STENO_SCRIBE");
  const pid_t child = start(10);
  const std::vector<std::string> directories = staging_here();
  ASSERT_EQ(directories.size(), 1u);
  EXPECT_EQ(ForeignStaging::open(directories[0], ForeignStaging::Access::kDrain).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_NE(run_steno({"ps"}).out.find("running       inside "), std::string::npos) << run_steno({"ps"}).out;
  kill(child);
}

TEST_F(ExternalTest, OneDrainsAndTakesOverWhenTheProcessDies) {
  const pid_t child = start(10);
  const std::vector<std::string> directories = staging_here();
  ASSERT_EQ(directories.size(), 1u);
  auto view = ForeignStaging::open(directories[0], ForeignStaging::Access::kDrain);
  ASSERT_TRUE(view.ok()) << view.status().message();
  EXPECT_TRUE(view->is_drained());
  EXPECT_FALSE(view->take_over()) << "it lives";
  EXPECT_EQ(ForeignStaging::open(directories[0], ForeignStaging::Access::kDrain).status().code(),
            StatusCode::kFailedPrecondition);
  kill(child);
  EXPECT_EQ(ForeignStaging::open(directories[0], ForeignStaging::Access::kOwn).status().code(),
            StatusCode::kFailedPrecondition)
      << "it is drained by another";
  EXPECT_TRUE(view->take_over());
  EXPECT_EQ(view->state(), staging::State::kOrphan);
}

}  // namespace
}  // namespace steno
