// Staging that goes from one process to the next (ring.md §1.6).
#include "staging/vacancy.h"

#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "external_process.h"
#include "live/external_scribe.h"
#include "runtime/core.h"
#include "runtime/producer.h"
#include "staging/doorbell.h"
#include "staging/foreign_staging.h"
#include "staging/log_marks.h"

namespace steno {
namespace {

using test::log_numbers;
using test::patient;
using test::Ran;
using test::run_steno;

TEST(Vacancies, AnOfferIsTakenOnceByALogOfItsKey) {
  staging::Doorbell bell{};
  staging::Vacancy found{};
  std::uint32_t from = 0;
  EXPECT_FALSE(staging::claim_vacancy(&bell, 7, &from, &found));
  staging::fill_vacancy(staging::reserve_vacancy(&bell), 100, 1234, 7);
  staging::fill_vacancy(staging::reserve_vacancy(&bell), 101, 5678, 8);
  EXPECT_TRUE(staging::is_offered(&bell, 1234));
  from = 0;
  ASSERT_TRUE(staging::claim_vacancy(&bell, 8, &from, &found));
  EXPECT_EQ(found.pid, 101u);
  EXPECT_EQ(found.nonce, 5678u);
  from = 0;
  EXPECT_FALSE(staging::claim_vacancy(&bell, 8, &from, &found));
  staging::withdraw_vacancy(&bell, 1234);
  EXPECT_FALSE(staging::is_offered(&bell, 1234));
  from = 0;
  EXPECT_FALSE(staging::claim_vacancy(&bell, 7, &from, &found));
}

TEST(Vacancies, SlotsAreBoundedAndThoseOfTheDeadComeFree) {
  staging::Doorbell bell{};
  std::vector<staging::Vacancy*> slots;
  for (std::uint32_t i = 0; i < staging::kVacancies; ++i) slots.push_back(staging::reserve_vacancy(&bell));
  EXPECT_EQ(std::count(slots.begin(), slots.end(), nullptr), 0);
  EXPECT_EQ(staging::reserve_vacancy(&bell), nullptr);
  staging::give_back_vacancy(slots[3]);
  const std::uint64_t first = staging::free_stuck_vacancies(&bell, 0);
  EXPECT_EQ(first, ~(std::uint64_t{1} << 3));
  staging::fill_vacancy(slots[5], 100, 1234, 7);
  EXPECT_EQ(staging::free_stuck_vacancies(&bell, first), 0u);
  EXPECT_TRUE(staging::is_offered(&bell, 1234));
  staging::fill_vacancy(slots[6], 101, 5678, 7);  // too late
  EXPECT_FALSE(staging::is_offered(&bell, 5678));
}

class VacancyTest : public test::ExternalTest {
 protected:
  // A process that logs messages `begin` to `end` and ends in order.
  pid_t run_short(int begin, int end, const std::function<void(Options*)>& change = {}) {
    return run_child([this, begin, end, change] {
      Options options = patient(log());
      if (change) change(&options);
      if (!steno::start(options)) return 1;
      log_numbers(begin, end);
      return 0;
    });
  }
  void log_and_end(int begin, int end, const std::function<void(Options*)>& change = {}) {
    EXPECT_EQ(wait_for(run_short(begin, end, change)), 0);
  }
  // Waits until nobody has a lock on the staging that is left, so that the next process may take it over: a scribe
  // releases its lock a little after it has reported that the end is on file.
  void await_free() const {
    EXPECT_TRUE(eventually([&] {
      const std::vector<std::string> vacant = vacant_here();
      return std::all_of(vacant.begin(), vacant.end(), [](const std::string& directory) {
        const int consumer = ::open((directory + "/consumer").c_str(), O_RDWR | O_CLOEXEC);
        const bool is_free = ::flock(consumer, LOCK_EX | LOCK_NB) == 0;
        ::close(consumer);
        return is_free;
      });
    }));
  }
  // Starts a scribe, and makes the directory of this test's other processes, by messages 0 to 9.
  std::string make_vacant(pid_t* scribe = nullptr) {
    const pid_t started = start_scribe();
    if (scribe != nullptr) *scribe = started;
    log_and_end(0, 10);
    const std::vector<std::string> vacant = vacant_here();
    EXPECT_EQ(vacant.size(), 1u);
    await_free();
    return vacant.empty() ? std::string() : vacant[0];
  }
  static ino_t inode(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 ? st.st_ino : 0;
  }
  void expect_complete(const std::string& what) const {
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
    EXPECT_NE(verify.out.find("complete: " + what), std::string::npos) << verify.out;
  }
  // Looks after staging as a scribe does, in a process that is told to stop by SIGTERM. It is not a thread of this one,
  // which forks: AddressSanitizer's allocator may be locked at that moment, and is so for ever in the child.
  void scribe_beside(std::int64_t keep_vacant_ns, const std::function<void()>& meanwhile) {
    const pid_t scribe = run_child([&] {
      sigset_t stops;
      ::sigemptyset(&stops);
      ::sigaddset(&stops, SIGTERM);
      ::sigprocmask(SIG_BLOCK, &stops, nullptr);
      int warnings = 0;
      live::ExternalScribeOptions options;
      options.paths = {log()};
      options.roots = {staging_};
      options.keep_vacant_ns = keep_vacant_ns;
      options.attach.warn = [&](const std::string& what) {
        std::fprintf(stderr, "%s\n", what.c_str());
        ++warnings;
      };
      live::ExternalScribe(options).run([] {
        sigset_t pending;
        ::sigpending(&pending);
        return ::sigismember(&pending, SIGTERM) == 1;
      });
      return warnings != 0 ? 1 : 0;
    });
    meanwhile();
    ::kill(scribe, SIGTERM);
    EXPECT_EQ(wait_for(scribe), 0);
  }
};

TEST_F(VacancyTest, AHundredProcessesInTurnShareOneDirectory) {
  const pid_t scribe = start_scribe();
  log_and_end(0, 5);
  const std::vector<std::string> first = vacant_here();
  ASSERT_EQ(first.size(), 1u);
  const ino_t ring = inode(first[0] + "/ring-0");
  for (int i = 1; i < 100; ++i) {
    await_free();
    log_and_end(5 * i, 5 * i + 5);
  }
  EXPECT_EQ(vacant_here(), first);
  EXPECT_EQ(all_staging_here(), first);
  EXPECT_EQ(inode(first[0] + "/ring-0"), ring);
  EXPECT_EQ(run_steno({"check-ring", first[0]}).code, 0);
  EXPECT_EQ(numbers(), numbers_below(500));
  expect_complete("500 records, 100 threads, 100 sessions, 0 lost");
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(what_scribes_said(), "");
  EXPECT_EQ(all_staging_here(), std::vector<std::string>()) << "the scribe has ended";
  expect_complete("500 records, 100 threads, 100 sessions, 0 lost");
}

TEST_F(VacancyTest, ManyAtOnceLoseAndRepeatNothing) {
  start_scribe();
  constexpr int kAtOnce = 16;
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < kAtOnce; ++i) {
      const int begin = (round * kAtOnce + i) * 10;
      children.push_back(run_short(begin, begin + 10));
    }
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  }
  EXPECT_LE(all_staging_here().size(), std::size_t{2 * kAtOnce});
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(kAtOnce * kRounds * 10));
  expect_complete("1,280 records, 128 threads, 128 sessions, 0 lost");
}

