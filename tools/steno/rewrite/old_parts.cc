#include "rewrite/old_parts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file_identity.h"
#include "logfile/file_marks.h"

namespace steno::cli {
namespace {

constexpr const char* kMark = ".part-";
constexpr std::size_t kLetters = 6;

bool is_part_name(const std::string& name, const std::string& of) {
  if (name.size() != of.size() + kLetters || !name.starts_with(of)) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(of.size()), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

// Empty: nothing is to be said of it.
std::string look_at(const std::string& path, const std::vector<FileIdentity>& kept) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat st {};
  std::string said;
  if (fd >= 0 && ::fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == ::geteuid() &&
      std::none_of(kept.begin(), kept.end(), [&](const FileIdentity& one) { return one.is(st); })) {
    const bool is_marked = (st.st_mode & 07777) == kPartMode;
    if (is_marked && logfile::mark_removed(fd) == logfile::Writers::kNone && ::unlink(path.c_str()) == 0) {
      said = "removed " + path + ", which an earlier run did not finish";
    } else if (!logfile::is_written_by_others(fd)) {
      said = path + " may be what an earlier run did not finish; remove it if so";
    }
  }
  if (fd >= 0) ::close(fd);
  return said;
}

}  // namespace

std::vector<std::string> remove_old_parts(const std::string& path, const std::vector<std::string>& keep) {
  std::vector<FileIdentity> kept;
  for (const std::string& one : keep) {
    struct stat st {};
    if ((one == "-" ? ::fstat(STDIN_FILENO, &st) : ::stat(one.c_str(), &st)) == 0) kept.push_back(FileIdentity::of(st));
  }
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
  const std::string of = path.substr(directory.size()) + kMark;
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory.empty() ? "." : directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (is_part_name(name, of)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> said;
  for (const std::string& name : names) {
    if (std::string one = look_at(directory + name, kept); !one.empty()) said.push_back(std::move(one));
  }
  return said;
}

}  // namespace steno::cli
