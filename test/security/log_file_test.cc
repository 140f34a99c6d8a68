// The log file among other users: its permissions, and what somebody may have put in its place.
#include <steno/session.h>

#include "users.h"

namespace steno_test {
namespace {

class LogFileTest : public SecurityTest {
 protected:
  std::string path_in(const std::string& directory) const { return directory + "/log.steno"; }

  // try_start() and stop() as this user; what try_start said.
  void expect_start(uid_t user, steno::Options options, bool ok, const std::string& said = "") {
    options.staging_directory = home(user);
    as_user(user, [&] {
      const steno::Status status = steno::try_start(options);
      EXPECT_EQ(status.ok(), ok) << status.message();
      EXPECT_NE(status.message().find(said), std::string::npos) << status.message();
      steno::stop();
    });
  }
};

TEST_F(LogFileTest, PermissionsAreThoseAskedForLessTheUmask) {
  struct Case {
    unsigned asked;
    mode_t umask;
    unsigned made;
  };
  for (const Case& c :
       {Case{0600, 0, 0600}, {0600, 022, 0600}, {0644, 022, 0644}, {0640, 077, 0600}, {0666, 0, 0666}}) {
    umask(c.umask);
    expect_start(kVictim, {.path = path_in(home(kVictim)), .file_mode = c.asked}, true);
    umask(022);
    EXPECT_EQ(mode_of(path_in(home(kVictim))), c.made);
    unlink(path_in(home(kVictim)).c_str());
  }
}

TEST_F(LogFileTest, PermissionsOfOneThatExistsStay) {
  expect_start(kVictim, {.path = path_in(home(kVictim)), .file_mode = 0640}, true);
  expect_start(kVictim, {.path = path_in(home(kVictim)), .file_mode = 0666}, true);
  EXPECT_EQ(mode_of(path_in(home(kVictim))), 0640u);
}

TEST_F(LogFileTest, DescriptorsAreNotInherited) {
  as_user(kVictim, [&] {
    const steno::Status status = steno::try_start({.path = path_in(home(kVictim)), .staging_directory = home(kVictim)});
    ASSERT_TRUE(status.ok()) << status.message();
    steno::prepare_thread();
    int ours = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry, error);
      if (!target.starts_with(place_)) continue;
      ++ours;
      EXPECT_NE(fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, 0) << target;
    }
    EXPECT_GE(ours, 3);
    steno::stop();
  });
}

// In a place where everybody may make files, only one's own are taken, and those of the place's owner (here root).
TEST_F(LogFileTest, PlantedFilesAreRefused) {
  const std::string path = path_in(place_);
  expect_start(kAttacker, {.path = path, .file_mode = 0666}, true);  // a good one, for all to write
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  const auto size = std::filesystem::file_size(path);
  expect_start(kVictim, {.path = path}, false, "belongs to user " + std::to_string(kAttacker));
  EXPECT_EQ(std::filesystem::file_size(path), size);
  ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  expect_start(kVictim, {.path = path}, true);
  ASSERT_EQ(chown(path.c_str(), kVictim, kVictim), 0);
  expect_start(kVictim, {.path = path}, true);
}

TEST_F(LogFileTest, PlantedPipesAreRefused) {
  as_user(kAttacker, [&] {
    umask(0);
    ASSERT_EQ(mkfifo(path_in(place_).c_str(), 0666), 0);
  });
  expect_start(kVictim, {.path = path_in(place_)}, false, "belongs to user " + std::to_string(kAttacker));
}

TEST_F(LogFileTest, PlantedLinksAreRefused) {
  as_user(kAttacker, [&] { ASSERT_EQ(symlink(path_in(home(kVictim)).c_str(), path_in(place_).c_str()), 0); });
  expect_start(kVictim, {.path = path_in(place_)}, false, "belongs to user " + std::to_string(kAttacker));
  EXPECT_FALSE(std::filesystem::exists(path_in(home(kVictim))));
}

