#include "staging/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/kill_point.h"
#include "ring/session_access.h"
#include "staging/log_marks.h"
#include "staging/memory.h"

namespace steno::staging {
namespace {

// set_mode() for a directory that we may not even open. By way of /proc, which follows no link.
void make_usable(const std::string& path) {
  const int fd = open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  struct stat st {};
  if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0700) != 0700)
    (void)chmod(("/proc/self/fd/" + std::to_string(fd)).c_str(), (st.st_mode & 0077) | 0700);
  close(fd);
}

}  // namespace

std::vector<std::string> staging_roots(const std::string& directory) {
  const char* tmpdir = secure_getenv("TMPDIR");  // not a caller's, where we have rights that he has not
  std::vector<std::string> roots;
  for (const std::string& root :
       {directory, std::string("/dev/shm"), std::string(tmpdir != nullptr ? tmpdir : ""), std::string("/tmp")}) {
    if (!root.empty() && std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  }
  return roots;
}

std::string user_directory(const std::string& root) {
  return user_directory(root, geteuid());
}

std::string user_directory(const std::string& root, uid_t user) {
  return root + "/steno-" + std::to_string(user);
}

Result<int> open_user_directory(const std::string& root, bool make) {
  const std::string path = user_directory(root);
  if (make && mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("cannot make " + path, errno);
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = open(path.c_str(), kFlags);
  if (fd < 0 && errno == EACCES && make) {
    make_usable(path);
    fd = open(path.c_str(), kFlags);
  }
  if (fd < 0) return failed("cannot open " + path, errno);
  struct stat st {};
  if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 0077) != 0) {
    close(fd);
    return Status(StatusCode::kPermissionDenied, st.st_uid != geteuid()
                                                     ? path + " belongs to user " + std::to_string(st.st_uid)
                                                     : path + " is open to others: chmod 700 it");
  }
  if (make) (void)set_mode(fd, 0700);
  return fd;
}

void remove_staging(int directory_fd, const std::string& path, ring::SessionFile* session) {
  std::vector<std::string> keys;
  if (session != nullptr) {
    const std::string log(session->log_path, strnlen(session->log_path, sizeof session->log_path));
    if (!log.empty()) keys = log_keys(log);
    ring::store_state(*session, ring::kRemoving);
  }
  DIR* listing = fdopendir(openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return;
  bool all = true;
  while (const dirent* entry = readdir(listing)) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "session") == 0) continue;
    all &= unlinkat(directory_fd, entry->d_name, 0) == 0 || errno == ENOENT;
    STENO_KILL_POINT("staging.file_removed");
  }
  closedir(listing);
  if (!all) return;
  STENO_KILL_POINT("staging.rings_removed");
  unlinkat(directory_fd, "session", 0);
  STENO_KILL_POINT("staging.session_removed");
  if (rmdir(path.c_str()) != 0) return;
  STENO_KILL_POINT("staging.directory_removed");
  keys.emplace_back(kNoLog);
  for (const std::string& key : keys) remove_mark(path, key);
}

std::uint64_t random_id() {
  std::uint64_t id = 0;
  while (id == 0) {
    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id) {
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      id = (static_cast<std::uint64_t>(now.tv_nsec) << 32 | static_cast<std::uint32_t>(getpid())) * 0x9E3779B97F4A7C15u;
    }
  }
  return id;
}

std::string staging_name(std::uint32_t pid, std::uint64_t nonce) {
  char name[32];
  snprintf(name, sizeof name, "%u-%016llx", pid, static_cast<unsigned long long>(nonce));
  return name;
}

}  // namespace steno::staging
