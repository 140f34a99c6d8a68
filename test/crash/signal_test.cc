// Handlers that log while they interrupt a log call of the same thread. What the thread says is all there and
// intact; what a handler says is, too, or is told as dropped or discarded.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <set>

#include "../sanitizers.h"
#include "arena.h"
#include "programs/signal_counts.h"

namespace steno::crash {
namespace {

// A log of programs/signals.cc, taken apart.
struct SignalLog {
  Ledger ledger;                                           // of the threads' own messages
  std::map<std::string, std::set<std::uint64_t>> handled;  // numbers of handlers' messages, by thread
  std::uint64_t present = 0;                               // such messages
  std::uint64_t lost = 0;                                  // told dropped or discarded
  std::vector<std::string> wrong;

  void add(const Line& line, std::string_view source) {
    std::uint64_t number = 0;
    const std::string_view text = line.message;
    const auto digits = std::from_chars(text.data(), text.data() + text.size(), number);
    if (line.logger == "signals") {
      const std::string expected = std::to_string(number) + " handled: " + std::string(signal_text(source, number));
      if (!is_or_cut(expected, text)) wrong.emplace_back(text.substr(0, 60));
      if (!handled[std::string(line.thread)].insert(number).second) wrong.push_back(expected.substr(0, 60) + " again");
      ++present;
    } else if (digits.ec == std::errc() && (text.find(" records dropped here:") != std::string_view::npos ||
                                            text.find(" records discarded:") != std::string_view::npos)) {
      lost += number;
    } else {
      ledger.add(line);
    }
  }
};

class SignalTest : public ::testing::Test {
 protected:
  std::string counts_path() const { return arena_.directory() + "/counts"; }

  SignalCounts read_counts() const {
    SignalCounts counts{};
    const int fd = open(counts_path().c_str(), O_RDONLY);
    if (fd >= 0) {
      EXPECT_GE(pread(fd, &counts, sizeof counts, 0), 0);
      close(fd);
    }
    return counts;
  }

  // Runs a mode, to its end or until it is killed `kill_us` after the storm has begun, and holds the log against the
  // counts.
  void run(const std::string& mode, std::int64_t kill_us = 0) {
    Process program = arena_.start({STENO_SIGNALS, mode, arena_.log(), counts_path()}, "signals");
    if (kill_us != 0) {
      for (int i = 0; i < 10'000 && read_counts().threads[3].handled < 10; ++i) sleep_us(1000);
      sleep_us(kill_us);
      program.kill();
    }
    const End end = program.wait(60);
    EXPECT_EQ(end.ok(), kill_us == 0) << end.text();
    EXPECT_EQ(read_text(arena_.said_path("signals")), "");
    EXPECT_TRUE(arena_.start_steno({"recover", arena_.log()}, "recover").wait().ok());
    check(kill_us == 0);
    EXPECT_EQ(arena_.leftovers(), "");
  }

  void check(bool orderly) {
    SignalLog log;
    const std::string source = signal_source();
    EXPECT_EQ(arena_.read_lines([&](const Line& line) { log.add(line, source); }).value_or(""), "");
    EXPECT_TRUE(log.wrong.empty()) << log.wrong.size() << " are wrong: " << log.wrong.front();
    const SignalCounts counts = read_counts();
    std::uint64_t begun = 0;
    std::uint64_t returned = 0;
    for (unsigned run = 0; run < kSignalThreads / kMaxThreads; ++run) {
      Counts of_run;
      for (unsigned t = 0; t < kMaxThreads; ++t) {
        const SignalCounts::PerThread& thread = counts.threads[run * kMaxThreads + t];
        of_run.threads[t].done = thread.done;
        begun += thread.begun;
        returned += thread.handled;
        const auto& numbers = log.handled[thread_name(run, t)];
        EXPECT_TRUE(numbers.empty() || *numbers.rbegin() < thread.begun);
      }
      log.ledger.check(run, of_run, orderly);
    }
    EXPECT_EQ(log.ledger.problems(), "");
    EXPECT_GE(log.present + log.lost, returned);
    EXPECT_LE(log.present + log.lost, begun);
    EXPECT_GT(log.present, 0u);
    printf("%llu messages of handlers, %llu there, %llu told lost\n", static_cast<unsigned long long>(returned),
           static_cast<unsigned long long>(log.present), static_cast<unsigned long long>(log.lost));
  }

  Arena arena_;
};

TEST_F(SignalTest, Storm) {
  run("storm");
}

TEST_F(SignalTest, StormOnSmallRings) {
  if (test::kAddressSanitizer) {
    GTEST_SKIP()
        << "AddressSanitizer's allocator is one for all threads: a handler that interrupted it and waits for room "
           "keeps the scribe out of it";
  }
  run("small");
}

TEST_F(SignalTest, FirstCallsInTheStorm) {
  run("first");
}

TEST_F(SignalTest, KilledInTheStorm) {
  for (int i = 0; i < 10; ++i) {
    run("kill", 1 + 3'000 * i);
    arena_.remove_logs();
    std::filesystem::remove(counts_path());
  }
}

}  // namespace
}  // namespace steno::crash
