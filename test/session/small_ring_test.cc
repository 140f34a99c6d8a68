// Rings that are small for what is logged: nothing is lost, or what is lost is counted.
#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "log_test.h"
#include "runtime/core.h"

namespace steno_test {
namespace {

using SmallRingTest = LogTest;

// Every record arrives, once, in order and intact, whatever the sizes do at the wrap.
TEST_F(SmallRingTest, SmallRingsUnderPressureLoseNothing) {
  in_process_of_its_own([this] {
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
  });
}

// Returns how many drops the record reports; 0: it is another kind of record.
std::uint64_t drops_reported(const Row& row) {
  return row.message.find("records dropped") != std::string::npos ? std::stoull(row.message) : 0;
}

TEST_F(SmallRingTest, DroppingIsCountedWhereItHappens) {
  in_process_of_its_own([this] {
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
      if (const std::uint64_t reported = drops_reported(row); reported != 0) {
        dropped += reported;
      } else {
        ++logged;
        audits += row.message.rfind("audit", 0) == 0;
      }
    }
    EXPECT_EQ(logged + dropped, kRecords);
    EXPECT_GT(dropped, 0u);
    EXPECT_EQ(audits, kRecords / 1000);
    EXPECT_EQ(log.losses.empty(), dropped == 0);
  });
}

// A thread that begins to log while the session ends, on the ring of one that is over, and drops. It does so when the
// scribe asks for the time: to tell of the drops of another ring.
TEST_F(SmallRingTest, DropsAtTheEndAreReportedInTheNameOfTheirThread) {
  in_process_of_its_own([this] {
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
    ASSERT_EQ(steno::runtime::core_at(0)->rings().at(0).memory.capacity, 4096u);
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
  });
}

TEST_F(SmallRingTest, RecordsLargerThanTheRingAreCutAndSayByHowMuch) {
  in_process_of_its_own([this] {
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
  });
}

// Each alone would fit; together they do not. In a large ring it is the record's size field that bounds them.
TEST_F(SmallRingTest, StringsThatOnlyTogetherAreTooLargeAreCutAlike) {
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

}  // namespace
}  // namespace steno_test
