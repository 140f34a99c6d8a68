// Set-user-id programs: their environment is the caller's, who has not their rights.
#include "users.h"

namespace steno_test {
namespace {

class PrivilegedTest : public SecurityTest {
 protected:
  // Runs the program as the attacker, with everything in the environment that steno knows.
  Ran run(const std::string& program) const {
    const std::string mine = home(kAttacker);
    return run_as(kAttacker, {program, log_},
                  {"STENO_PATH=" + mine + "/evil.steno", "STENO_STAGING=" + mine, "TMPDIR=" + mine, "STENO_LEVEL=OFF"});
  }

  std::string log_ = "/unused";
};

// A program without privileges takes all of the environment: otherwise the test below could not fail.
TEST_F(PrivilegedTest, TheEnvironmentIsTakenFromOneself) {
  const Ran ran = run(program(STENO_PRIVILEGED));
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("STENO_PATH taken"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("level OFF"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("root " + home(kAttacker)), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("staging " + home(kAttacker)), std::string::npos) << ran.out;
}

TEST_F(PrivilegedTest, TheEnvironmentIsIgnoredWithAnothersRights) {
  const std::string copy = program(STENO_PRIVILEGED);
  ASSERT_EQ(chown(copy.c_str(), kVictim, kVictim), 0);
  ASSERT_EQ(chmod(copy.c_str(), 04755), 0);
  log_ = home(kVictim) + "/log.steno";
  const Ran ran = run(copy);
  struct stat st {};
  if (stat(log_.c_str(), &st) != 0 && ran.out.find("cannot open " + log_) != std::string::npos) {
    GTEST_SKIP() << "set-user-id has no effect here: " << ran.out;
  }
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("STENO_PATH ignored"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("level INFO"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find(home(kAttacker)), std::string::npos) << ran.out;
  EXPECT_EQ(st.st_uid, kVictim);
  EXPECT_EQ(st.st_mode & 07777, 0600u);
}

// Files that may not grow: no staging can be made, and whether what was made of it is still there must not be asked as
// the caller, who may not look.
TEST_F(PrivilegedTest, ALimitOfTheCallersDoesNotKeepItFromStarting) {
  const std::string copy = program(STENO_PRIVILEGED);
  ASSERT_EQ(chown(copy.c_str(), kVictim, kVictim), 0);
  ASSERT_EQ(chmod(copy.c_str(), 04755), 0);
  const Ran ran =
      run_as(kAttacker, {"/bin/sh", "-c", "ulimit -f 0; exec " + copy + " " + home(kVictim) + "/log.steno"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("staging \n"), std::string::npos) << ran.out;  // in private memory
}

}  // namespace
}  // namespace steno_test
