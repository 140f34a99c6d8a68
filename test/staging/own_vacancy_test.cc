// Tests how staging is left and taken over, of one process (ring.md §1.6).
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstring>
#include <optional>

#include "../live/external_process.h"
#include "staging/find_staging.h"
#include "staging/own_staging.h"

namespace steno {
namespace {

class StagingVacancyTest : public test::ExternalTest {
 protected:
  static ino_t inode(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 ? st.st_ino : 0;
  }
};

// A thread may still write into rings when its process has left them. These bytes must not be the next process's.
TEST_F(StagingVacancyTest, ItsMappingsAreTheProcessesOwnAfterwards) {
  std::string warning;
  auto staging = staging::OwnStaging::create(staging_, "", &warning);
  ASSERT_TRUE(staging.ok()) << warning;
  staging->open_doorbell();
  staging->mark_log(log());
  const auto ring = staging->make_ring(0, 16384, 1 << 20);
  ASSERT_TRUE(ring.ok());
  staging->begin_ring(0, *ring);
  ASSERT_TRUE(staging->make_ring(1, 16384, 16384).ok());
  ring::SessionFile& session = *staging->session();
  session.version = ring::kVersion;
  session.state = ring::kEnded;
  session.ring_count = 2;
  std::memcpy(session.log_path, log().c_str(), log().size() + 1);
  const std::string path = staging->path();
  ASSERT_TRUE(staging->vacate(2, &*ring, 16384));
  EXPECT_EQ(inode(path + "/ring-1"), 0u);
  EXPECT_EQ(vacant_here(), std::vector<std::string>{path});
  EXPECT_EQ(ring->header->magic, ring::kRingMagic) << "its threads find what was there";
  EXPECT_EQ(session.state, ring::kEnded);
  auto next = staging::OwnStaging::create(staging_, log(), &warning);
  ASSERT_TRUE(next.ok());
  ASSERT_EQ(next->path(), path);
  const auto next_ring = next->make_ring(0, 4096, 1 << 20);
  ASSERT_TRUE(next_ring.ok());
  next->begin_ring(0, *next_ring);
  session.state = ring::kRunning;
  ring->header->tail = 640;
  ring->data[0] = std::byte{1};
  EXPECT_EQ(next->session()->state, ring::kBuffering);
  EXPECT_EQ(next_ring->header->tail, 0u);
  EXPECT_EQ(next_ring->header->capacity, 4096u);
  EXPECT_EQ(next_ring->data[0], std::byte{0});
  EXPECT_EQ(next->session()->log_path, log());
  next->remove();
  EXPECT_EQ(all_staging_here(), std::vector<std::string>());
}

TEST_F(StagingVacancyTest, ARingThatCannotBeReusedGivesWayToASmallerOne) {
  std::string warning;
  auto staging = staging::OwnStaging::create(staging_, "", &warning);
  ASSERT_TRUE(staging.ok()) << warning;
  staging->open_doorbell();
  const auto ring = staging->make_ring(0, 4096, 1 << 20);
  ASSERT_TRUE(ring.ok());
  staging->begin_ring(0, *ring);
  ring::SessionFile& session = *staging->session();
  session.version = ring::kVersion;
  session.state = ring::kEnded;
  session.ring_count = 1;
  std::memcpy(session.log_path, log().c_str(), log().size() + 1);
  const std::string path = staging->path();
  ASSERT_TRUE(staging->vacate(1, &*ring, 4096));
  auto next = staging::OwnStaging::create(staging_, log(), &warning);
  ASSERT_TRUE(next.ok());
  ASSERT_EQ(next->path(), path);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit = {12'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const bool large = next->make_ring(0, 16384, 1 << 20).ok();
  const auto small = next->make_ring(0, 4096, 1 << 20);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(large);
  ASSERT_TRUE(small.ok()) << small.status().message();
  EXPECT_TRUE(small->in_file);
  EXPECT_NE(inode(path + "/ring-0"), 0u);
  next->remove();
}

TEST(ProcessNumbers, AreDigitsAndNoneWrapsToAnother) {
  EXPECT_EQ(staging::parse_process_number("4711"), 4711u);
  EXPECT_EQ(staging::parse_process_number("4294967295"), 4294967295u);
  EXPECT_EQ(staging::parse_process_number("4294972007"), 0u) << "4711 above 2^32";
  EXPECT_EQ(staging::parse_process_number("99999999999999999999999"), 0u);
  for (const char* text : {"", "-1", "+1", "12a", " 1", "/1"})
    EXPECT_EQ(staging::parse_process_number(text), std::nullopt);
}

}  // namespace
}  // namespace steno
