#include "web/export.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "output/output.h"
#include "output/printing.h"
#include "reader/loss_text.h"
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

std::string temporary_folder() {
  const char* const set = std::getenv("TMPDIR");
  return set != nullptr && set[0] == '/' ? set : "/tmp";
}

// Opens a new file that has no name any more, so that nothing is left of it however the server ends. Its descriptor, at
// the beginning, which the caller closes.
int open_temporary(logfile::OutputFile* out) {
  const std::string folder = temporary_folder();
  std::string path = folder + "/steno-web-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) {
    const std::string why = std::strerror(errno);
    throw Refused(507, "no temporary file can be made in " + folder + ": " + why +
                           "; set TMPDIR to a directory for them, and start 'steno web' again");
  }
  const Status opened = out->open(path, 0600);
  ::unlink(path.c_str());
  if (opened.ok()) return fd;
  ::close(fd);
  throw Refused(507, opened.message());
}

}  // namespace

Export::Export(std::shared_ptr<const OpenLog> log, const Params& params, WorkMeter* meter)
    : log_(std::move(log)), params_(params), meter_(meter) {
  asked_ = std::make_unique<Asked>(*log_, params_, meter_);
  const std::string as = asked_->text("as");
  for (const ExportFormat& format : kExportFormats) {
    if (as != format.name) continue;
    kind_ = format.kind;
    content_type_ = format.content_type;
    file_name_ = std::string("steno.") + format.suffix;
  }
  if (!kind_ && as != "steno") throw Refused(400, "as: write text, json, csv, logfmt or steno");
  if (!kind_) {
    content_type_ = "application/octet-stream";
    file_name_ = "part.steno";
  }
  try {
    kind_ ? begin_lines() : make_log();
  } catch (...) {
    if (fd_ >= 0) ::close(fd_);
    throw;
  }
}

void Export::begin_lines() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Refused(503, "no pipe can be had: too many files are open");
  fd_ = ends[0];
  try {
    writer_ = std::thread([this, fd = ends[1]] {
      bool whole = false;
      try {
        whole = write(fd);
      } catch (const std::exception&) {  // no memory, for one; whoever reads the file is told that it is not whole
      }
      failed_ = !whole || !log_->is_whole();
      ::close(fd);
    });
  } catch (...) {
    ::close(ends[1]);
    throw;
  }
}

Export::~Export() {
  meter_->stop();
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
  line.origin = lines::origin_of(asked_->logs());
  line.pattern = lines::default_pattern(true, line.origin.any());
  Printing printing(
      asked_->logs(), options, [&] { return lines::make_line_format(*kind_, line); }, nullptr, &output, meter_);
  const bool all = printing.run() && output.flush();
  return all && output.error() == 0 && printing.failures().empty();
}

void Export::make_log() {
  logfile::OutputFile out;
  fd_ = open_temporary(&out);
  write_log(&out);
}

// Writes the log as `steno cut` does.
void Export::write_log(logfile::OutputFile* out) {
  const std::unique_ptr<reader::RowFilter> filter = asked_->row_filter();
  CopyRules rules;
  rules.filter = filter.get();
  rules.new_sessions = true;
  rules.renumber = true;
  rules.meter = meter_;
  const Result<Copied> copied = copy_logs(asked_->logs(), rules, out);
  if (!log_->is_whole()) throw Refused(503, "a file became shorter while it was read; ask again");
  if (!copied.ok()) {
    if (copied.status().code() == StatusCode::kExhausted) {
      throw Refused(507, "the log cannot be made: " + temporary_folder() + " has no room for it; set TMPDIR to a " +
                             "directory with more, and start 'steno web' again");
    }
    throw Refused(500, "the log cannot be made: " + copied.status().message());
  }
  if (!copied->failures.empty()) {
    const reader::DecodeFailure& failure = copied->failures.front();
    throw Refused(500,
                  "the log cannot be made whole: " + failure.file->path() + ": " + reader::describe(failure.damage));
  }
  if (copied->undeclared != 0) {
    throw Refused(500, "the log cannot be made whole: the files do not say what " +
                           reader::counted(copied->undeclared, "record is", "records are"));
  }
  if (copied->records == 0) throw Refused(404, "no record is selected, so there is no log of them");
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
