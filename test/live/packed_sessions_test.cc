// Processes that log little and end: their sessions are packed in the file (file.md §15), and nothing is lost.
#include <steno/log.h>
#include <steno/session.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>

#include "external_process.h"
#include "live/attached_session.h"

namespace steno {
namespace {

using test::patient;
using test::Ran;
using test::run_steno;

class PackedSessionsTest : public test::ExternalTest {
 protected:
  // One process after another, each with a record; numbers from `begin` on.
  void log_in_turn(int begin, int end) {
    for (int n = begin; n < end; ++n) {
      const pid_t child = run_child([&] {
        Options options = patient(log());
        options.stop_waits = false;
        if (!steno::start(options)) return 1;
        STENO_INFO("message {n} of a process that has logged {text}, and whose statement is long enough to count", n,
                   "nothing else");
        steno::stop();
        return 0;
      });
      EXPECT_EQ(wait_for(child), 0);
    }
  }
  void expect_complete(int sessions) const {
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
    const std::string wanted = "complete: " + std::to_string(sessions) + " records, " + std::to_string(sessions) +
                               " threads, " + std::to_string(sessions) + " sessions, 0 lost";
    EXPECT_NE(verify.out.find(wanted), std::string::npos) << verify.out;
  }
};

TEST_F(PackedSessionsTest, TakeAFewBytesEach) {
  start_scribe();
  log_in_turn(0, 4);
  EXPECT_TRUE(all_is_on_file());
  const off_t before = size();
  log_in_turn(4, 54);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_LT((size() - before) / 50, 180) << "of a session of " << before / 4 << " bytes";
  EXPECT_EQ(numbers(), numbers_below(54));
  EXPECT_EQ(count_without_staging(), "54\n");
  expect_complete(54);
}

TEST_F(PackedSessionsTest, AreFollowed) {
  start_scribe();
  log_in_turn(0, 10);
  EXPECT_TRUE(all_is_on_file());
  const std::string seen = directory_ + "/seen";
  const pid_t tail = run_child([&] {
    const int out = ::open(seen.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, 1);
    ::execl(STENO_BINARY, STENO_BINARY, "tail", "-f", "-n", "2", "--pattern", "{message}", log().c_str(), nullptr);
    return 1;
  });
  const auto lines = [&] {
    std::ifstream file(seen);
    std::vector<int> found;
    for (std::string line; std::getline(file, line);) {
      int number = -1;
      if (std::sscanf(line.c_str(), "message %d", &number) == 1) found.push_back(number);
    }
    return found;
  };
  EXPECT_TRUE(eventually([&] { return lines().size() == 2; }));
  log_in_turn(10, 30);
  std::vector<int> wanted;
  for (int n = 8; n < 30; ++n) wanted.push_back(n);
  EXPECT_TRUE(eventually([&] { return lines().size() >= wanted.size(); }));
  std::vector<int> found = lines();
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, wanted);
  kill(tail);
}

TEST_F(PackedSessionsTest, AScribeThatIsKilledLosesAndRepeatsNothing) {
  for (int round = 0; round < 6; ++round) {
    const pid_t scribe = start_scribe();
    log_in_turn(10 * round, 10 * round + 10);
    end_scribe(scribe, SIGKILL);
  }
  start_scribe();
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers(), numbers_below(60));
  expect_complete(60);
}

// logrotate's copytruncate does this: models in the part that is gone are used no more.
TEST_F(PackedSessionsTest, AFileThatIsCutShortIsCompleteInItself) {
  start_scribe();
  log_in_turn(0, 10);
  EXPECT_TRUE(all_is_on_file());
  std::filesystem::resize_file(log(), 0);
  log_in_turn(10, 30);
  EXPECT_TRUE(all_is_on_file());
  std::set<int> later = numbers_below(30);
  for (int n = 0; n < 10; ++n) later.erase(n);
  EXPECT_EQ(numbers(), later);
  expect_complete(20);
}

