// Staging that somebody made to be found by others: it must neither be shown as theirs, nor stop them (ring.md §4.3).
#include <sys/inotify.h>

#include <fstream>

#include "live/salvage.h"
#include "live/staging_drain.h"
#include "ring/layout.h"
#include "staging/log_marks.h"
#include "users.h"

namespace steno_test {
namespace {

class ForgeryTest : public OrphanTest {
 protected:
  void SetUp() override {
    OrphanTest::SetUp();
    place_in_environment_ = {"STENO_STAGING=" + place_};
  }

  // Leaves an orphan with one message, in the place.
  void leave_orphan(uid_t user, const std::string& file, const std::string& message) {
    const Ran ran = run_as(user, {orphan_, file, place_, message});
    ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out;
  }

  // Makes the attacker's orphan say that it logs into `file`.
  void redirect(const std::string& file) {
    char path[sizeof(steno::ring::SessionFile::log_path)] = {};
    file.copy(path, sizeof path - 1);
    const std::string staging = only_staging_of(kAttacker);
    std::fstream session(staging + "/session", std::ios::in | std::ios::out | std::ios::binary);
    session.seekp(offsetof(steno::ring::SessionFile, log_path));
    session.write(path, sizeof path);
    ASSERT_TRUE(session.good());
    for (const std::string& key : steno::staging::log_keys(file)) ASSERT_TRUE(steno::staging::add_mark(staging, key));
  }

  // Puts the attacker's staging where the victim's is looked for, open to him.
  void plant() {
    ASSERT_EQ(rename(staging_of(kAttacker).c_str(), staging_of(kVictim).c_str()), 0);
    ASSERT_EQ(chmod(staging_of(kVictim).c_str(), 0755), 0);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(staging_of(kVictim))) {
      if (entry.is_symlink()) continue;
      ASSERT_EQ(chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644), 0);
    }
  }

  // Returns the only session in a user's staging.
  std::string only_staging_of(uid_t user) const {
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(staging_of(user))) {
      if (entry.path().filename() != "by-log") found = entry.path();
    }
    return found;
  }

  Ran cat(uid_t user, const std::string& file) { return run_as(user, {steno_, "cat", file}, place_in_environment_); }

  std::vector<std::string> place_in_environment_;
};

TEST_F(ForgeryTest, OnesOwnIsShown) {
  const std::string file = home(kVictim) + "/log.steno";
  leave_orphan(kVictim, file, "genuine");
  const Ran ran = cat(kVictim, file);
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("genuine"), std::string::npos) << ran.out;
}

TEST_F(ForgeryTest, PlantedStagingIsNotShownNorRecovered) {
  const std::string file = home(kVictim) + "/log.steno";
  ASSERT_EQ(run_as(kVictim, {orphan_, file, home(kVictim), "genuine"}).code, 128 + SIGKILL);
  leave_orphan(kAttacker, home(kAttacker) + "/log.steno", "forged");
  redirect(file);
  plant();
  for (const char* command : {"cat", "recover", "cat", "verify", "ps"}) {
    SCOPED_TRACE(command);
    std::vector<std::string> arguments = {steno_, command};
    if (std::string(command) != "ps") arguments.push_back(file);
    const Ran ran = run_as(kVictim, arguments, place_in_environment_);
    EXPECT_LT(ran.code, 128) << ran.out;
    EXPECT_EQ(ran.out.find("forged"), std::string::npos) << ran.out;
  }
  // And the next start goes its way.
  const Ran ran = run_as(kVictim, {orphan_, file, place_, "next"});
  EXPECT_EQ(ran.code, 128 + SIGKILL) << ran.out;
  EXPECT_NE(ran.out.find(staging_of(kVictim) + " belongs to user"), std::string::npos) << ran.out;
}

// A name under which reading waits for ever.
TEST_F(ForgeryTest, PlantedPipesDoNotStopAnyone) {
  const std::string file = home(kVictim) + "/log.steno";
  ASSERT_EQ(run_as(kVictim, {orphan_, file, home(kVictim), "genuine"}).code, 128 + SIGKILL);
  for (const char* name : {"session", "dictionary", "ring-0"}) {
    SCOPED_TRACE(name);
    leave_orphan(kAttacker, home(kAttacker) + "/log.steno", "forged");
    redirect(file);
    const std::string file_there = only_staging_of(kAttacker) + "/" + name;
    ASSERT_EQ(unlink(file_there.c_str()), 0);
    ASSERT_EQ(mkfifo(file_there.c_str(), 0644), 0);
    ASSERT_EQ(chown(file_there.c_str(), kAttacker, kAttacker), 0);
    EXPECT_LT(cat(0, file).code, 128);  // root looks at everybody's
    EXPECT_LT(run_as(0, {steno_, "ps"}, place_in_environment_).code, 128);
    plant();
    EXPECT_LT(cat(kVictim, file).code, 128);
    EXPECT_EQ(run_as(kVictim, {orphan_, file, place_, "next"}).code, 128 + SIGKILL);
    std::filesystem::remove_all(staging_of(kVictim));
  }
}

