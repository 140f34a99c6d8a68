// Looks at the rings of a process that goes on: what a look leaves to the file, it says. To be run one by one, as ctest
// does it: a process keeps its rings from session to session.
#include "live/staging_tail.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "../session/log_test.h"
#include "staging/find_staging.h"

namespace steno::live {
namespace {

using Look = StagingTail::Look;

class StagingTailTest : public steno_test::LogTest {
 protected:
  // A session with a record, whose rings were looked at once.
  void SetUp() override {
    start({.ring_bytes = 4096, .flush_interval = std::chrono::hours(1)});
    log(1);
    for (const std::string& directory : staging::find_staging(staging::Whose::kAll)) {
      auto tail = StagingTail::open(directory);
      if (!tail.ok() || !staging::logs_into((*tail)->view().session(), path())) continue;
      tail_ = std::move(tail).value();
      ByteBuffer blocks;
      EXPECT_EQ(tail_->look(&blocks), Look::kBegins);
    }
    ASSERT_NE(tail_, nullptr);
  }
  static void log(int messages) {
    for (int i = 0; i < messages; ++i) STENO_INFO("number {}", i);
  }
  static void log_in_a_thread(int messages) {
    std::thread([messages] { log(messages); }).join();
  }

  std::unique_ptr<StagingTail> tail_;
  ByteBuffer blocks_;
};

TEST_F(StagingTailTest, ARingThatIsFoundAfterItsFirstReleaseHasAGap) {
  log_in_a_thread(10);
  ASSERT_TRUE(steno::flush().ok());
  log_in_a_thread(10);  // maybe in the same ring
  ASSERT_TRUE(tail_->moved());
  EXPECT_EQ(tail_->look(&blocks_), Look::kGaps);
}

TEST_F(StagingTailTest, ARingThatIsFoundBeforeItsFirstReleaseIsWhole) {
  log_in_a_thread(10);
  ASSERT_TRUE(tail_->moved());
  EXPECT_EQ(tail_->look(&blocks_), Look::kWhole);
  EXPECT_FALSE(blocks_.empty());
  EXPECT_FALSE(tail_->moved());
}

}  // namespace
}  // namespace steno::live
