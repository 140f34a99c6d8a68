// Code and commands run as real other users, in a place like /tmp that all of them share.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "../shared_memory.h"

namespace steno_test {

inline constexpr uid_t kVictim = 64321;
inline constexpr uid_t kAttacker = 64322;
inline constexpr unsigned kPatience = 100;  // seconds, then it hangs

inline bool become(uid_t user) {
  return setgroups(0, nullptr) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
}

// Why other users cannot be had here; empty: they can. Tried in a child.
inline const std::string& why_no_users() {
  static const std::string why = [] {
    if (geteuid() != 0) return std::string("needs root, to run code as other users");
    const pid_t child = fork();
    if (child == 0) _exit(become(kVictim) ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return std::string(status == 0 ? "" : "this root may not become another user");
  }();
  return why;
}

inline int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Runs body() in a child that is this user for good, and fails the test if it fails there, dies or hangs.
inline void as_user(uid_t user, const std::function<void()>& body) {
  fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(kPatience);
    if (!become(user)) _exit(99);
    body();
    fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  EXPECT_EQ(wait_for(child), 0) << "as user " << user;
}

struct Ran {
  int code = -1;    // 128 + signal if one ended it; 142 is a hang
  std::string out;  // standard output and error
};

// Runs a command as this user, with nothing in its environment but `environment`.
inline Ran run_as(uid_t user, std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kPatience);  // outlives the exec
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    if (user != 0 && !become(user)) _exit(99);
    std::vector<char*> argv;
    std::vector<char*> envp;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    for (std::string& variable : environment) envp.push_back(variable.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    execve(argv[0], argv.data(), envp.data());
    _exit(98);
  }
  close(ends[1]);
  Ran ran;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);) {
    if (n > 0) ran.out.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  ran.code = wait_for(child);
  return ran;
}

inline unsigned mode_of(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : ~0u;
}

// place_ is a directory like /tmp, everybody's and sticky; below it each user has a private one.
class SecurityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!why_no_users().empty()) GTEST_SKIP() << why_no_users();
    (void)steno::test::take_shared_memory();
    char name[] = "/tmp/steno-security-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    place_ = name;
    ASSERT_EQ(chmod(name, 01777), 0);
    for (const uid_t user : {kVictim, kAttacker}) {
      ASSERT_EQ(mkdir(home(user).c_str(), 0700), 0);
      ASSERT_EQ(chown(home(user).c_str(), user, user), 0);
    }
  }
  void TearDown() override {
    if (place_.empty()) return;
    std::error_code error;
    std::filesystem::remove_all(place_, error);
    // Some staging may have fallen back to the usual place.
    for (const uid_t user : {kVictim, kAttacker}) std::filesystem::remove_all("/dev/shm/" + staging_name(user), error);
  }

  static std::string staging_name(uid_t user) { return "steno-" + std::to_string(user); }
  std::string home(uid_t user) const { return place_ + "/home-" + std::to_string(user); }
  std::string staging_of(uid_t user) const { return place_ + "/" + staging_name(user); }

  // A copy of a program where every user can run it.
  std::string program(const std::string& path) const {
    const std::string copy = place_ + "/" + path.substr(path.rfind('/') + 1);
    std::error_code error;
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::skip_existing, error);
    EXPECT_EQ(chmod(copy.c_str(), 0755), 0) << copy;
    return copy;
  }

  std::string place_;
};

// Puts the command, and the program that leaves an orphan, where every user can run them.
class OrphanTest : public SecurityTest {
 protected:
  void SetUp() override {
    SecurityTest::SetUp();
    if (IsSkipped()) return;
    orphan_ = program(STENO_ORPHAN);
    steno_ = program(STENO_BINARY);
  }

  std::string orphan_;
  std::string steno_;
};

}  // namespace steno_test