TEST_F(PackedSessionsTest, SessionsThatGoOnAreWrittenAsEver) {
  start_scribe();
  log_in_turn(0, 5);
  const pid_t child = start(1000);
  EXPECT_TRUE(eventually([&] { return count_without_staging() == "1005\n"; })) << count_without_staging();
  log_in_turn(5, 10);
  log_one_more();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(count_without_staging(), "1011\n");
  EXPECT_EQ(run_steno({"verify", log()}).code, 0);
}

// Runs several sessions at a time. Each of them is attached before the one before it is written.
class OverlappingSessions : public PackedSessionsTest, public ::testing::WithParamInterface<std::size_t> {
 protected:
  struct Running {
    pid_t child = 0;
    int orders = -1;   // a byte each: to stop, to exit
    int answers = -1;  // a byte each: it has logged, it has stopped
    std::unique_ptr<live::AttachedSession> session;
  };
  static constexpr std::int64_t kNever = std::int64_t{1} << 60;

  OverlappingSessions() {
    options_.flush_interval_ns = kNever;
    options_.packer = &packer_;
    options_.warn = [](const std::string& text) { ADD_FAILURE() << text; };
  }
  static bool take(int fd) {
    char byte = 0;
    return ::read(fd, &byte, 1) == 1;
  }
  static bool give(int fd) { return ::write(fd, "x", 1) == 1; }

  Running begin(int n) {
    int orders[2];
    int answers[2];
    EXPECT_TRUE(::pipe(orders) == 0 && ::pipe(answers) == 0);
    Running running;
    running.child = run_child([&] {
      Options options = patient(log());
      options.stop_waits = false;
      if (!steno::start(options)) return 1;
      STENO_INFO("message {n} of a process that has logged {text}, and whose statement is long enough to count", n,
                 "nothing else");
      if (!give(answers[1]) || !take(orders[0])) return 2;
      steno::stop();
      return give(answers[1]) && take(orders[0]) ? 0 : 3;
    });
    ::close(orders[0]);
    ::close(answers[1]);
    running.orders = orders[1];
    running.answers = answers[0];
    EXPECT_TRUE(take(running.answers));
    for (const std::string& directory : staging_here()) {
      if (attached_.contains(directory)) continue;
      attached_.insert(directory);
      auto session = live::AttachedSession::attach(directory, options_);
      EXPECT_TRUE(session.ok()) << session.status().message();
      if (session.ok()) running.session = std::move(session).value();
    }
    return running;
  }
  void end(Running running) {
    ASSERT_NE(running.session, nullptr);
    EXPECT_TRUE(give(running.orders) && take(running.answers));
    EXPECT_EQ(running.session->pass(false), live::AttachedSession::Outcome::kEnded);
    running.session.reset();
    EXPECT_TRUE(give(running.orders));
    EXPECT_EQ(wait_for(running.child), 0);
    ::close(running.orders);
    ::close(running.answers);
  }

  logfile::SessionPacker packer_;
  live::AttachOptions options_;
  std::set<std::string> attached_;
};

TEST_P(OverlappingSessions, TakeAFewBytesEach) {
  constexpr int kAll = 120;
  std::deque<Running> running;
  for (int n = 0; n < kAll; ++n) {
    running.push_back(begin(n));
    if (running.size() < GetParam()) continue;
    end(std::move(running.front()));
    running.pop_front();
  }
  for (Running& one : running) end(std::move(one));
  RecordProperty("bytes_a_session", std::to_string(size() / kAll));
  EXPECT_LT(size() / kAll, 220);  // two that are written as ever, and a model, included
  EXPECT_EQ(numbers(), numbers_below(kAll));
  expect_complete(kAll);
}

INSTANTIATE_TEST_SUITE_P(, OverlappingSessions, ::testing::Values(1, 2, 8, 30));

}  // namespace
}  // namespace steno
