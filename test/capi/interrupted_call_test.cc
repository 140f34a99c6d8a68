// A signal handler that logs while its thread is in a log call: its record is refused, counted, and reported with that
// reason, whatever the policy of full rings, of which there are none. The signal comes out of the user's clock, which a
// call reads while its record is open.
#include <steno/c.h>
#include <steno/log.h>

#include <csignal>
#include <tuple>

#include "../session/log_test.h"
#include "interrupted_call.h"

namespace steno_test {
namespace {

constexpr const char* kReason = " records discarded: a signal handler logged while its thread was in a log call";

volatile std::sig_atomic_t signals_left = 0;  // to be raised, one for each reading of the clock
volatile std::sig_atomic_t logged_in_handlers = 0;

std::uint64_t read_clock_with_signals() {
  static std::uint64_t now = 1'800'000'000'000'000'000;
  if (signals_left > 0) {
    signals_left = signals_left - 1;
    std::raise(SIGUSR1);
  }
  return ++now;
}

void log_in_handler(int /*signal*/) {
  if (STENO_TRY_ERROR("in a handler")) logged_in_handlers = logged_in_handlers + 1;
}

void log_in_handler_in_c(int /*signal*/) {
  if (c_log_in_call(1, "in a handler") != 0) logged_in_handlers = logged_in_handlers + 1;
}

using Handler = void (*)(int);

class InterruptedCall : public LogTest, public ::testing::WithParamInterface<std::tuple<steno::WhenFull, bool>> {
 protected:
  InterruptedCall() {
    logged_in_handlers = 0;
    signals_left = 0;
    struct sigaction action {};
    action.sa_handler = in_c() ? log_in_handler_in_c : log_in_handler;
    sigaction(SIGUSR1, &action, &before_);
  }
  ~InterruptedCall() override {
    signals_left = 0;
    sigaction(SIGUSR1, &before_, nullptr);
  }

  static bool in_c() { return std::get<1>(GetParam()); }

  void start_with_signals(steno::Options options = {}) {
    options.clock = steno::Clock::kUser;
    options.user_clock = read_clock_with_signals;
    options.when_full = std::get<0>(GetParam());
    start(options);
    log(0);  // the thread has a ring
  }

  static void log(int n) {
    if (in_c()) {
      EXPECT_NE(c_log_in_call(n, "thread"), 0);
    } else {
      EXPECT_TRUE(STENO_TRY_INFO("{} thread", n));
    }
  }

  static void log_with_signals(int from, int to) {
    for (int n = from; n < to; ++n) {
      signals_left = 1;
      log(n);
      EXPECT_EQ(signals_left, 0);
    }
  }

  static std::uint64_t told(const Log& log) {
    std::uint64_t records = 0;
    for (const Row& row : log.rows) {
      EXPECT_EQ(row.message.find("dropped"), std::string::npos) << row.message;
      if (row.message.find(" records d") == std::string::npos) continue;
      EXPECT_NE(row.message.find(kReason), std::string::npos) << row.message;
      EXPECT_EQ(row.level, steno::Level::kWarn);
      records += std::stoull(row.message);
    }
    return records;
  }

  // Returns the messages of the thread itself.
  static std::vector<std::string> of_thread(const Log& log) {
    std::vector<std::string> all;
    for (const Row& row : log.rows) {
      if (row.message.find(" records d") == std::string::npos) all.push_back(row.message);
    }
    return all;
  }

  static void expect_thread(const Log& log, int count) {
    const std::vector<std::string> all = of_thread(log);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
    for (int n = 0; n < count; ++n)
      EXPECT_EQ(std::stoi(all[static_cast<std::size_t>(n)]), n) << all[static_cast<std::size_t>(n)];
  }

