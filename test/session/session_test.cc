// Sessions: levels, loggers, threads, clocks, signal handlers.
#include <signal.h>
#include <sys/time.h>

#include <atomic>
#include <map>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "log_test.h"
#include "runtime/core.h"

namespace steno_test {
namespace {

using SessionTest = LogTest;

TEST_F(SessionTest, LevelsOfStatementsAndLoggers) {
  start();
  steno::Logger wire = steno::logger("wire", steno::Level::kWarn);
  STENO_LOG_TO(wire, INFO, "too low");
  STENO_LOG_TO(wire, WARN, "wire {}", 1);
  wire.set_level(steno::Level::kTrace);
  STENO_LOGF_TO(wire, DEBUG, "wire %d", 2);
  steno::set_level(steno::Level::kError);
  STENO_WARN("disabled");
  STENO_LOG_TO(wire, INFO, "wire {}", 3);
  STENO_LOG_TO(steno::Logger(), INFO, "disabled too");
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(log.rows[static_cast<std::size_t>(i)].message, "wire " + std::to_string(i + 1));
    EXPECT_EQ(log.rows[static_cast<std::size_t>(i)].logger, "wire");
  }
}

TEST_F(SessionTest, SessionsSideBySide) {
  start();
  auto a = steno::Session::open({.path = path("a.steno")});
  auto b = steno::Session::open({.path = path("b.steno"), .level = steno::Level::kError});
  ASSERT_TRUE(a.ok() && b.ok());
  steno::Logger la = a->logger("one");
  steno::Logger lb = b->logger("two");
  STENO_INFO("default");
  for (int i = 0; i < 100; ++i) {
    STENO_LOG_TO(la, INFO, "a {}", i);
    STENO_LOG_TO(lb, INFO, "b {}", i);
    STENO_LOG_TO(lb, ERROR, "b! {}", i);
  }
  EXPECT_TRUE(a->stop().ok());
  STENO_LOG_TO(la, CRITICAL, "after its session");
  EXPECT_TRUE(b->flush().ok());
  EXPECT_EQ(b->stats().records, 100u);
  EXPECT_TRUE(b->stop().ok());
  EXPECT_EQ(read_log(path("a.steno")).rows.size(), 100u);
  const Log log_b = read_log(path("b.steno"));
  ASSERT_EQ(log_b.rows.size(), 100u);
  EXPECT_EQ(log_b.rows[99].message, "b! 99");
  EXPECT_EQ(finish().rows.size(), 1u);
}

TEST_F(SessionTest, RecordsBeforeStartAndBetweenSessionsAreTakenAlong) {
  STENO_INFO("before {}", 1);
  start();
  STENO_INFO("during");
  steno::stop();
  STENO_INFO("between");
  start();
  STENO_INFO("again");
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 4u);
  EXPECT_EQ(log.sessions, 2u);
  EXPECT_EQ(log.rows[0].message, "before 1");
  EXPECT_EQ(log.rows[2].message, "between");
  EXPECT_TRUE(log.losses.empty());
}

TEST_F(SessionTest, FlushPutsEverythingOfEveryThreadOnFile) {
  start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 1000; ++i) STENO_INFO("{} {}", t, i);
    });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE(steno::flush().ok());
  EXPECT_EQ(read_log(path()).rows.size(), 4000u);
  EXPECT_EQ(steno::stats().records, 4000u);
}

TEST_F(SessionTest, LoggersOfAnEndedSessionStayClosed) {
  auto first = steno::Session::open({.path = path("first.steno")});
  ASSERT_TRUE(first.ok());
  steno::Logger old = first->logger("net");
  ASSERT_TRUE(first->stop().ok());
  auto second = steno::Session::open({.path = path("second.steno")});
  ASSERT_TRUE(second.ok());
  const steno::Logger fresh = second->logger("net");
  old.set_level(steno::Level::kTrace);
  STENO_LOG_TO(old, CRITICAL, "not here");
  STENO_LOG_TO(first->logger("late"), CRITICAL, "nor this");
  STENO_LOG_TO(fresh, INFO, "here");
  ASSERT_TRUE(second->stop().ok());
  const Log log = read_log(path("second.steno"));
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].message, "here");
}

