// Calls that return when their record is on file.
#include "steno/sync_logger.h"

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "log_test.h"

namespace steno_test {
namespace {

class SyncLoggerTest : public LogTest {
 protected:
  steno::Result<steno::Session> open(steno::Sync sync = steno::Sync::kNever) const {
    steno::Options options;
    options.flush_interval = std::chrono::hours(1);
    options.sync = sync;
    return steno::Session::open(path(), options);
  }
  // Returns the bytes of the file now, without those in staging.
  std::string bytes() const {
    std::ifstream in(path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

TEST_F(SyncLoggerTest, ARecordIsOnFileWhenTheCallReturns) {
  for (const steno::Sync sync : {steno::Sync::kNever, steno::Sync::kEachBlock}) {
    auto session = open(sync);
    ASSERT_TRUE(session.ok()) << session.status().message();
    const steno::SyncLogger audit(*session, "payments");
    const std::string account = sync == steno::Sync::kNever ? "account number one" : "account number two";
    STENO_LOG_TO(audit.logger(), INFO, "not waited for");
    const steno::Status status = STENO_SYNC(audit, NOTICE, "paid {amount} to {account}", 7, account);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(session->stats().records, 2u);
    EXPECT_NE(bytes().find(account), std::string::npos);
    EXPECT_TRUE(session->stop().ok());
  }
  EXPECT_EQ(read_log(path()).rows.size(), 4u);
}

TEST_F(SyncLoggerTest, ThreadsAreServedTogether) {
  auto session = open();
  ASSERT_TRUE(session.ok()) << session.status().message();
  const steno::SyncLogger audit(*session, "payments");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&audit, t] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(STENO_SYNC(audit, INFO, "{} of {}", i, t).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(session->stats().records, 80u);
}

TEST_F(SyncLoggerTest, ItSaysWhatWasRefused) {
  auto session = open();
  ASSERT_TRUE(session.ok()) << session.status().message();
  const steno::SyncLogger audit(*session, "payments");
  EXPECT_TRUE(STENO_SYNC(audit, DEBUG, "disabled").ok());
  EXPECT_TRUE(session->stop().ok());
  EXPECT_EQ(STENO_SYNC(audit, INFO, "too late").code(), steno::StatusCode::kExhausted);
  EXPECT_EQ(read_log(path()).rows.size(), 0u);
}

TEST_F(SyncLoggerTest, TheDefaultSessionHasThemToo) {
  start();
  const steno::SyncLogger audit("payments");
  EXPECT_TRUE(STENO_SYNC(audit, INFO, "paid {}", 7).ok());
  EXPECT_EQ(steno::stats().records, 1u);
}

}  // namespace
}  // namespace steno_test
