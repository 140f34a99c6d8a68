// Sessions: levels, loggers, threads, policies, and days that go wrong.
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
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
  steno::Logger net = steno::logger("net", steno::Level::kWarn);
  STENO_LOG_TO(net, INFO, "too low");
  STENO_LOG_TO(net, WARN, "net {}", 1);
  net.set_level(steno::Level::kTrace);
  STENO_LOGF_TO(net, DEBUG, "net %d", 2);
  steno::set_level(steno::Level::kError);
  STENO_WARN("disabled");
  STENO_LOG_TO(net, INFO, "net {}", 3);
  STENO_LOG_TO(steno::Logger(), INFO, "disabled too");
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(log.rows[static_cast<std::size_t>(i)].message, "net " + std::to_string(i + 1));
    EXPECT_EQ(log.rows[static_cast<std::size_t>(i)].logger, "net");
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

// Every record arrives, once, in order and intact, whatever the sizes do at the wrap.
TEST_F(SessionTest, SmallRingsUnderPressureLoseNothing) {
  start({.ring_bytes = 4096});
  constexpr int kThreads = 4;
  constexpr int kRecords = 20000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < kRecords; ++i) {
        if (i % 3 == 0) {
          STENO_INFO("{} {} {}", t, i, std::string(random() % 900, static_cast<char>('a' + i % 26)));
        } else {
          STENO_INFO("{} {}", t, i);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const Log log = finish();
  EXPECT_TRUE(log.losses.empty());
  std::map<int, std::vector<std::string>> of_thread;
  for (const Row& row : log.rows) of_thread[std::stoi(row.message)].push_back(row.message);
  for (int t = 0; t < kThreads; ++t) {
    std::mt19937 random(static_cast<unsigned>(t));
    ASSERT_EQ(of_thread[t].size(), static_cast<std::size_t>(kRecords));
    for (int i = 0; i < kRecords; ++i) {
      std::string expected = std::to_string(t) + " " + std::to_string(i);
      if (i % 3 == 0) expected += " " + std::string(random() % 900, static_cast<char>('a' + i % 26));
      ASSERT_EQ(of_thread[t][static_cast<std::size_t>(i)], expected);
    }
  }
}

// How many drops the message tells of; 0: it is another one.
std::uint64_t drops_reported(const Row& row) {
  return row.message.find("records dropped") != std::string::npos ? std::stoull(row.message) : 0;
}

TEST_F(SessionTest, DroppingIsCountedWhereItHappens) {
  start({.ring_bytes = 4096,
         .when_full = steno::WhenFull::kDrop,
         .when_full_at = {{steno::Level::kError, steno::WhenFull::kBlock}}});
  constexpr std::uint64_t kRecords = 200000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    if (i % 1000 == 0) {
      STENO_ERROR("audit {}", i);
    } else {
      STENO_INFO("{}", i);
    }
  }
  const Log log = finish();
  std::uint64_t dropped = 0;
  std::uint64_t logged = 0;
  std::uint64_t audits = 0;
  for (const Row& row : log.rows) {
    if (const std::uint64_t told = drops_reported(row); told != 0) {
      dropped += told;
    } else {
      ++logged;
      audits += row.message.rfind("audit", 0) == 0;
    }
  }
  EXPECT_EQ(logged + dropped, kRecords);
  if (steno::runtime::Core::at(0)->ring(0).memory.capacity == 4096) {  // other tests make larger ones
    EXPECT_GT(dropped, 0u);
  }
  EXPECT_EQ(audits, kRecords / 1000);
  EXPECT_EQ(log.losses.empty(), dropped == 0);
}

// A thread that begins to log while the session ends, on the ring of one that is over, and drops. It does so when the
// scribe asks for the time: to tell of the drops of another ring.
TEST_F(SessionTest, DropsAtTheEndAreReportedInTheNameOfTheirThread) {
  static constexpr std::uint64_t kMany = 1000;
  static const auto log_as = [](const char* name, std::uint64_t records) {
    steno::set_thread_name(name);
    for (std::uint64_t i = 0; i < records; ++i) STENO_INFO("{}", i);
  };
  static thread_local bool ends_session = false;
  start({.ring_bytes = 4096,
         .when_full = steno::WhenFull::kDrop,
         .clock = steno::Clock::kUser,
         .user_clock =
             [] {
               if (std::exchange(ends_session, false)) std::thread([] { log_as("late", kMany); }).join();
               return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
             },
         .scribe_thread = false});
  log_as("first", kMany);
  if (steno::runtime::Core::at(0)->ring(0).memory.capacity != 4096) GTEST_SKIP() << "an earlier test made larger rings";
  std::thread([] { log_as("second", 1); }).join();
  ends_session = true;
  steno::stop();
  EXPECT_FALSE(ends_session);
  start({.ring_bytes = 4096});
  const Log log = finish();
  std::map<std::string, std::uint64_t> accounted;
  for (const Row& row : log.rows) {
    accounted[row.thread] += std::max<std::uint64_t>(drops_reported(row), 1);
  }
  const std::map<std::string, std::uint64_t> expected = {{"first", kMany}, {"late", kMany}, {"second", 1}};
  EXPECT_EQ(accounted, expected);
}

