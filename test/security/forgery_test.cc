// Staging that somebody made to be found by others: it must neither be shown as theirs, nor stop them (ring.md §4.3).
#include <dirent.h>

#include <fstream>

#include "ring/layout.h"
#include "users.h"

namespace steno_test {
namespace {

class ForgeryTest : public SecurityTest {
 protected:
  void SetUp() override {
    SecurityTest::SetUp();
    if (IsSkipped()) return;
    orphan_ = program(STENO_ORPHAN);
    steno_ = program(STENO_BINARY);
    place_in_environment_ = {"STENO_STAGING=" + place_};
  }

  // Leaves an orphan with one message, in the place.
  void leave_orphan(uid_t user, const std::string& file, const std::string& message) {
    const Ran ran = run_as(user, {orphan_, file, place_, message});
    ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out;
  }

  // Makes the attacker's orphan say that it logs into `file`.
  void redirect(const std::string& file) {
    for (const auto& entry : std::filesystem::directory_iterator(staging_of(kAttacker))) {
      char path[sizeof(steno::ring::SessionFile::log_path)] = {};
      file.copy(path, sizeof path - 1);
      std::fstream session(entry.path() / "session", std::ios::in | std::ios::out | std::ios::binary);
      session.seekp(offsetof(steno::ring::SessionFile, log_path));
      session.write(path, sizeof path);
      ASSERT_TRUE(session.good());
    }
  }

  // Puts the attacker's staging where the victim's is looked for, open to him.
  void plant() {
    ASSERT_EQ(rename(staging_of(kAttacker).c_str(), staging_of(kVictim).c_str()), 0);
    ASSERT_EQ(chmod(staging_of(kVictim).c_str(), 0755), 0);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(staging_of(kVictim))) {
      ASSERT_EQ(chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644), 0);
    }
  }

  Ran cat(uid_t user, const std::string& file) { return run_as(user, {steno_, "cat", file}, place_in_environment_); }

  std::string orphan_;
  std::string steno_;
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
    for (const auto& entry : std::filesystem::directory_iterator(staging_of(kAttacker))) {
      ASSERT_EQ(unlink((entry.path() / name).c_str()), 0);
      ASSERT_EQ(mkfifo((entry.path() / name).c_str(), 0644), 0);
      ASSERT_EQ(chown((entry.path() / name).c_str(), kAttacker, kAttacker), 0);
    }
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
  std::string directory;
  for (const auto& entry : std::filesystem::directory_iterator(staging_of(kAttacker))) directory = entry.path();
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
    for (const auto& entry : std::filesystem::directory_iterator(staging_of(kAttacker))) {
      ASSERT_EQ(truncate((entry.path() / name).c_str(), off_t{1} << 40), 0);
    }
    EXPECT_LT(cat(0, file).code, 128);
    EXPECT_LT(cat(kAttacker, file).code, 128);
    std::filesystem::remove_all(staging_of(kAttacker));
  }
}

}  // namespace
}  // namespace steno_test
