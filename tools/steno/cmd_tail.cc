// steno tail: the end of a log, and what comes.
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <deque>

#include "api/follower.h"
#include "command.h"
#include "format_options.h"
#include "inputs.h"
#include "output.h"

namespace steno::cli {
namespace {

struct TailOptions : FormatOptions {
  std::string path;
  std::uint64_t lines = 10;
  bool follow = false;
};

constexpr long kLookNs = 200'000;   // between looks while something comes
constexpr long kQuietNs = 400'000;  // while nothing does
volatile std::sig_atomic_t stop_asked = 0;

// The last records, as text.
void print_end(const reader::LogSet& logs, Level level, LineFormat& format, std::uint64_t lines, Output& output) {
  std::deque<std::string> last;
  reader::ReadOptions read;
  read.decode.min_level = level;
  reader::Merge merge(logs, read);
  reader::Slice slice;
  ByteBuffer line;
  while (lines != 0 && merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      if (slice.block->group(i).site->info().level < level) continue;
      line.clear();
      format.append(slice, i, line);
      if (last.size() == lines) last.pop_front();
      last.emplace_back(reinterpret_cast<const char*>(line.data()), line.size());
    }
  }
  for (const std::string& text : last) put(output.buffer(), text);
}

void follow(api::Follower& follower, const TailOptions& options, Level level, Output& output) {
  std::signal(SIGINT, [](int) { stop_asked = 1; });
  std::signal(SIGTERM, [](int) { stop_asked = 1; });
  std::unique_ptr<LineFormat> format;
  const auto print = [&](const reader::Slice& slice) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      if (slice.block->group(i).site->info().level >= level) format->append(slice, i, output.buffer());
      if (!output.tick()) return false;
    }
    return true;
  };
  while (stop_asked == 0 && output.good()) {
    // Anew for each look: what it remembers of sites and threads is of one look.
    format = std::move(make_format(options, output)).value();
    const bool soon = follower.poll(print);
    if (!output.flush()) break;
    const timespec pause = {0, soon ? kLookNs : kQuietNs};
    nanosleep(&pause, nullptr);
  }
}

void run_tail(const TailOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  Level level = Level::kTrace;
  if (!parse_level(options.level, &level)) {
    throw CLI::ValidationError("--level", "there is no level '" + options.level + "'");
  }
  auto format = make_format(options, output);
  if (!format.ok()) throw CLI::ValidationError(format.status().message());
  api::Follower follower(options.path);
  {
    reader::LogSet logs;
    std::vector<std::string> problems;
    const Status status = follower.open(&logs, &problems);
    for (const std::string& problem : problems) complain(problem);
    const bool wait = options.follow && status.code() == StatusCode::kNotFound;
    if (!status.ok() && !wait) {
      complain(status.message());
      raise_to(code, kExitUnreadable);
      return;
    }
    if (wait) complain(status.message() + "; waiting for it");
    (*format)->begin(output.buffer());
    print_end(logs, level, **format, options.lines, output);
    output.flush();
  }
  if (options.follow) follow(follower, options, level, output);
  finish(output, code);
}

}  // namespace

void add_tail(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<TailOptions>();
  CLI::App* tail = app.add_subcommand("tail", "Print the end of a log, and with -f what is logged from now on");
  tail->add_option("FILE", options->path, "The log file; with -f it need not be there yet")->required();
  tail->add_flag("-f,--follow", options->follow, "Go on, straight from the rings, through restarts and rotation");
  tail->add_option("-n,--lines", options->lines, "How many lines of what is there already (10)");
  add_format_options(*tail, options);
  tail->footer(
      "A message is printed within about a millisecond of its call. Order is that of time among messages whose "
      "threads\n"
      "were not held up for longer than a look takes (0.2 to 0.4 ms) inside the call; others are printed when they "
      "come.\n\n"
      "Example:\n  steno tail -f --level WARN app.steno");
  tail->callback([options, code] { run_tail(*options, code); });
}

}  // namespace steno::cli
