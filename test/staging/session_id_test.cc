#include "staging/session_id.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <vector>

namespace steno {
namespace {

std::uint16_t tag_of(std::uint64_t id) {
  return static_cast<std::uint16_t>(id);
}

// Blocks of sessions that are written at the same time are told apart by these bits and a mark of more.
TEST(SessionId, TagsOfAFamilyDiffer) {
  std::set<std::uint16_t> tags;
  std::set<std::uint64_t> ids;
  const auto take = [&](std::uint64_t id) {
    EXPECT_NE(id, 0u);
    EXPECT_TRUE(tags.insert(tag_of(id)).second);
    EXPECT_TRUE(ids.insert(id >> 16).second);
  };
  for (int i = 0; i < 10; ++i) take(staging::new_session_id());
  for (int i = 0; i < 500; ++i) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const std::uint64_t id = staging::new_session_id();
      _exit(write(ends[1], &id, sizeof id) == sizeof id ? 0 : 1);
    }
    close(ends[1]);
    std::uint64_t id = 0;
    ASSERT_EQ(read(ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    // Others began so many processes meanwhile, or numbers began anew: from a distance of 3,656 on tags may meet.
    if (child < getpid() || child - getpid() > 3000) break;
    take(id);
  }
}

// A process that has begun many sessions does not come near those whose numbers are near its own.
TEST(SessionId, TagsOfOneProcessKeepTheirDistance) {
  std::vector<std::uint16_t> tags;
  for (int i = 0; i < 200; ++i) {
    const std::uint16_t tag = tag_of(staging::new_session_id());
    for (const std::uint16_t other : tags) {
      const auto distance = static_cast<std::uint16_t>(tag - other);
      EXPECT_GE(std::min<unsigned>(distance, 65536u - distance), 200u);
    }
    tags.push_back(tag);
  }
}

}  // namespace
}  // namespace steno