TEST_F(SessionTest, RecordsLargerThanTheRingAreCutAndSayByHowMuch) {
  start({.ring_bytes = 65536});
  const std::string large(1000000, 'x');
  STENO_INFO("{}", large);
  STENO_INFO("{} {} {}", large, "short", std::u16string(50000, u'y'));
  STENO_INFO("{}", std::string(20000, 'z'));
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 3u);
  const std::string& cut = log.rows[0].message;
  const std::size_t mark = cut.find("…[+");
  ASSERT_NE(mark, std::string::npos);
  EXPECT_EQ(std::stoull(cut.substr(mark + 5)) + mark, large.size());
  EXPECT_GT(mark, 30000u);
  EXPECT_NE(log.rows[1].message.find(" short "), std::string::npos);
  EXPECT_NE(log.rows[1].message.rfind("bytes]"), std::string::npos);
  EXPECT_EQ(log.rows[2].message, std::string(20000, 'z'));
}

// Each alone would fit; together they do not. In a large ring it is the record's size field that bounds them.
TEST_F(SessionTest, StringsThatOnlyTogetherAreTooLargeAreCutAlike) {
  for (const std::size_t ring : {std::size_t{65536}, std::size_t{4} << 20}) {
    std::filesystem::remove(path());
    auto session = steno::Session::open({.path = path(), .ring_bytes = ring});
    ASSERT_TRUE(session.ok()) << session.status().message();
    const steno::Logger logger = session->logger("large");
    const std::string text(ring == 65536 ? 26000 : 420000, 'x');
    // A thread of its own gets a ring of the size asked for, or larger.
    std::thread([&] {
      STENO_LOG_TO(logger, INFO, "{} {}", text, text);
      STENO_LOG_TO(logger, INFO, "{} {} {}", text, text, std::string(2000000, 'y'));
      STENO_LOG_TO(logger, INFO, "behind {}", 1);
    }).join();
    ASSERT_TRUE(session->stop().ok());
    const Log log = read_log(path());
    ASSERT_EQ(log.rows.size(), 3u);
    const bool whole = log.rows[0].message == text + " " + text;  // the slot may have had a larger ring
    EXPECT_NE(log.rows[0].message.find("bytes]") != std::string::npos, whole);
    EXPECT_FALSE(whole && ring > 65536);
    EXPECT_GT(log.rows[0].message.size(), text.size());  // most of both is there
    EXPECT_GT(log.rows[1].message.size(), text.size() / 2);
    EXPECT_EQ(log.rows[2].message, "behind 1");
    EXPECT_TRUE(log.losses.empty());
  }
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
  start({.ring_bytes = 16384});
  constexpr int kThreads = 3000;
  const std::uint32_t rings_before = steno::runtime::Core::at(0)->ring_count();
  for (int t = 0; t < kThreads; ++t) {
    std::thread([t] { STENO_INFO("thread {}", t); }).join();
  }
  EXPECT_LE(steno::runtime::Core::at(0)->ring_count(), rings_before + 2);
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), static_cast<std::size_t>(kThreads));
  EXPECT_NE(log.rows[0].tid, log.rows[1].tid);
  EXPECT_TRUE(log.losses.empty());
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
  start({.ring_bytes = 4096, .flush_interval = std::chrono::milliseconds(0), .scribe_thread = false});
  for (int i = 0; i < 10; ++i) STENO_INFO("{}", i);
  EXPECT_TRUE(steno::poll());
  EXPECT_FALSE(steno::poll());
  // Nobody else drains: a full ring makes the producer do it.
  for (int i = 10; i < 5000; ++i) STENO_INFO("{}", i);
  const Log log = finish();
  EXPECT_EQ(log.rows.size(), 5000u);
  EXPECT_TRUE(log.losses.empty());
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

