// Tests in a process of their own, with file systems of their own: mounts that nobody else sees and that vanish with
// the process.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

namespace steno_test {

constexpr int kSkipped = 77;

// Runs body() in a child, whose logging library has seen nothing yet, and fails the test if it fails there, dies, or
// exits otherwise than by returning. To be called while the process has one thread.
inline void in_child(const std::function<void()>& body) {
  fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0) << strerror(errno);
  if (child == 0) {
    body();
    // Through the library's own end.
    std::exit(::testing::Test::HasFailure() ? 1 : ::testing::Test::IsSkipped() ? kSkipped : 0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ASSERT_TRUE(WIFEXITED(status)) << "killed by " << strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) == kSkipped) GTEST_SKIP() << "see above";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "see the failures above";
}

inline bool write_text(const char* path, const std::string& text) {
  FILE* file = fopen(path, "w");
  if (file == nullptr) return false;
  const bool ok = fputs(text.c_str(), file) >= 0;
  return fclose(file) == 0 && ok;
}

// Gives the calling process mounts of its own; without root, as the root of a user namespace. Says what is missing,
// empty: nothing is.
inline std::string take_mounts() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0)
    return std::string("no mounts of our own: unshare: ") + strerror(errno);
  if (user != 0 && (!write_text("/proc/self/setgroups", "deny") ||
                    !write_text("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") ||
                    !write_text("/proc/self/gid_map", "0 " + std::to_string(group) + " 1")))
    return "no mounts of our own: the user namespace cannot be mapped";
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return std::string("no mounts of our own: mount: ") + strerror(errno);
  return {};
}

// Why tests with mounts cannot run here; empty: they can. Tried in a child.
inline const std::string& why_no_mounts() {
  static const std::string why = [] {
    int ends[2];
    if (pipe(ends) != 0) return std::string("no pipe");
    const pid_t child = fork();
    if (child == 0) {
      std::string reason = take_mounts();
      if (reason.empty() && mount("none", "/tmp", "tmpfs", 0, "size=64k") != 0) reason = "no tmpfs can be mounted";
      _exit(write(ends[1], reason.data(), reason.size()) < 0);
    }
    close(ends[1]);
    char buffer[256];
    const ssize_t n = read(ends[0], buffer, sizeof buffer);
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return std::string(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  }();
  return why;
}

// in_child with mounts of its own. Skips the test where that is not allowed.
#define STENO_IN_SANDBOX(...)                                                                  \
  do {                                                                                         \
    if (!::steno_test::why_no_mounts().empty()) GTEST_SKIP() << ::steno_test::why_no_mounts(); \
    ::steno_test::in_child([&] {                                                               \
      ASSERT_EQ(::steno_test::take_mounts(), "");                                              \
      __VA_ARGS__                                                                              \
    });                                                                                        \
  } while (false)

inline void mount_tmpfs(const std::string& where, const std::string& options, unsigned long flags = 0) {
  ASSERT_EQ(mount("none", where.c_str(), "tmpfs", flags, options.c_str()), 0) << where << ": " << strerror(errno);
}
inline void make_read_only(const std::string& where) {
  ASSERT_EQ(mount("none", where.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0) << strerror(errno);
}

// Writes until nothing more goes in. Returns the file's size.
inline std::size_t fill(const std::string& path) {
  FILE* file = fopen(path.c_str(), "w");
  if (file == nullptr) return 0;
  setvbuf(file, nullptr, _IONBF, 0);
  static const char kPage[4096] = {1};
  std::size_t size = 0;
  for (std::size_t unit = sizeof kPage; unit != 0; unit /= 2) {
    while (fwrite(kPage, 1, unit, file) == unit) size += unit;
  }
  fclose(file);
  return size;
}

}  // namespace steno_test