TEST_F(LogFileTest, LinksOfOnesOwnAreFollowed) {
  as_user(kVictim, [&] { ASSERT_EQ(symlink(path_in(home(kVictim)).c_str(), path_in(place_).c_str()), 0); });
  expect_start(kVictim, {.path = path_in(place_)}, true);
  EXPECT_TRUE(std::filesystem::exists(path_in(home(kVictim))));
}

// In a place where everybody may make files, a link may stand where a directory of one's own is expected.
TEST_F(LogFileTest, PlantedLinksToDirectoriesAreRefused) {
  as_user(kAttacker, [&] { ASSERT_EQ(symlink(home(kVictim).c_str(), (place_ + "/app").c_str()), 0); });
  expect_start(kVictim, {.path = path_in(place_ + "/app")}, false, "'app', that belongs to user");
  expect_start(kVictim, {.path = path_in(place_ + "/app/../app/.")}, false, "'app', that belongs to user");
  EXPECT_FALSE(std::filesystem::exists(path_in(home(kVictim))));
}

TEST_F(LogFileTest, LinksOfOnesOwnToDirectoriesAreFollowed) {
  as_user(kVictim, [&] {
    ASSERT_EQ(symlink(("home-" + std::to_string(kVictim)).c_str(), (place_ + "/first").c_str()), 0);
    ASSERT_EQ(symlink("first/.", (place_ + "/second").c_str()), 0);
  });
  expect_start(kVictim, {.path = path_in(place_ + "//second/.")}, true);
  EXPECT_TRUE(std::filesystem::exists(path_in(home(kVictim))));
}

// A user may lead other users about in directories of his own, but not root, for whom any place is open.
TEST_F(LogFileTest, RootFollowsNoLinksOfUsers) {
  const std::string roots = place_ + "/of-root";
  const std::string open_home = place_ + "/open";
  ASSERT_EQ(mkdir(roots.c_str(), 0755), 0);
  ASSERT_EQ(mkdir(open_home.c_str(), 0755), 0);
  ASSERT_EQ(chown(open_home.c_str(), kAttacker, kAttacker), 0);
  as_user(kAttacker, [&] {
    ASSERT_EQ(symlink(roots.c_str(), (open_home + "/logs").c_str()), 0);
    ASSERT_EQ(symlink((roots + "/made.steno").c_str(), path_in(open_home).c_str()), 0);
  });
  for (const std::string& path : {path_in(open_home + "/logs"), path_in(open_home)}) {
    as_user(0, [&] {
      const steno::Status status = steno::try_start({.path = path, .staging_directory = place_});
      EXPECT_FALSE(status.ok());
      EXPECT_NE(status.message().find("who has fewer rights than this program"), std::string::npos) << status.message();
    });
  }
  EXPECT_TRUE(std::filesystem::is_empty(roots));
  ASSERT_EQ(chown(roots.c_str(), kVictim, kVictim), 0);
  expect_start(kVictim, {.path = path_in(open_home + "/logs")}, true);
  EXPECT_TRUE(std::filesystem::exists(path_in(roots)));
}

// The kernel's own links lead where no path says.
TEST_F(LogFileTest, DescriptorsCanBeLoggedInto) {
  as_user(kVictim, [&] {
    const int fd = open(path_in(home(kVictim)).c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_GE(fd, 0);
    const std::string path = "/dev/fd/" + std::to_string(fd);
    const steno::Status status = steno::try_start({.path = path, .staging_directory = home(kVictim)});
    EXPECT_TRUE(status.ok()) << status.message();
    steno::stop();
  });
  EXPECT_GT(std::filesystem::file_size(path_in(home(kVictim))), 0u);
}

// A directory that a group shares is nobody's trap: its members may take each other's files.
TEST_F(LogFileTest, FilesOfOthersAreTakenWhereThePlaceIsNotEverybodys) {
  const std::string shared = place_ + "/shared";
  ASSERT_EQ(mkdir(shared.c_str(), 0755), 0);
  ASSERT_EQ(chmod(shared.c_str(), 0777), 0);
  expect_start(kAttacker, {.path = path_in(shared)}, true);
  ASSERT_EQ(chmod(path_in(shared).c_str(), 0666), 0);
  expect_start(kVictim, {.path = path_in(shared)}, true);
}

}  // namespace
}  // namespace steno_test
