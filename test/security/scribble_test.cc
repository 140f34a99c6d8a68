// A program that writes anything at all into its own rings while others look: it harms nobody but itself (ring.md
// §4.3).
#include <sys/mman.h>

#include <random>

#include "users.h"

namespace steno_test {
namespace {

// Writes at random, small values and great ones, into every file of this user's staging, until it is killed.
[[noreturn]] void scribble(const std::string& staging, unsigned seed) {
  std::vector<std::pair<std::uint8_t*, std::size_t>> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(staging)) {
    if (!entry.is_regular_file()) continue;
    const int fd = open(entry.path().c_str(), O_RDWR);
    const std::size_t size = entry.file_size();
    void* p = size != 0 && fd >= 0 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (p != MAP_FAILED) files.emplace_back(static_cast<std::uint8_t*>(p), size);
  }
  std::mt19937_64 random(seed);
  while (!files.empty()) {
    const auto& [data, size] = files[random() % files.size()];
    // The start of a file matters most.
    const std::size_t reach = random() % 4 != 0 ? std::min<std::size_t>(size, 4096) : size;
    const std::size_t at = random() % (reach / 8) * 8;
    const std::uint64_t value = random() >> random() % 64;
    std::memcpy(data + at, &value, random() % 8 + 1);
  }
  _exit(97);
}

class ScribbleTest : public OrphanTest {
 protected:
  // `look` again and again while an orphan's owner scribbles on it, from a fresh orphan each time.
  void while_scribbling(const std::function<void()>& look) {
    for (unsigned round = 0; round < 4; ++round) {
      const std::string file = home(kAttacker) + "/log.steno";
      ASSERT_EQ(run_as(kAttacker, {orphan_, file, place_, "scribbled on"}).code, 128 + SIGKILL);
      const std::string staging = staging_of(kAttacker);
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        alarm(kPatience);
        if (!become(kAttacker)) _exit(99);
        scribble(staging, round);
      }
      for (int i = 0; i < 3; ++i) look();
      kill(child, SIGKILL);
      EXPECT_EQ(wait_for(child), 128 + SIGKILL);
    }
  }
};

TEST_F(ScribbleTest, ReadersAndStartsOfOthersGoTheirWay) {
  const std::string victim = home(kVictim) + "/log.steno";
  unsigned started = 0;
  while_scribbling([&] {
    for (const uid_t user : {uid_t{0}, kVictim}) {
      const Ran ps = run_as(user, {steno_, "ps"}, {"STENO_STAGING=" + place_});
      EXPECT_LT(ps.code, 128) << ps.out;
    }
    ++started;
    const Ran start = run_as(kVictim, {orphan_, victim, place_, "genuine " + std::to_string(started)});
    EXPECT_EQ(start.code, 128 + SIGKILL) << start.out;  // as it ends itself
    const Ran root = run_as(0, {steno_, "cat", home(kAttacker) + "/log.steno"}, {"STENO_STAGING=" + place_});
    EXPECT_LT(root.code, 128) << root.out;
  });
  const Ran ran = run_as(kVictim, {steno_, "cat", victim}, {"STENO_STAGING=" + place_});
  EXPECT_EQ(ran.code, 0) << ran.out;
  for (unsigned i = 1; i <= started; ++i) {
    EXPECT_NE(ran.out.find("genuine " + std::to_string(i)), std::string::npos) << ran.out;
  }
}

TEST_F(ScribbleTest, ItsOwnRecoveryEnds) {
  while_scribbling([&] {
    const Ran ran = run_as(kAttacker, {steno_, "recover", home(kAttacker) + "/log.steno"}, {"STENO_STAGING=" + place_});
    EXPECT_LT(ran.code, 128) << ran.out;
  });
}

}  // namespace
}  // namespace steno_test
