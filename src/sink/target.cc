#include "sink/target.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/file_identity.h"
#include "logfile/file_marks.h"
#include "logfile/log_place.h"
#include "logfile/rotator.h"
#include "sink/peer_target.h"

namespace steno::sink {
namespace {

constexpr std::int64_t kPathCheckNs = 1'000'000'000;
constexpr int kMostOpenings = 8;

// Writes all of the text, and polls if the descriptor is non-blocking. On an error `*done` is how much was written.
Status write_all(int fd, std::string_view text, std::size_t* done) {
  *done = 0;
  while (*done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + *done, text.size() - *done);
    if (n >= 0) {
      *done += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};  // another process that shares the descriptor made it non-blocking
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return {StatusCode::kIoError, std::generic_category().message(errno)};
    }
  }
  return {};
}

// A descriptor that lines are written to.
class DescriptorTarget : public Target {
 public:
  explicit DescriptorTarget(int fd) : fd_(fd) {}

  bool is_fresh() const override { return fresh_; }
  Status write(std::string_view text, std::span<const Line>) override {
    std::size_t done = 0;
    if (torn_) {  // a write failed within a line: end that line first
      if (Status status = write_all(fd_, "\n", &done); !status.ok()) return status;
      torn_ = false;
    }
    Status status = write_all(fd_, text, &done);
    torn_ = done != 0 && text[done - 1] != '\n';
    if (status.ok()) fresh_ = false;
    return status;
  }

 protected:
  int fd_;
  bool torn_ = false;
  bool fresh_ = false;
};

class ConsoleTarget final : public DescriptorTarget {
 public:
  explicit ConsoleTarget(Console console)
      : DescriptorTarget(console == Console::kStdout ? STDOUT_FILENO : STDERR_FILENO), terminal_(isatty(fd_) == 1) {
    fresh_ = true;
  }

  bool is_terminal() const override { return terminal_; }
  std::string name() const override { return fd_ == STDOUT_FILENO ? "standard output" : "standard error"; }

 private:
  const bool terminal_;
};

class FileTarget final : public DescriptorTarget {
 public:
  FileTarget(const SinkOptions& options, unsigned mode)
      : DescriptorTarget(-1),
        path_(options.path),
        mode_(mode),
        rotator_(options.rotation, options.path, logfile::Rotator::Kind::kText) {}
  ~FileTarget() override { identity_.close(fd_); }

  // Rotates a file of earlier runs, if the options ask for that.
  Status open_first() {
    if (Status status = open(); !status.ok()) return status;
    if (rotator_.options().on_start && !logfile::is_written_by_others(fd_)) rotate();
    rotator_.remove_old(fd_, keep_warning());
    return {};
  }

  void prepare() override {
    if (!open_if_closed().ok()) return;
    follow_path();
    if (rotator_.due(size())) rotate();
  }

  void rotate() override {
    rotator_.skip();
    if (size() == 0) return;
    const Status status = rotator_.rotate(
        fd_, [this](bool) { return open(); }, keep_warning());
    if (status.ok()) rotator_.remove_old(fd_, keep_warning());
  }

  Status write(std::string_view text, std::span<const Line> lines) override {
    if (Status status = open_if_closed(); !status.ok()) return status;
    return DescriptorTarget::write(text, lines);
  }

  void abandon() override { identity_.close(std::exchange(fd_, -1)); }
  std::string name() const override { return path_; }
  std::string take_warning() override {
    if (warnings_.empty()) return {};
    std::string warning = std::move(warnings_.front());
    warnings_.pop_front();
    return warning;
  }

 private:
  // Again where somebody renamed and removed it between our opening it and our saying that we write to it.
  Status open() {
    Status status = open_once();
    for (int i = 1; i < kMostOpenings && status.ok() && regular_ && !logfile::mark_written(fd_); ++i)
      status = open_once();
    if (status.ok()) rotator_.begin(fd_);
    return status;
  }

  // The program may have closed the descriptor, and its number may lead to another file by now.
  Status open_if_closed() {
    if (identity_.holds(fd_)) return {};
    fd_ = -1;
    return open();
  }