 private:
  struct sigaction before_ {};
};

TEST_P(InterruptedCall, IsToldApartFromAFullRing) {
  in_process_of_its_own([this] {
    start_with_signals();
    log_with_signals(1, 8);
    EXPECT_EQ(steno::stats().dropped, 0u);
    EXPECT_EQ(steno::stats().discarded, 7u);
    steno_stats in_c;
    steno_get_stats(&in_c, sizeof in_c);
    EXPECT_EQ(in_c.discarded, 7u);
    EXPECT_EQ(logged_in_handlers, 0);
    const Log log = finish();
    expect_thread(log, 8);
    EXPECT_EQ(told(log), 7u);
    ASSERT_EQ(log.losses.size(), 1u);
    EXPECT_NE(log.losses[0].find("7 records of session 1"), std::string::npos) << log.losses[0];
    EXPECT_NE(log.losses[0].find("discarded: a signal handler logged while its thread was in a log call"),
              std::string::npos)
        << log.losses[0];
  });
}

// Interrupted calls, and calls that a full ring refuses, are counted apart.
TEST_P(InterruptedCall, BesideFullRings) {
  if (std::get<0>(GetParam()) != steno::WhenFull::kDrop) GTEST_SKIP() << "full rings refuse nothing then";
  in_process_of_its_own([this] {
    start_with_signals({.ring_bytes = 4096, .scribe_thread = false});
    log_with_signals(1, 4);
    std::uint64_t refused = 0;
    for (int i = 0; i < 1'000'000 && refused < 5; ++i) refused += STENO_TRY_INFO("fills the ring") ? 0 : 1;
    EXPECT_EQ(refused, 5u);
    std::uint64_t dropped = 0;
    std::uint64_t discarded = 0;
    for (const Row& row : finish().rows) {
      if (row.message.find(" records dropped here: the ring was full") != std::string::npos)
        dropped += std::stoull(row.message);
      if (row.message.find(kReason) != std::string::npos) discarded += std::stoull(row.message);
    }
    EXPECT_EQ(dropped, 5u);
    EXPECT_EQ(discarded, 3u);
  });
}

// The count and its reason are in staging, from where readers and recovery take them.
TEST_P(InterruptedCall, IsToldOfAProcessThatDied) {
  const auto died = [this] {
    in_child_that_leaves([this] {
      start_with_signals({.scribe_thread = false});
      log_with_signals(1, 6);
    });
  };
  died();
  for (const char* const when : {"read from staging", "recovered"}) {
    SCOPED_TRACE(when);
    Log log = read_log(path());
    std::erase_if(log.rows, [](const Row& row) { return row.message.find("process ") == 0; });
    expect_thread(log, 6);
    EXPECT_EQ(told(log), 5u);
    start();  // recovers it, the first time
    steno::stop();
  }
}

// A signal between two calls, or while the arguments are made, interrupts no record.
TEST_P(InterruptedCall, NotWhileArgumentsAreMade) {
  in_process_of_its_own([this] {
    start_with_signals();
    const auto raising = [](int n) {
      std::raise(SIGUSR1);
      return n;
    };
    for (int n = 1; n < 4; ++n) STENO_INFO("{} thread", raising(n));
    EXPECT_EQ(logged_in_handlers, 3);
    const Log log = finish();
    EXPECT_EQ(told(log), 0u);
    EXPECT_EQ(log.losses, std::vector<std::string>());
    EXPECT_EQ(of_thread(log).size(), 7u);
  });
}

std::string name_of(const ::testing::TestParamInfo<InterruptedCall::ParamType>& info) {
  return std::string(std::get<0>(info.param) == steno::WhenFull::kDrop ? "Drop" : "Block") +
         (std::get<1>(info.param) ? "InC" : "InCpp");
}

INSTANTIATE_TEST_SUITE_P(All, InterruptedCall,
                         ::testing::Combine(::testing::Values(steno::WhenFull::kBlock, steno::WhenFull::kDrop),
                                            ::testing::Bool()),
                         name_of);

}  // namespace
}  // namespace steno_test