// Root sees everybody's staging: as part of a log only that of the log's owner, or its own.
TEST_F(ForgeryTest, RootIsNotShownWhatUsersSayIsRoots) {
  const std::string own = home(kAttacker) + "/log.steno";
  leave_orphan(kAttacker, own, "by the user");
  Ran ran = cat(0, own);
  EXPECT_NE(ran.out.find("by the user"), std::string::npos) << ran.out;

  const std::string file = place_ + "/root.steno";
  ASSERT_EQ(run_as(0, {orphan_, file, place_, "by root"}).code, 128 + SIGKILL);
  redirect(file);
  ran = cat(0, file);
  EXPECT_NE(ran.out.find("by root"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("by the user"), std::string::npos) << ran.out;
  ran = run_as(0, {steno_, "recover", file}, place_in_environment_);
  EXPECT_EQ(ran.code, 0) << ran.out;
  ran = cat(0, file);
  EXPECT_NE(ran.out.find("by root"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("by the user"), std::string::npos) << ran.out;
}

// Recovery writes with the rights of who runs it, where the staging says: root does it for nobody else.
TEST_F(ForgeryTest, RootDoesNotRecoverUsersStaging) {
  const std::string file = place_ + "/victim-of-root.steno";
  leave_orphan(kAttacker, home(kAttacker) + "/log.steno", "forged");
  redirect(file);
  const std::string directory = only_staging_of(kAttacker);
  (void)run_as(0, {steno_, "recover", "--root", place_, file});
  for (const std::vector<std::string>& output : {std::vector<std::string>{}, {"--output", file}}) {
    std::vector<std::string> command = {steno_, "recover", "--staging", directory};
    command.insert(command.end(), output.begin(), output.end());
    const Ran ran = run_as(0, command);
    EXPECT_NE(ran.out.find("recover it as that user"), std::string::npos) << ran.out;
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(directory + "/session"));
}

// A sparse file is as long as one likes.
TEST_F(ForgeryTest, LongFilesAreNotReadIntoMemory) {
  const std::string file = home(kAttacker) + "/log.steno";
  for (const char* name : {"session", "dictionary", "ring-0"}) {
    SCOPED_TRACE(name);
    leave_orphan(kAttacker, file, "long");
    ASSERT_EQ(truncate((only_staging_of(kAttacker) + "/" + name).c_str(), off_t{1} << 40), 0);
    EXPECT_LT(cat(0, file).code, 128);
    EXPECT_LT(cat(kAttacker, file).code, 128);
    std::filesystem::remove_all(staging_of(kAttacker));
  }
}

// Whoever looks at another user's staging survives what that user does to it meanwhile.
TEST_F(ForgeryTest, StagingThatIsCutShortUnderRootDoesNotEndIt) {
  using steno::staging::ForeignStaging;
  const std::string file = home(kAttacker) + "/log.steno";
  leave_orphan(kAttacker, file, "short");
  const std::string directory = only_staging_of(kAttacker);
  as_user(0, [&] {
    auto view = ForeignStaging::open(directory, ForeignStaging::Access::kRead);
    ASSERT_TRUE(view.ok()) << view.status().message();
    ASSERT_EQ(view->rings().size(), 1u);
    steno::live::StagingDrain drain(*view);
    for (const char* name : {"session", "dictionary", "ring-0"})
      ASSERT_EQ(truncate((directory + "/" + name).c_str(), 0), 0);
    steno::ByteBuffer blocks;
    drain.begin(blocks);
    EXPECT_FALSE(drain.next(blocks));
    EXPECT_FALSE(drain.refresh());
    EXPECT_TRUE(view->same_session());
    steno::staging::RingFacts facts;
    EXPECT_FALSE(view->rings()[0].read(&facts));
  });
}

// Counts files that are opened or read beneath a directory, from here on.
class Accesses {
 public:
  void watch(const std::string& path) {
    ASSERT_GE(inotify_add_watch(fd_, path.c_str(), IN_OPEN | IN_ACCESS), 0) << path << ": " << strerror(errno);
  }
  ~Accesses() { close(fd_); }
  std::size_t count() const {
    alignas(inotify_event) char buffer[4096];
    const ssize_t n = read(fd_, buffer, sizeof buffer);
    return n > 0 ? static_cast<std::size_t>(n) / sizeof(inotify_event) : 0;
  }

 private:
  const int fd_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
};

TEST_F(ForgeryTest, RootStartsAndRecoversWithoutALookAtOthersStaging) {
  leave_orphan(kAttacker, home(kAttacker) + "/log.steno", "not for root");
  const std::string file = place_ + "/root.steno";
  ASSERT_EQ(run_as(0, {orphan_, file, place_, "by root"}).code, 128 + SIGKILL);
  redirect(file);
  const std::string directory = only_staging_of(kAttacker);
  Accesses accesses;
  for (const std::string& path : {staging_of(kAttacker), directory, directory + "/session"}) accesses.watch(path);
  ASSERT_EQ(run_as(0, {orphan_, file, place_, "again"}).code, 128 + SIGKILL);
  EXPECT_EQ(run_as(0, {steno_, "recover", file}, place_in_environment_).code, 0);
  if (steno::test::take_shared_memory()) {
    EXPECT_EQ(run_as(0, {steno_, "recover", "--all"}, place_in_environment_).code, 0);
  }
  EXPECT_NE(cat(0, file).out.find("again"), std::string::npos);
  EXPECT_EQ(accesses.count(), 0u);
  EXPECT_NE(run_as(0, {steno_, "ps"}, place_in_environment_).out.find("orphan"), std::string::npos);
  EXPECT_NE(accesses.count(), 0u);  // else the test sees nothing
}

// A dictionary that is a hole costs its owner nothing: reading it must not cost others.
TEST_F(ForgeryTest, HolesAreNotRead) {
  const std::string file = home(kAttacker) + "/log.steno";
  leave_orphan(kAttacker, file, "hollow");
  const std::string directory = only_staging_of(kAttacker);
  ASSERT_EQ(truncate((directory + "/dictionary").c_str(), off_t{1} << 28), 0);
  const auto bytes_read = [] {
    std::ifstream io("/proc/self/io");
    std::string name;
    std::uint64_t bytes = 0;
    io >> name >> bytes;
    EXPECT_EQ(name, "rchar:");
    return bytes;
  };
  as_user(0, [&] {
    const std::uint64_t before = bytes_read();
    auto salvage = steno::live::salvage(directory);
    ASSERT_TRUE(salvage.ok()) << salvage.status().message();
    EXPECT_EQ(salvage->records, 1u);
    EXPECT_LT(bytes_read() - before, 2u << 20);
  });
  Accesses accesses;
  accesses.watch(directory + "/dictionary");
  EXPECT_NE(run_as(0, {steno_, "ps"}, place_in_environment_).out.find("orphan"), std::string::npos);
  EXPECT_EQ(accesses.count(), 0u);
  // A ring of holes is none.
  ASSERT_EQ(truncate((directory + "/ring-0").c_str(), 0), 0);
  ASSERT_EQ(truncate((directory + "/ring-0").c_str(), 4096 + (off_t{1} << 30)), 0);
  as_user(0, [&] {
    auto view = steno::staging::ForeignStaging::open(directory, steno::staging::ForeignStaging::Access::kRead);
    ASSERT_TRUE(view.ok()) << view.status().message();
    ASSERT_EQ(view->problems().size(), 1u);
    EXPECT_NE(view->problems()[0].find("its pages are missing"), std::string::npos) << view->problems()[0];
  });
}

// A file that says it is root's log, as every copy of that does, is not given what waits for the log.
TEST_F(ForgeryTest, ACopyOfALogDoesNotReceiveWhatWaitsForIt) {
  const std::string file = place_ + "/root.steno";
  ASSERT_EQ(run_as(0, {orphan_, file, place_, "for root only"}).code, 128 + SIGKILL);
  const std::string copy = home(kAttacker) + "/copy.steno";
  std::filesystem::copy_file(file, copy);
  ASSERT_EQ(chown(copy.c_str(), kAttacker, kAttacker), 0);
  const auto size = std::filesystem::file_size(copy);
  Ran ran = run_as(0, {steno_, "recover", copy}, place_in_environment_);
  EXPECT_EQ(ran.out, copy + ": nothing to recover\n");
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(std::filesystem::file_size(copy), size);
  // The log itself is recovered by its new name.
  const std::string renamed = place_ + "/renamed.steno";
  ASSERT_EQ(rename(file.c_str(), renamed.c_str()), 0);
  ran = run_as(0, {steno_, "recover", renamed}, place_in_environment_);
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("recovered 1 record into " + renamed), std::string::npos) << ran.out;
}

// Nor is what somebody else has put in its place.
TEST_F(ForgeryTest, AnothersFileInTheLogsPlaceDoesNotReceiveWhatWaitsForIt) {
  const std::string shared = place_ + "/shared";
  ASSERT_EQ(mkdir(shared.c_str(), 0755), 0);
  ASSERT_EQ(chmod(shared.c_str(), 0777), 0);
  const std::string file = shared + "/root.steno";
  ASSERT_EQ(run_as(0, {orphan_, file, place_, "for root only"}).code, 128 + SIGKILL);
  const std::string moved = home(kAttacker) + "/root.steno";
  std::filesystem::copy_file(file, moved);
  ASSERT_EQ(chown(moved.c_str(), kAttacker, kAttacker), 0);
  ASSERT_EQ(rename(moved.c_str(), file.c_str()), 0);
  const auto size = std::filesystem::file_size(file);
  const Ran ran = run_as(0, {steno_, "recover", file}, place_in_environment_);
  EXPECT_EQ(ran.code, 3) << ran.out;
  EXPECT_EQ(std::filesystem::file_size(file), size);
}

}  // namespace
}  // namespace steno_test