  Status open_once() {
    int error = 0;
    auto place = logfile::LogPlace::find(path_, &error);
    if (!place.ok()) return error != 0 ? cannot_open(error) : place.status();
    // Opening a pipe that nobody reads must not block.
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | place->flags();
    const int fd = openat(place->directory_fd(), place->name().c_str(), flags, mode_);
    if (fd < 0) return cannot_open(errno);
    struct stat st {};
    if (fstat(fd, &st) != 0 || (S_ISREG(st.st_mode) && !place->takes(st.st_uid))) {
      close(fd);
      return {StatusCode::kPermissionDenied,
              path_ + ": the file belongs to another user, in a directory where everybody may create files"};
    }
    const int before = std::exchange(fd_, fd);  // first: a child forked in between must not close a number twice
    std::exchange(identity_, FileIdentity::of(st)).close(before);
    torn_ = false;
    fresh_ = st.st_size == 0;
    regular_ = S_ISREG(st.st_mode);
    return {};
  }

  // The size of the file; 0: it is empty, or no regular file.
  std::uint64_t size() const {
    struct stat st {};
    return regular_ && fstat(fd_, &st) == 0 ? static_cast<std::uint64_t>(st.st_size) : 0;
  }

  logfile::Rotator::Warn keep_warning() {
    return [this](const std::string& what) { warnings_.push_back(what); };
  }

  Status cannot_open(int error) const {
    return {error == ENOENT ? StatusCode::kNotFound : StatusCode::kIoError,
            "cannot open " + path_ + ": " + std::generic_category().message(error)};
  }

  // It may have been renamed or removed, by log rotation or by hand.
  void follow_path() {
    const std::int64_t now = monotonic_now();
    if (now - last_check_ < kPathCheckNs) return;
    last_check_ = now;
    struct stat ours {};
    struct stat there {};
    if (fstat(fd_, &ours) != 0 || !S_ISREG(ours.st_mode)) return;
    const bool same = stat(path_.c_str(), &there) == 0 && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
    if (!same) (void)open();  // if that fails, the old file is written on
  }

  const std::string path_;
  const unsigned mode_;
  logfile::Rotator rotator_;
  FileIdentity identity_;
  bool regular_ = false;
  std::int64_t last_check_ = 0;
  std::deque<std::string> warnings_;  // the sink's thread takes them before each write
};

// A function of the program.
class ProgramTarget final : public Target {
 public:
  explicit ProgramTarget(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

  bool wants_lines() const override { return true; }
  Status write(std::string_view, std::span<const Line> lines) override {
    try {
      if (sink_->write(lines.data(), lines.size())) return {};
    } catch (...) {
      return {StatusCode::kIoError, "it threw an exception"};
    }
    return {StatusCode::kIoError, "it refused them"};
  }
  void flush() override {
    try {
      sink_->flush();
    } catch (...) {  // an error of write() has been reported already
    }
  }
  std::string name() const override { return "a sink of the program"; }

 private:
  std::shared_ptr<Sink> sink_;
};

class Callback final : public Sink {
 public:
  explicit Callback(std::function<void(const Line&)> function) : function_(std::move(function)) {}
  bool write(const Line* lines, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) function_(lines[i]);
    return true;
  }

 private:
  std::function<void(const Line&)> function_;
};

}  // namespace

std::string rule_name(const SinkOptions& options) {
  if (!options.name.empty()) return options.name;
  if (options.console != Console::kNone) return "console";
  if (!options.syslog.address.empty()) return "syslog";
  if (!options.journal.address.empty()) return "journal";
  if (options.path.empty()) return "callback";
  return options.path.substr(options.path.rfind('/') + 1);
}

Result<std::unique_ptr<Target>> make_target(const SinkOptions& options, unsigned file_mode) {
  if (options.console != Console::kNone) return std::unique_ptr<Target>(new ConsoleTarget(options.console));
  if (options.callback) {
    return std::unique_ptr<Target>(new ProgramTarget(std::make_shared<Callback>(options.callback)));
  }
  if (is_peer(options)) return make_peer_target(options);
  if (options.sink != nullptr) return std::unique_ptr<Target>(new ProgramTarget(options.sink));
  auto file = std::make_unique<FileTarget>(options, options.file_mode != 0 ? options.file_mode : file_mode);
  if (Status status = file->open_first(); !status.ok()) return status;
  return std::unique_ptr<Target>(std::move(file));
}

}  // namespace steno::sink