TEST_F(SessionTest, ManyShortThreadsShareFewRings) {
  in_process_of_its_own([this] {
    start({.ring_bytes = 16384});
    constexpr int kThreads = 3000;
    const std::uint32_t rings_before = steno::runtime::core_at(0)->rings().count();
    for (int t = 0; t < kThreads; ++t) {
      std::thread([t] { STENO_INFO("thread {}", t); }).join();
    }
    EXPECT_LE(steno::runtime::core_at(0)->rings().count(), rings_before + 2);
    const Log log = finish();
    ASSERT_EQ(log.rows.size(), static_cast<std::size_t>(kThreads));
    EXPECT_NE(log.rows[0].tid, log.rows[1].tid);
    EXPECT_TRUE(log.losses.empty());
  });
}

// A thread's state of a session beside the default one is reused by the next thread, for any such session.
TEST_F(SessionTest, ThreadsOfSeveralSessionsComeAndGo) {
  constexpr int kSessions = 3;
  constexpr int kGenerations = 20;
  std::vector<steno::Session> sessions;
  for (int i = 0; i < kSessions; ++i) {
    auto session = steno::Session::open({.path = path(std::to_string(i) + ".steno")});
    ASSERT_TRUE(session.ok()) << session.status().message();
    sessions.push_back(std::move(session).value());
  }
  start();
  for (int generation = 0; generation < kGenerations; ++generation) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int record = 0; record < 50; ++record) {
          steno::Session& session = sessions[static_cast<std::size_t>((generation + record * t) % kSessions)];
          const steno::Logger logger = session.logger("worker");
          STENO_LOG_TO(logger, INFO, "{}", t);
          STENO_INFO("{}", t);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  sessions.clear();
  std::size_t records = 0;
  for (int i = 0; i < kSessions; ++i) {
    const Log log = read_log(path(std::to_string(i) + ".steno"));
    EXPECT_TRUE(log.losses.empty());
    records += log.rows.size();
  }
  EXPECT_EQ(records, 4u * 50 * kGenerations);
  EXPECT_EQ(finish().rows.size(), records);
}

TEST_F(SessionTest, NamedThreads) {
  start();
  std::thread([] {
    steno::set_thread_name("feed handler");
    STENO_INFO("named");
  }).join();
  std::thread([] {
    pthread_setname_np(pthread_self(), "kernel-name");
    steno::prepare_thread();
    STENO_INFO("kernel");
  }).join();
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_EQ(log.rows[0].thread, "feed handler");
  EXPECT_EQ(log.rows[1].thread, "kernel-name");
}

TEST_F(SessionTest, PollingProgramsOwnTheirThreads) {
  in_process_of_its_own([this] {
    start({.ring_bytes = 4096, .flush_interval = std::chrono::milliseconds(0), .scribe_thread = false});
    for (int i = 0; i < 10; ++i) STENO_INFO("{}", i);
    EXPECT_TRUE(steno::poll());
    EXPECT_FALSE(steno::poll());
    // Nobody else drains: a full ring makes the producer do it.
    for (int i = 10; i < 5000; ++i) STENO_INFO("{}", i);
    const Log log = finish();
    EXPECT_EQ(log.rows.size(), 5000u);
    EXPECT_TRUE(log.losses.empty());
  });
}

TEST_F(SessionTest, TimesAreTrueToAMicrosecond) {
  start();
  constexpr int kRecords = 200;
  std::vector<std::pair<std::int64_t, std::int64_t>> around;
  for (int i = 0; i < kRecords; ++i) {
    const std::int64_t before = steno::wall_now();
    STENO_INFO("{}", i);
    around.emplace_back(before, steno::wall_now());
    if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(12));
  }
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), static_cast<std::size_t>(kRecords));
  for (int i = 0; i < kRecords; ++i) {
    const auto& row = log.rows[static_cast<std::size_t>(i)];
    EXPECT_GE(row.time_ns, around[static_cast<std::size_t>(i)].first - 1000) << i;
    EXPECT_LE(row.time_ns, around[static_cast<std::size_t>(i)].second + 1000) << i;
  }
}

