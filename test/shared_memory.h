// Shared memory that only the test sees: commands and scribes look at what all programs of the machine left there.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace steno::test {

// Gives the process a /dev/shm of its own, once, which its children have as well; as the user who it is. To be called
// while there is one thread. False: mounts are not allowed here, and it is everybody's.
inline bool take_shared_memory() {
  static const bool taken = [] {
    const uid_t user = geteuid();
    const gid_t group = getegid();
    const auto write_text = [](const char* path, const std::string& text) {
      FILE* const file = std::fopen(path, "w");
      if (file == nullptr) return false;
      const bool written = std::fputs(text.c_str(), file) >= 0;
      return std::fclose(file) == 0 && written;
    };
    const auto mapped = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
    if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
    if (user != 0 && (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", mapped(user)) ||
                      !write_text("/proc/self/gid_map", mapped(group))))
      return false;
    return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("none", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
  }();
  return taken;
}

}  // namespace steno::test
