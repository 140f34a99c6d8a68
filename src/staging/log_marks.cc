#include "staging/log_marks.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/absolute_path.h"
#include "base/checksum.h"

namespace steno::staging {
namespace {

constexpr int kMarkAttempts = 100;  // others remove a directory when its last mark goes

std::string key_of(const std::string& path) {
  char key[17];
  std::snprintf(key, sizeof key, "%016llx", static_cast<unsigned long long>(xxh3(path.data(), path.size())));
  return key;
}

// Accessible to this user only, whatever the umask is.
bool make_directory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0) return errno == EEXIST;
  return chmod(path.c_str(), 0700) == 0;
}

std::string resolved(const std::string& path) {
  char real[PATH_MAX];
  if (realpath(path.c_str(), real) != nullptr) return real;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path;
  const std::string directory = slash == 0 ? "/" : path.substr(0, slash);
  if (realpath(directory.c_str(), real) == nullptr) return path;
  const std::string parent = real;
  return (parent == "/" ? "" : parent) + path.substr(slash);
}

// The two parts of a staging directory's path: the user's directory, and its own name.
std::string user_of(const std::string& staging) {
  return staging.substr(0, staging.rfind('/'));
}
std::string name_of(const std::string& staging) {
  return staging.substr(staging.rfind('/') + 1);
}

}  // namespace

std::vector<std::string> log_keys(const std::string& path) {
  const std::string spelt = absolute_path(path);
  const std::string real = resolved(spelt);
  if (real == spelt) return {key_of(spelt)};
  return {key_of(spelt), key_of(real)};
}

std::string resolved_log(const std::string& path) {
  return resolved(absolute_path(path));
}

std::string mark_directory(const std::string& user_directory, const std::string& key) {
  return user_directory + "/by-log/" + key;
}

bool add_mark(const std::string& staging, const std::string& key) {
  const std::string user = user_of(staging);
  const std::string directory = mark_directory(user, key);
  const std::string name = name_of(staging);
  for (int attempt = 0; attempt < kMarkAttempts; ++attempt) {
    if (symlink(("../../" + name).c_str(), (directory + "/" + name).c_str()) == 0 || errno == EEXIST) return true;
    if (errno != ENOENT) return false;
    if (!make_directory(user + "/by-log") && errno != ENOENT) return false;
    if (!make_directory(directory) && errno != ENOENT) return false;
  }
  return false;
}

void remove_mark(const std::string& staging, const std::string& key) {
  const std::string user = user_of(staging);
  const std::string directory = mark_directory(user, key);
  if (unlink((directory + "/" + name_of(staging)).c_str()) != 0) return;
  if (rmdir(directory.c_str()) == 0) rmdir((user + "/by-log").c_str());
}

}  // namespace steno::staging
