// Looks at the rings of a process that goes on: what a look leaves to the file, it says. To be run one by one, as ctest
// does it: a process keeps its rings from session to session.
#include "live/staging_tail.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "../session/log_test.h"

namespace steno::live {
namespace {

using Look = StagingTail::Look;

class StagingTailTest : public steno_test::LogTest {
 protected:
  static void log(int messages) {
    for (int i = 0; i < messages; ++i) STENO_INFO("number {}", i);
  }
  static void log_in_a_thread(int messages) {
    std::thread([messages] { log(messages); }).join();
  }
  // The rings of this process's session, looked at once.
  std::unique_ptr<StagingTail> tail() {
    for (const std::string& directory : find_staging()) {
      auto tail = StagingTail::open(directory);
      if (!tail.ok() || !logs_into((*tail)->view().session(), path())) continue;
      ByteBuffer blocks;
      EXPECT_EQ((*tail)->look(&blocks), Look::kBegins);
      return std::move(tail).value();
    }
    return nullptr;
  }
};

TEST_F(StagingTailTest, ARingThatIsFoundAfterItsFirstReleaseHasAGap) {
  start({.ring_bytes = 4096, .flush_interval = std::chrono::hours(1)});
  log(1);
  const auto tail = this->tail();
  ASSERT_NE(tail, nullptr);
  log_in_a_thread(10);
  ASSERT_TRUE(steno::flush().ok());
  log_in_a_thread(10);  // maybe in the same ring
  ASSERT_TRUE(tail->moved());
  ByteBuffer blocks;
  EXPECT_EQ(tail->look(&blocks), Look::kGaps);
}

TEST_F(StagingTailTest, ARingThatIsFoundBeforeItsFirstReleaseIsWhole) {
  start({.ring_bytes = 4096, .flush_interval = std::chrono::hours(1)});
  log(1);
  const auto tail = this->tail();
  ASSERT_NE(tail, nullptr);
  log_in_a_thread(10);
  ASSERT_TRUE(tail->moved());
  ByteBuffer blocks;
  EXPECT_EQ(tail->look(&blocks), Look::kWhole);
  EXPECT_FALSE(blocks.empty());
  EXPECT_FALSE(tail->moved());
}

}  // namespace
}  // namespace steno::live
