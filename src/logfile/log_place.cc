#include "logfile/log_place.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace steno::logfile {
namespace {

constexpr int kMostLinks = 40;  // as the kernel

bool is_everybodys(const struct stat& directory) {
  return (directory.st_mode & S_ISVTX) != 0 && (directory.st_mode & S_IWOTH) != 0;
}

bool has_more_rights_than_others() {
  return geteuid() == 0 || getauxval(AT_SECURE) != 0;
}

// The links of this file system have no path as their target, so only the kernel can follow them.
bool is_proc(int fd) {
  struct statfs fs {};
  return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

// Goes along a path, a component at a time, holding the directory where it is.
class LinkWalk {
 public:
  explicit LinkWalk(const std::string& path) : path_(path), rest_(path) {}
  ~LinkWalk() { close_directory(); }
  LinkWalk(const LinkWalk&) = delete;
  LinkWalk& operator=(const LinkWalk&) = delete;

  // 0: the whole path was followed. Otherwise an error number, or -1: refused() has the reason.
  int go(LogPlace* place) {
    if (!enter(rest_.starts_with('/') ? "/" : ".", AT_FDCWD)) return errno;
    for (;;) {
      const std::string name = take_component();
      const bool last = rest_.find_first_not_of('/') == std::string::npos;
      if (name.empty()) return EISDIR;  // "/"
      if (!last && enter(name.c_str(), fd_)) continue;
      if (!last && errno != ENOTDIR && errno != ELOOP) return errno;
      const int link = openat(fd_, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
      if (link < 0 && (!last || errno != ENOENT)) return errno;
      struct stat st {};
      const bool is_link = link >= 0 && fstat(link, &st) == 0 && S_ISLNK(st.st_mode);
      if (is_link && !is_proc(fd_)) {
        const int error = follow(link, st.st_uid, name);
        close(link);
        if (error != 0) return error;
        continue;
      }
      if (link >= 0) close(link);
      if (!is_link && !last) return ENOTDIR;
      place->fd_ = std::exchange(fd_, -1);
      place->name_ = name + rest_;
      place->flags_ = is_link ? 0 : O_NOFOLLOW;
      return 0;
    }
  }

  Status refused() const { return {StatusCode::kPermissionDenied, refused_}; }

 private:
  std::string take_component() {
    const std::size_t begin = std::min(rest_.find_first_not_of('/'), rest_.size());
    const std::size_t end = std::min(rest_.find('/', begin), rest_.size());
    std::string name = rest_.substr(begin, end - begin);
    rest_.erase(0, end);
    return name;
  }

  // O_DIRECTORY: so that what is mounted on demand is.
  bool enter(const char* name, int from) {
    const int fd = openat(from, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    close_directory();
    fd_ = fd;
    return true;
  }

  void close_directory() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  int follow(int link, uid_t owner, const std::string& name) {
    struct stat directory {};
    if (fstat(fd_, &directory) != 0) return errno;
    const bool ours = owner == geteuid() || owner == 0;
    const bool directorys = owner == geteuid() || owner == directory.st_uid;
    const bool everybodys = is_everybodys(directory);
    if ((everybodys && !directorys) || (has_more_rights_than_others() && !ours)) {
      refused_ =
          path_ + " goes through a symbolic link, '" + name + "', that belongs to user " + std::to_string(owner) +
          (everybodys ? ", in a directory that everybody may write to" : ", who has fewer rights than this program") +
          "; it is not followed: choose another path";
      return -1;
    }
    if (++links_ > kMostLinks) return ELOOP;
    char target[PATH_MAX];
    const ssize_t size = readlinkat(link, "", target, sizeof target);
    if (size <= 0 || size == sizeof target) return size < 0 ? errno : ENAMETOOLONG;
    rest_.insert(0, std::string_view(target, static_cast<std::size_t>(size)));
    return target[0] != '/' || enter("/", AT_FDCWD) ? 0 : errno;
  }

  const std::string& path_;
  std::string rest_;
  int fd_ = -1;
  int links_ = 0;
  std::string refused_;
};

LogPlace& LogPlace::operator=(LogPlace&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  std::swap(flags_, other.flags_);
  return *this;
}

LogPlace::~LogPlace() {
  if (fd_ >= 0) close(fd_);
}

Result<LogPlace> LogPlace::find(const std::string& path, int* error) {
  LogPlace place;
  LinkWalk walk(path);
  *error = walk.go(&place);
  if (*error == 0) return place;
  if (*error > 0) return Status(StatusCode::kIoError, "");
  *error = 0;
  return walk.refused();
}

bool LogPlace::takes(uid_t user) const {
  struct stat st {};
  return user == geteuid() || fstat(fd_, &st) != 0 || !is_everybodys(st) || user == st.st_uid;
}

}  // namespace steno::logfile
