#include "rewrite/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "logfile/file_calls.h"
#include "rewrite/old_parts.h"

namespace steno::cli {
namespace {

// Signals that end a program, save those that say that it is broken.
constexpr int kEnds[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGXCPU, SIGUSR1,
                         SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPIPE};

// The file that a signal removes; nullptr: none.
const char* volatile removed_by_signal = nullptr;

void remove_and_end(int signal) {
  if (const char* const path = removed_by_signal; path != nullptr) ::unlink(path);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

Status failed(const std::string& path, int error) {
  const StatusCode code =
      error == ENOSPC || error == EDQUOT || error == EFBIG ? StatusCode::kExhausted : StatusCode::kIoError;
  return {code, "cannot write " + path + ": " + std::strerror(error)};
}

// Gives a file its name unless something has it, also where the file system has no call for that.
int name_new(const char* part, const char* path) {
  if (logfile::system_file_calls().rename(AT_FDCWD, part, path) == 0) return 0;
  if (errno == EEXIST) return -1;
  // Between the look and the renaming somebody could make such a file; there is no better way here.
  struct stat st {};
  if (::lstat(path, &st) != 0) return ::rename(part, path);
  errno = EEXIST;
  return -1;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

}  // namespace

Status NewFile::make(const std::string& path, const std::vector<std::string>& inputs, bool replace, NewFile* file) {
  struct stat there {};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  mode_t mode = 0666;
  bool known = false;
  for (const std::string& input : inputs) {
    struct stat st {};
    if ((input == "-" ? ::fstat(STDIN_FILENO, &st) : ::stat(input.c_str(), &st)) != 0 || !S_ISREG(st.st_mode)) continue;
    if (exists && st.st_dev == there.st_dev && st.st_ino == there.st_ino) {
      return {StatusCode::kInvalidArgument, path + " is read, so it is not written; name another file"};
    }
    mode &= st.st_mode;
    known = true;
  }
  if (exists && !S_ISREG(there.st_mode)) return {StatusCode::kInvalidArgument, path + " is no file; name a file"};
  if (exists && !replace) {
    return {StatusCode::kInvalidArgument, path + " exists; name another file, or replace it with --force"};
  }
  sigset_t ends;
  sigemptyset(&ends);
  for (const int end : kEnds) {
    sigaddset(&ends, end);
    if (::signal(end, remove_and_end) == SIG_IGN) ::signal(end, SIG_IGN);
  }
  std::string part = path + ".part-XXXXXX";
  // A signal between the making of the file and the note of its name would leave it.
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &ends, &before);
  const int fd = ::mkostemp(part.data(), O_CLOEXEC);
  const int error = errno;
  if (fd >= 0) {
    file->part_ = std::move(part);
    removed_by_signal = file->part_.c_str();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (fd < 0) return failed(path, error);
  ::close(fd);
  file->path_ = path;
  file->mode_ = known ? mode | S_IRUSR | S_IWUSR : 0600;
  file->replace_ = replace;
  if (Status status = file->file_.open(file->part_, 0600); !status.ok()) return status;
  // From here on others see who writes it, so they may see that nobody does any more.
  (void)::fchmod(file->file_.descriptor(), kPartMode);
  return {};
}

NewFile::~NewFile() {
  if (!part_.empty()) ::unlink(part_.c_str());
  file_.close();
  if (!part_.empty()) removed_by_signal = nullptr;
}

Status NewFile::publish() {
  if (Status status = file_.sync(); !status.ok()) return status;
  if (::fchmod(file_.descriptor(), mode_) != 0) return failed(path_, errno);
  // Not over a file that came meanwhile. It stays locked until it has its name: a part that nobody holds is an old one.
  const int done = replace_ ? ::rename(part_.c_str(), path_.c_str()) : name_new(part_.c_str(), path_.c_str());
  if (done != 0) return failed(path_, errno);
  file_.close();
  part_.clear();
  removed_by_signal = nullptr;
  const int directory = ::open(directory_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);  // so that the name survives a crash; file systems that cannot do this do it anyway
    ::close(directory);
  }
  return {};
}

}  // namespace steno::cli
