// Rings that threads take and leave, beside a model of who has which.
#include "runtime/ring_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../temp_directory.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "staging/memory.h"

namespace steno::runtime {
namespace {

class RingPoolTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMostOfARing = 1 << 18;
  static constexpr std::uint64_t kRoom = 512;

  void SetUp() override {
    auto staging = staging::OwnStaging::create(directory_.path(), "", &warning_);
    ASSERT_TRUE(staging.ok()) << staging.status().message();
    ASSERT_EQ(warning_, "");
    staging_ = std::move(staging).value();
    pool_.emplace(staging_, nullptr);
    ASSERT_TRUE(pool_->open().ok());
    set_limits(std::uint64_t{1} << 30);
  }
  void set_limits(std::uint64_t staging_limit) {
    const std::lock_guard lock(pool_->mutex());
    pool_->set_limits({kMostOfARing, staging_limit});
  }

  struct User {
    detail::Writer writer{};
    Ring* ring = nullptr;
  };
  // A thread begins to log: what it gets is what the model says, if a ring that was left will do.
  User& arrive() {
    User& user = users_.emplace_back();
    Ring* expected = nullptr;
    for (Ring* left : left_) {
      if (has_room(*left)) expected = left;  // the last one that was left
    }
    const std::uint32_t before = pool_->count();
    user.ring = pool_->attach(&user.writer, kRoom);
    EXPECT_NE(user.ring, nullptr);
    if (expected != nullptr) {
      EXPECT_EQ(user.ring, expected);
      EXPECT_EQ(pool_->count(), before);
      std::erase(left_, expected);
    } else {
      EXPECT_EQ(pool_->count(), before + 1) << "rings of others were taken, or full ones";
    }
    EXPECT_EQ(user.ring->writer, &user.writer);
    EXPECT_EQ(user.writer.tail, &user.ring->memory.header->tail);
    EXPECT_EQ(user.writer.window, user.ring->window);
    return user;
  }
  void leave(std::size_t i) {
    Ring* const ring = users_[i].ring;
    pool_->forget_writer(ring);
    pool_->detach(ring);
    left_.push_back(ring);
    std::swap(users_[i], users_.back());
    users_.pop_back();
    for (User& user : users_) user.ring->writer = &user.writer;  // of the one that was moved
  }
  static bool has_room(const Ring& ring) {
    const ring::RingHeader* header = ring.memory.header;
    return ring::load_tail(header) - ring::load_head(header) + 2 * kRoom <= ring.extent().capacity;
  }
  static void fill(Ring& ring) {
    ring::publish_tail(ring.memory.header, ring::load_head(ring.memory.header) + ring.extent().capacity);
  }
  static void drain(Ring& ring) {
    ring::publish(ring.memory.header, {.position = ring::load_tail(ring.memory.header)}, ring.owner);
  }

  std::uint64_t sum_of_bytes() const {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < pool_->count(); ++i) {
      sum += staging::whole_pages(ring::kHeaderBytes + pool_->at(i).memory.capacity);
    }
    return sum;
  }

  std::mt19937 random_{5};
  test::TempDirectory directory_;
  std::string warning_;
  staging::OwnStaging staging_;
  std::optional<RingPool> pool_;
  std::deque<User> users_;
  std::vector<Ring*> left_;  // in the order in which they were
};

TEST_F(RingPoolTest, AThreadGetsTheRingThatWasLeftLastIfItHasRoom) {
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    switch (random_() % 6) {
      case 0:
      case 1:
        if (users_.size() < 30) arrive();
        break;
      case 2:
      case 3:
        if (!users_.empty()) leave(random_() % users_.size());
        break;
      case 4:
        if (!users_.empty()) fill(*users_[random_() % users_.size()].ring);
        break;
      default:
        if (pool_->count() != 0) drain(pool_->at(static_cast<std::uint32_t>(random_() % pool_->count())));
    }
    std::vector<const Ring*> owned;
    for (const User& user : users_) owned.push_back(user.ring);
    std::sort(owned.begin(), owned.end());
    EXPECT_EQ(std::adjacent_find(owned.begin(), owned.end()), owned.end()) << "two threads have one ring";
    EXPECT_EQ(pool_->count(), users_.size() + left_.size());
    EXPECT_EQ(pool_->has_other_thread(nullptr), !users_.empty());
    if (users_.size() == 1) {
      EXPECT_FALSE(pool_->has_other_thread(&users_[0].writer));
    }
    EXPECT_EQ(pool_->bytes(), sum_of_bytes());
  }
  EXPECT_EQ(pool_->take_warning(), "");
  EXPECT_EQ(staging_.session()->ring_count, pool_->count());
}

TEST_F(RingPoolTest, RingsGrowWithinTheLimitAndGivePagesBack) {
  for (int i = 0; i < 4; ++i) arrive();
  const std::uint64_t limit = pool_->bytes() + kMostOfARing;  // so that one can grow, or several a little
  set_limits(limit);
  int grown = 0;
  int refused = 0;
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    Ring& ring = *users_[random_() % users_.size()].ring;
    const std::uint64_t before = ring.memory.capacity;
    if (random_() % 2 == 0) {
      ring.use.retry_at = 0;  // time has passed
      const bool done = pool_->grow(ring, 2 * before);
      (done ? grown : refused) += 1;
      EXPECT_EQ(ring.memory.capacity, done ? 2 * before : before);
      if (done) ring.set_extent({ring::load_tail(ring.memory.header), ring.memory.capacity});
      if (!done) {
        EXPECT_FALSE(pool_->grow(ring, 2 * before)) << "not at once again";
        EXPECT_EQ(ring.reach(), before);
      }
    } else if (before > kUsualRingBytes) {
      ring.set_extent({ring::load_tail(ring.memory.header), before / 2});
      pool_->shrink(ring);
      EXPECT_EQ(ring.memory.capacity, before / 2);
    }
    EXPECT_LE(ring.memory.capacity, kMostOfARing);
    EXPECT_LE(pool_->bytes(), limit);
    EXPECT_EQ(pool_->bytes(), sum_of_bytes());
  }
  EXPECT_GT(grown, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(pool_->take_warning(), "") << "a limit is no failure";

  while (!users_.empty()) leave(users_.size() - 1);
  for (Ring* ring : left_) drain(*ring);
  pool_->shrink_free();
  for (const Ring* ring : left_) EXPECT_LE(ring->memory.capacity, kUsualRingBytes);
  EXPECT_EQ(pool_->bytes(), sum_of_bytes());
}

TEST_F(RingPoolTest, WhereNoRingCanBeMadeThreadsGetPrivateOnesAndOneWarning) {
  arrive();
  std::filesystem::remove_all(staging_.path());
  User& second = arrive();
  User& third = arrive();
  EXPECT_NE(second.ring, third.ring);
  EXPECT_NE(pool_->take_warning().find("whose records will not survive a crash"), std::string::npos);
  arrive();
  EXPECT_EQ(pool_->take_warning(), "");
  pool_->detach(third.ring);
  left_.push_back(third.ring);
}

}  // namespace
}  // namespace steno::runtime