// A process of another executable, and with another clock, has sites and times of its own.
TEST_F(VacancyTest, NothingOfTheOneBeforeIsTheNexts) {
  const std::string directory = make_vacant();
  const pid_t drops = run_child([&] {
    Options options = patient(log());
    options.ring_bytes = 4096;
    options.when_full = WhenFull::kDrop;
    if (!steno::start(options)) return 1;
    for (int n = 0; n < 20'000; ++n) STENO_INFO("dropped or not: {}", n);
    steno::logger("a.name.that.the.next.does.not.have");
    return 0;
  });
  EXPECT_EQ(wait_for(drops), 0);
  EXPECT_TRUE(eventually([&] { return vacant_here() == std::vector<std::string>{directory}; }));
  await_free();
  log_and_end(10, 20, [](Options* options) { options->clock = Clock::kWall; });
  EXPECT_EQ(vacant_here(), std::vector<std::string>{directory});
  EXPECT_EQ(numbers(), numbers_below(20));
  const std::string json = run_steno({"cat", "--format", "json", "--where", "n >= 10", log()}).out;
  EXPECT_EQ(json.find("dropped"), std::string::npos) << json;
  const Ran check = run_steno({"check-ring", directory});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
}

TEST_F(VacancyTest, ANextThatIsKilledIsRecovered) {
  const std::string directory = make_vacant();
  const pid_t child = start(100);
  EXPECT_EQ(staging_here(), std::vector<std::string>{directory});
  kill(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(without_times(run_steno({"cat", "--tail", "1", "--pattern", "{message}", log()}).out), death_of(child));
  EXPECT_EQ(run_steno({"cat", "--count", log()}).out, "111\n");
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(VacancyTest, ANextMayRecordBeforeItsSessionBegins) {
  const std::string directory = make_vacant();
  ::setenv("STENO_PATH", log().c_str(), 1);
  const pid_t child = run_child([&] {
    log_numbers(10, 20);  // begins by the environment
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  ::unsetenv("STENO_PATH");
  EXPECT_EQ(vacant_here(), std::vector<std::string>{directory});
  EXPECT_EQ(numbers(), numbers_below(20));
}

TEST_F(VacancyTest, AForkedChildOfASessionTakesOver) {
  const std::string directory = make_vacant();
  const pid_t parent = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    log_numbers(10, 11);
    for (int n = 11; n < 20; ++n) {
      const pid_t child = ::fork();
      if (child == 0) {
        log_numbers(n, n + 1);
        std::exit(0);
      }
      int status = 0;
      if (::waitpid(child, &status, 0) != child || status != 0) return 2;
      await_free();
    }
    return 0;
  });
  EXPECT_EQ(wait_for(parent), 0);
  EXPECT_EQ(all_staging_here().size(), 2u) << "the parent's, and one of all children";
  EXPECT_EQ(numbers(), numbers_below(20));
}

TEST_F(VacancyTest, OfAnotherLogItIsLeftAlone) {
  start_scribe({"--all"});
  log_and_end(0, 10);
  const std::vector<std::string> vacant = vacant_here();
  ASSERT_EQ(vacant.size(), 1u);
  const ino_t ring = inode(vacant[0] + "/ring-0");
  log_and_end(10, 20, [this](Options* options) { options->path = directory_ + "/other.steno"; });
  EXPECT_EQ(vacant_here().size(), 2u);
  EXPECT_EQ(inode(vacant[0] + "/ring-0"), ring);
  EXPECT_EQ(numbers(), numbers_below(10));
}

TEST_F(VacancyTest, ANextIsFoundByItsOwnNumber) {
  const std::string directory = make_vacant();
  const pid_t child = start(10);
  ASSERT_EQ(staging_here(), std::vector<std::string>{directory});
  const auto number = static_cast<std::uint32_t>(child);
  EXPECT_EQ(staging::find_staging_of_process(number, {staging_}), std::vector<std::string>{directory});
  const std::string name = directory.substr(directory.rfind('/') + 1);
  const auto first = static_cast<std::uint32_t>(std::stoul(name));
  const std::vector<std::string> of_first = staging::find_staging_of_process(first, {staging_});
  EXPECT_EQ(std::find(of_first.begin(), of_first.end(), directory), of_first.end()) << "it only gave it its name";
  end_child(child);
}

// Its scribe holds the lock while it forces the log to the disk.
TEST_F(VacancyTest, WhatIsLockedStaysForALaterOne) {
  const std::string directory = make_vacant();
  const int consumer = ::open((directory + "/consumer").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(consumer, LOCK_EX), 0);
  log_and_end(10, 20);
  ::close(consumer);
  EXPECT_EQ(all_staging_here().size(), 2u);
  await_free();
  log_and_end(20, 30);
  await_free();
  log_and_end(30, 40);
  EXPECT_EQ(all_staging_here().size(), 2u);
  EXPECT_EQ(numbers(), numbers_below(40));
}

TEST_F(VacancyTest, WhatIsNotVacantIsNotTaken) {
  const std::string directory = make_vacant();
  std::fstream file(directory + "/session", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offsetof(ring::SessionFile, vacant));
  file.write("\0\0\0\0", 4);
  file.close();
  const pid_t child = start(10);
  const auto number = static_cast<std::uint32_t>(child);
  const std::vector<std::string> its = staging::find_staging_of_process(number, {staging_});
  ASSERT_EQ(its.size(), 1u);
  EXPECT_NE(its[0], directory);
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(run_steno({"cat", "--count", log()}).out, "20\n");
}

TEST_F(VacancyTest, AScribeThatIsKilledLeavesItToItsNext) {
  pid_t scribe = 0;
  const std::string directory = make_vacant(&scribe);
  EXPECT_TRUE(WIFSIGNALED(end_scribe(scribe, SIGKILL)));
  EXPECT_EQ(vacant_here(), std::vector<std::string>{directory});
  const pid_t child = start(10);
  EXPECT_EQ(staging_here(), std::vector<std::string>{directory}) << "who begins needs no scribe for that";
  const pid_t second = start_scribe();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(run_steno({"cat", "--count", log()}).out, "20\n");
  EXPECT_EQ(end_scribe(second, SIGTERM), 0);
  EXPECT_EQ(all_staging_here(), std::vector<std::string>());
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

TEST_F(VacancyTest, WhoFollowsTheLogSeesAllOfThem) {
  const std::string directory = make_vacant();
  const std::string seen = directory_ + "/seen";
  const pid_t tail = ::fork();
  if (tail == 0) {
    const int out = ::open(seen.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(out, 1);
    ::execl(STENO_BINARY, STENO_BINARY, "tail", "-f", "-n", "1000", "--pattern", "{message}", log().c_str(), nullptr);
    ::_exit(127);
  }
  children_.push_back(tail);
  const auto lines_seen = [&] {
    std::ifstream file(seen);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return lines(text);
  };
  EXPECT_TRUE(eventually([&] { return lines_seen() == 10; }));
  log_and_end(10, 20);
  EXPECT_TRUE(eventually([&] { return lines_seen() == 20; }));
  const pid_t child = start(10);
  kill(child);
  EXPECT_TRUE(eventually([&] { return lines_seen() == 31; })) << "its death, too";
  log_and_end(20, 30);
  EXPECT_TRUE(eventually([&] { return lines_seen() == 41; }));
  const pid_t another = start(10);
  kill(another);
  EXPECT_TRUE(eventually([&] { return lines_seen() == 52; }));
  EXPECT_TRUE(all_is_on_file());
  kill(tail);
}

TEST_F(VacancyTest, WhatNobodyTakesIsRemoved) {
  scribe_beside(1'000'000, [&] {
    log_and_end(0, 10);
    EXPECT_TRUE(eventually([&] { return all_staging_here().empty(); }));
  });
  EXPECT_EQ(numbers(), numbers_below(10));
}

TEST_F(VacancyTest, WhereNobodyLooksAfterItNothingIsLeft) {
  scribe_beside(0, [&] {
    log_and_end(0, 10);
    EXPECT_EQ(all_staging_here(), std::vector<std::string>());
  });
  EXPECT_EQ(numbers(), numbers_below(10));
}

TEST_F(VacancyTest, RecoveryMayRemoveIt) {
  pid_t scribe = 0;
  make_vacant(&scribe);
  EXPECT_TRUE(WIFSIGNALED(end_scribe(scribe, SIGKILL)));
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  EXPECT_EQ(all_staging_here(), std::vector<std::string>());
  start_scribe();
  log_and_end(10, 20);  // the offer leads nowhere
  EXPECT_EQ(numbers(), numbers_below(20));
}

// It may have got its ring after the process looked whether others have one.
TEST_F(VacancyTest, WhereAnotherThreadHasARingNothingIsLeftToTheNext) {
  start_scribe();
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    log_numbers(0, 10);
    steno::stop();
    std::atomic<bool> has_ring{false};
    std::thread([&] {
      if (!runtime::prepare_thread(0)) return;
      has_ring = true;
      for (;;) ::pause();
    }).detach();
    while (!has_ring) std::this_thread::yield();
    runtime::Core& core = *runtime::core_at(0);
    core.leave_staging(detail::tls_writers[0], [](runtime::Core&) { return std::uint64_t{0}; });
    ::_exit(core.staging().path().empty() || core.session().vacant != 0 ? 2 : 0);
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(vacant_here(), std::vector<std::string>());
  EXPECT_EQ(numbers(), numbers_below(10));
}

TEST_F(VacancyTest, WhereSomethingIsInARingNothingIsLeftToTheNext) {
  start_scribe();
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    log_numbers(0, 10);
    steno::stop();
    runtime::Core& core = *runtime::core_at(0);
    core.leave_staging(detail::tls_writers[0], [](runtime::Core&) { return std::uint64_t{1}; });
    ::_exit(core.session().vacant != 0 ? 2 : 0);
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(vacant_here(), std::vector<std::string>());
}

TEST_F(VacancyTest, AScribeThatEndsSaysThatNothingIsToBeLeft) {
  const pid_t scribe = start_scribe();
  const pid_t child = start(10);
  const auto keeps_vacant = [&] {
    const std::vector<std::string> found = staging_here();
    if (found.size() != 1) return false;
    const auto view = staging::ForeignStaging::open(found[0], staging::ForeignStaging::Access::kRead,
                                                    staging::ForeignStaging::Extent::kSession);
    return view.ok() && view->session().keeps_vacant != 0;
  };
  EXPECT_TRUE(eventually(keeps_vacant));
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(staging_here().size(), 1u);
  EXPECT_FALSE(keeps_vacant());
  start_scribe();
  EXPECT_TRUE(eventually(keeps_vacant));
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
}

// The scribe that drained the session before may be gone when the next one begins.
TEST_F(VacancyTest, ANextSessionOfTheProcessBeginsWithNobodyWhoLooksAfterIt) {
  const pid_t scribe = start_scribe();
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    log_numbers(0, 10);
    steno::stop();
    const ring::SessionFile& session = runtime::core_at(0)->session();
    if (session.keeps_vacant != 1) return 2;
    ::kill(scribe, SIGKILL);
    const auto is_dead = [&] {
      std::ifstream file("/proc/" + std::to_string(scribe) + "/stat");
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      return text.find(") Z ") != std::string::npos;
    };
    if (!eventually(is_dead)) return 3;
    if (!steno::start(patient(log()))) return 4;
    ::_exit(session.keeps_vacant != 0 ? 5 : 0);
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(WIFSIGNALED(end_scribe(scribe, SIGKILL)));
  EXPECT_EQ(run_steno({"recover", log()}).code, 0);
  EXPECT_EQ(numbers(), numbers_below(10));
}

}  // namespace
}  // namespace steno
