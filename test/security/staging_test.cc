// Staging among other users: who gets in, and whose places are used (ring.md §1).
#include "staging/directory.h"
#include "staging/own_staging.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "users.h"

namespace steno_test {
namespace {

using Staging = steno::staging::OwnStaging;

// Staging of the calling user in `root`, with a ring and a dictionary. Left behind as by a process that died.
std::string make_staging(const std::string& root, std::string* warning) {
  auto staging = Staging::create(root, "", warning);
  EXPECT_TRUE(staging.ok()) << staging.status().message();
  if (!staging.ok()) return "";
  EXPECT_TRUE(staging->make_ring(0, 4096, 4096).ok());
  steno::ByteBuffer entries;
  entries.put(std::uint64_t{0});
  EXPECT_TRUE(staging->append_dictionary(entries).ok());
  return staging->path();
}

class StagingTest : public SecurityTest {
 protected:
  // The victim starts where somebody has been before: it says so and stays away.
  void expect_avoided(const std::string& why, uid_t user = kVictim) {
    as_user(user, [&] {
      std::string warning;
      auto staging = Staging::create(place_, "", &warning);
      ASSERT_TRUE(staging.ok());
      EXPECT_FALSE(staging->path().starts_with(place_)) << staging->path();
      EXPECT_NE(warning.find(staging_of(user)), std::string::npos) << warning;
      EXPECT_NE(warning.find(why), std::string::npos) << warning;
      EXPECT_NE(warning.find("staging is in"), std::string::npos) << warning;
      staging->remove();
    });
  }
};

// Nothing can be made anywhere without a descriptor.
TEST_F(StagingTest, InPrivateMemoryItSaysWhoseItIs) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string warning;
  const auto staging = Staging::create("", "", &warning);
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(staging.ok()) << staging.status().message();
  EXPECT_EQ(staging->path(), "");
  EXPECT_NE(warning.find("private memory"), std::string::npos) << warning;
  EXPECT_EQ(staging->session()->pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_NE(staging->session()->session_id, 0u);
}

TEST_F(StagingTest, ModesDoNotDependOnTheUmask) {
  for (const mode_t mask : {0, 022, 077, 0277, 0777}) {
    SCOPED_TRACE(mask);
    as_user(kVictim, [&] {
      umask(mask);
      std::string warning;
      const std::string path = make_staging(place_, &warning);
      EXPECT_EQ(warning, "");
      EXPECT_EQ(mode_of(staging_of(kVictim)), 0700u);
      EXPECT_EQ(mode_of(path), 0700u);
      for (const char* name : {"/session", "/dictionary", "/ring-0"}) EXPECT_EQ(mode_of(path + name), 0600u) << name;
    });
    std::filesystem::remove_all(staging_of(kVictim));
  }
}

TEST_F(StagingTest, NobodyElseGetsIn) {
  as_user(kVictim, [&] {
    umask(0);
    std::string warning;
    ASSERT_TRUE(make_staging(place_, &warning).starts_with(place_)) << warning;
  });
  std::string directory;
  for (const auto& entry : std::filesystem::directory_iterator(staging_of(kVictim))) {
    if (entry.path().filename() != "by-log") directory = entry.path();
  }
  ASSERT_NE(directory, "");
  as_user(kAttacker, [&] {
    EXPECT_EQ(opendir(staging_of(kVictim).c_str()), nullptr);
    for (const char* name : {"/session", "/dictionary", "/ring-0"}) {  // even of one whose name he has guessed
      for (const int access : {O_RDONLY, O_WRONLY, O_RDWR}) {
        EXPECT_LT(open((directory + name).c_str(), access), 0) << name;
        EXPECT_EQ(errno, EACCES) << name;
      }
      EXPECT_NE(unlink((directory + name).c_str()), 0);
    }
    EXPECT_NE(open((directory + "/ring-1").c_str(), O_WRONLY | O_CREAT, 0666), 0);
    EXPECT_NE(rename(staging_of(kVictim).c_str(), (home(kAttacker) + "/stolen").c_str()), 0);
    EXPECT_EQ(errno, EPERM);
    EXPECT_NE(chmod(staging_of(kVictim).c_str(), 0777), 0);
  });
}

TEST_F(StagingTest, AnothersDirectoryIsNotUsed) {
  for (const mode_t mode : {0700, 0777, 01777}) {
    SCOPED_TRACE(mode);
    as_user(kAttacker, [&] {
      umask(0);
      ASSERT_EQ(mkdir(staging_of(kVictim).c_str(), mode), 0);
      ASSERT_EQ(chmod(staging_of(kVictim).c_str(), mode), 0);
    });
    expect_avoided(mode == 0700 ? "cannot open" : "belongs to user " + std::to_string(kAttacker));
    EXPECT_TRUE(std::filesystem::is_empty(staging_of(kVictim)));
    ASSERT_EQ(rmdir(staging_of(kVictim).c_str()), 0);
  }
}

// Root may open what is closed to it.
TEST_F(StagingTest, AnothersDirectoryIsNotUsedByRootEither) {
  as_user(kAttacker, [&] { ASSERT_EQ(mkdir(staging_of(0).c_str(), 0700), 0); });
  expect_avoided("belongs to user " + std::to_string(kAttacker), 0);
  EXPECT_TRUE(std::filesystem::is_empty(staging_of(0)));
}

TEST_F(StagingTest, LinksAndFilesInItsPlaceAreNotUsed) {
  as_user(kAttacker, [&] { ASSERT_EQ(symlink(home(kVictim).c_str(), staging_of(kVictim).c_str()), 0); });
  expect_avoided("cannot open");
  EXPECT_TRUE(std::filesystem::is_empty(home(kVictim)));
  ASSERT_EQ(unlink(staging_of(kVictim).c_str()), 0);

  as_user(kAttacker, [&] { ASSERT_EQ(symlink("/nonexistent/x", staging_of(kVictim).c_str()), 0); });
  expect_avoided("cannot open");
  ASSERT_EQ(unlink(staging_of(kVictim).c_str()), 0);

  as_user(kAttacker, [&] { ASSERT_EQ(mkfifo(staging_of(kVictim).c_str(), 0666), 0); });
  expect_avoided("cannot open");
}

TEST_F(StagingTest, ItsOwnThatIsOpenToOthersIsNotUsed) {
  for (const mode_t mode : {0755, 0710, 0701, 0770}) {
    SCOPED_TRACE(mode);
    as_user(kVictim, [&] {
      (void)mkdir(staging_of(kVictim).c_str(), 0700);
      ASSERT_EQ(chmod(staging_of(kVictim).c_str(), mode), 0);
    });
    expect_avoided("is open to others");
  }
}

}  // namespace
}  // namespace steno_test