std::atomic<std::uint64_t> handler_calls{0};

// For ThreadSanitizer: producers read what start() and stop() change.
TEST_F(SessionTest, OptionsMayChangeWhileThreadsLog) {
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
}

TEST_F(SessionTest, SignalHandlersThatLogAreLoggedOrCounted) {
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
}

TEST_F(SessionTest, WarnedRecordsAreOnFileAtOnce) {
  start({.flush_level = steno::Level::kWarn});
  STENO_INFO("context");
  STENO_WARN("look");
  std::size_t rows = 0;
  for (int i = 0; i < 500 && rows != 2; ++i) {  // five seconds at most: the flush interval alone would take that
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    rows = read_log(path()).rows.size();
  }
  EXPECT_EQ(rows, 2u);
}

TEST_F(SessionTest, EverySyncPolicy) {
  for (const steno::Sync sync : {steno::Sync::kEachBlock, steno::Sync::kOnLevel, steno::Sync::kInterval}) {
    start({.sync = sync, .sync_interval = std::chrono::milliseconds(1)});
    STENO_ERROR("x");
    EXPECT_TRUE(steno::flush().ok());
    steno::stop();
  }
  EXPECT_EQ(read_log(path()).rows.size(), 3u);
}

struct BadPath {
  std::string path;
  steno::StatusCode code;
  std::string says;
};

TEST_F(SessionTest, BadPathsSayWhatIsWrong) {
  { std::filesystem::create_directory(path("dir")); }
  FILE* text = fopen(path("text").c_str(), "w");
  fputs("this is a text file, and a long enough one\n", text);
  fclose(text);
  const std::vector<BadPath> cases = {
      {path("missing/log.steno"), steno::StatusCode::kNotFound, "make the directory first"},
      {path("dir"), steno::StatusCode::kIoError, "Is a directory"},
      {path("text"), steno::StatusCode::kInvalidArgument, "not a steno file"},
      {"/dev/full", steno::StatusCode::kExhausted, "No space left"},
      {path("text") + "/x", steno::StatusCode::kNotFound, "Not a directory"},
  };
  for (const BadPath& bad : cases) {
    const steno::Status status = steno::try_start({.path = bad.path});
    EXPECT_EQ(status.code(), bad.code) << bad.path << ": " << status.message();
    EXPECT_NE(status.message().find(bad.says), std::string::npos) << status.message();
    EXPECT_NE(status.message().find(bad.path), std::string::npos) << status.message();
  }
  EXPECT_EQ(std::filesystem::file_size(path("text")), 43u);
  EXPECT_EQ(steno::try_start({}).code(), steno::StatusCode::kInvalidArgument);
  EXPECT_EQ(steno::try_start({.path = path(), .zstd_level = 99}).code(), steno::StatusCode::kInvalidArgument);
  EXPECT_EQ(steno::try_start({.path = path(), .clock = steno::Clock::kUser}).code(),
            steno::StatusCode::kInvalidArgument);
  // Records logged meanwhile wait for a start that works.
  STENO_INFO("still here");
  start();
  EXPECT_EQ(steno::try_start({.path = path("second")}).code(), steno::StatusCode::kFailedPrecondition);
  EXPECT_EQ(finish().rows.size(), 1u);
}

TEST_F(SessionTest, NewerFilesAreLeftAlone) {
  start();
  steno::stop();
  FILE* file = fopen(path().c_str(), "r+");
  fseek(file, 16, SEEK_SET);
  fputc(99, file);
  fclose(file);
  const auto size = std::filesystem::file_size(path());
  const steno::Status status = steno::try_start({.path = path()});
  EXPECT_EQ(status.code(), steno::StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("newer version"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path()), size);
}

TEST_F(SessionTest, AppendsAfterATornTail) {
  start();
  STENO_INFO("first");
  steno::stop();
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) - 12);
  start();
  STENO_INFO("second");
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_EQ(log.rows[1].message, "second");
  EXPECT_FALSE(log.losses.empty());  // the first session's end block is gone
}

TEST_F(SessionTest, FilesArePrivateUnlessAskedOtherwise) {
  start();
  struct stat st {};
  ASSERT_EQ(stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  const std::string staging = steno::runtime::Core::at(0)->staging().path();
  ASSERT_EQ(stat(staging.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
}

}  // namespace
}  // namespace steno_test
