#include "web/export.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "output/output.h"
#include "output/printing.h"
#include "rewrite/copy.h"

namespace steno::cli::web {
namespace {

struct ExportFormat {
  const char* name;
  LineKind kind;
  const char* content_type;
  const char* suffix;
};
constexpr ExportFormat kExportFormats[] = {
    {"text", LineKind::kText, "text/plain; charset=utf-8", "txt"},
    {"json", LineKind::kJson, "application/x-ndjson", "jsonl"},
    {"csv", LineKind::kCsv, "text/csv; charset=utf-8", "csv"},
    {"logfmt", LineKind::kLogfmt, "text/plain; charset=utf-8", "logfmt"},
};

// A file that has no name any more once this is gone.
class TemporaryFile {
 public:
  TemporaryFile() {
    const char* const folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr && folder[0] == '/' ? folder : "/tmp") + "/steno-web-XXXXXX";
    fd_ = ::mkostemp(path_.data(), O_CLOEXEC);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ < 0) return;
    ::unlink(path_.c_str());
    ::close(fd_);
  }

  bool is_there() const { return fd_ >= 0; }
  const std::string& path() const { return path_; }
  // From its beginning. False: not all of it.
  bool send_to(int fd) const {
    std::array<char, 65536> bytes;
    for (off_t at = 0;;) {
      const ssize_t n = ::pread(fd_, bytes.data(), bytes.size(), at);
      if (n <= 0) return n == 0;
      for (ssize_t sent = 0; sent < n;) {
        const ssize_t one = ::write(fd, bytes.data() + sent, static_cast<std::size_t>(n - sent));
        if (one < 0 && errno != EINTR) return false;
        sent += std::max<ssize_t>(one, 0);
      }
      at += n;
    }
  }

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace

Export::Export(std::shared_ptr<const OpenLog> log, const Params& params) : log_(std::move(log)), params_(params) {
  asked_ = std::make_unique<Asked>(*log_, params_, &meter_);
  const std::string as = asked_->text("as");
  for (const ExportFormat& format : kExportFormats) {
    if (as != format.name) continue;
    kind_ = format.kind;
    content_type_ = format.content_type;
    file_name_ = std::string("steno.") + format.suffix;
  }
  if (as == "steno") {
    content_type_ = "application/octet-stream";
    file_name_ = "part.steno";
  }
  if (file_name_.empty()) throw Refused(400, "as: write text, json, csv, logfmt or steno");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Refused(503, "no pipe can be had: too many files are open");
  fd_ = ends[0];
  writer_ = std::thread([this, fd = ends[1]] {
    bool whole = false;
    try {
      whole = kind_ ? write(fd) : write_log(fd);
    } catch (const std::exception&) {  // no memory, for one; whoever reads the file is told that it is not whole
    }
    failed_ = !whole || !log_->is_whole();
    ::close(fd);
  });
}

Export::~Export() {
  meter_.stop();
  if (fd_ >= 0) ::close(fd_);
  if (writer_.joinable()) writer_.join();
}

bool Export::write(int fd) const {
  Output output(fd);
  const std::unique_ptr<reader::RowFilter> filter = asked_->row_filter();
  PrintOptions options;
  options.read.filter = filter.get();
  options.memory = std::size_t{64} << 20;
  lines::LineOptions line;
  line.pattern = lines::default_pattern(true);
  Printing printing(
      asked_->logs(), options, [&] { return lines::make_line_format(*kind_, line); }, nullptr, &output);
  const bool all = printing.run() && output.flush();
  return all && output.error() == 0 && printing.failures().empty();
}

// Writes the log as `steno cut` does. The whole log is made before it is sent: its sessions begin with what only their
// end tells.
bool Export::write_log(int fd) const {
  const TemporaryFile file;
  logfile::OutputFile out;
  if (!file.is_there() || !out.open(file.path(), 0600).ok()) return false;
  const std::unique_ptr<reader::RowFilter> filter = asked_->row_filter();
  CopyRules rules;
  rules.filter = filter.get();
  rules.new_sessions = true;
  rules.renumber = true;
  rules.meter = asked_->meter();
  const auto copied = copy_logs(asked_->logs(), rules, &out);
  out.close();
  if (!copied.ok() || copied->undeclared != 0 || !copied->failures.empty()) return false;
  return file.send_to(fd);
}

bool Export::is_ready() const {
  pollfd look{fd_, POLLIN, 0};
  return ::poll(&look, 1, 100) != 0;
}

std::size_t Export::read(char* bytes, std::size_t size) {
  for (;;) {
    const ssize_t n = ::read(fd_, bytes, size);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    failed_ = true;
    return 0;
  }
}

}  // namespace steno::cli::web