std::uint64_t counting_clock() {
  static std::atomic<std::uint64_t> now{1'000'000'000'000'000'000};
  return now.fetch_add(5);
}

TEST_F(SessionTest, OtherClocks) {
  STENO_INFO("before");  // by the counter, whatever the session's clock
  const std::int64_t now = steno::wall_now();
  start({.clock = steno::Clock::kWall});
  STENO_INFO("wall");
  steno::stop();
  start({.clock = steno::Clock::kCoarse});
  STENO_INFO("coarse");
  steno::stop();
  start({.clock = steno::Clock::kUser, .user_clock = counting_clock});
  STENO_INFO("user");
  STENO_INFO("user");
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 5u);
  std::map<std::string, std::vector<std::int64_t>> times;
  for (const Row& row : log.rows) times[row.message].push_back(row.time_ns);
  for (const char* name : {"before", "wall", "coarse"})
    EXPECT_NEAR(static_cast<double>(times[name][0]), static_cast<double>(now), 5e9) << name;
  EXPECT_EQ(times["user"][1] - times["user"][0], 5);
}

// The scribe does not wait then, but looks after its sinks and its memory all the same.
TEST_F(SessionTest, ACoarseClockLeavesTimeForChores) {
  start({.clock = steno::Clock::kCoarse});
  STENO_INFO("coarse");
  for (int i = 0; i < 6000 && steno::stats().scribe_cpu_ns == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(steno::stats().scribe_cpu_ns, 0u);
  EXPECT_EQ(finish().rows.size(), 1u);
}

std::atomic<std::uint64_t> handler_calls{0};

// This test is for ThreadSanitizer: producers read what start() and stop() change.
TEST_F(SessionTest, OptionsMayChangeWhileThreadsLog) {
  in_process_of_its_own([this] {
    std::atomic<bool> stopping{false};
    std::atomic<std::uint64_t> logged{0};
    std::thread logger([&] {
      while (!stopping) {
        STENO_INFO("number {}", logged.fetch_add(1));
      }
    });
    for (int i = 0; i < 8; ++i) {
      steno::Options options;
      options.ring_bytes = 4096;
      options.when_full = i % 2 != 0 ? steno::WhenFull::kBlock : steno::WhenFull::kDrop;
      options.clock = i % 4 >= 2 ? steno::Clock::kUser : steno::Clock::kBest;
      if (options.clock == steno::Clock::kUser) {
        options.user_clock = [] { return static_cast<std::uint64_t>(steno::wall_now()); };
      }
      start(options);
      for (const std::uint64_t goal = logged + 1000; logged < goal;) std::this_thread::yield();
      steno::stop();
    }
    stopping = true;
    logger.join();
    start();  // takes along what was logged since
    EXPECT_FALSE(finish().rows.empty());
  });
}

TEST_F(SessionTest, SignalHandlersThatLogAreLoggedOrCounted) {
  in_process_of_its_own([this] {
    start({.ring_bytes = 16384});
    struct sigaction action {};
    action.sa_handler = [](int) {
      handler_calls.fetch_add(1);
      STENO_INFO("handler {}", 7);
    };
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, nullptr);
    constexpr std::uint64_t kRecords = 300000;
    for (std::uint64_t i = 0; i < kRecords; ++i) STENO_INFO("main {} {}", i, i * 3);
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    const Log log = finish();
    std::uint64_t main_records = 0;
    std::uint64_t from_handler = 0;
    std::uint64_t dropped = 0;
    for (const Row& row : log.rows) {
      if (row.message.find("records d") != std::string::npos) {
        dropped += std::stoull(row.message);
      } else if (row.message == "handler 7") {
        ++from_handler;
      } else {
        ASSERT_EQ(row.message, "main " + std::to_string(main_records) + " " + std::to_string(main_records * 3));
        ++main_records;
      }
    }
    EXPECT_EQ(main_records, kRecords);
    EXPECT_EQ(from_handler + dropped, handler_calls.load());
    EXPECT_GT(handler_calls.load(), 0u);
  });
}

}  // namespace
}  // namespace steno_test
