// steno tail: the end of a log, and what comes.
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "api/follower.h"
#include "command.h"
#include "filter_options.h"
#include "format_options.h"
#include "inputs.h"
#include "output.h"
#include "printing.h"
#include "progress.h"

namespace steno::cli {
namespace {

struct TailOptions : FormatOptions {
  query::FilterOptions filter;
  std::string path;
  std::uint64_t lines = 10;
  bool follow = false;
};

constexpr long kLookNs = 200'000;   // between looks while something comes
constexpr long kQuietNs = 400'000;  // while nothing does
volatile std::sig_atomic_t stop_asked = 0;

void print_end(const reader::LogSet& logs, const TailOptions& options, const Printing::MakeFormat& format, Output* output) {
  const auto filter = filter_of(options.filter, logs);
  PrintOptions print;
  print.read.filter = filter.get();
  print.tail = options.lines;
  Progress progress(0, true);
  Printing printing(logs, print, format, nullptr, output, &progress);
  printing.run();
}

void follow(api::Follower& follower, const TailOptions& options, const Printing::MakeFormat& make_format, Output& output) {
  std::signal(SIGINT, [](int) { stop_asked = 1; });
  std::signal(SIGTERM, [](int) { stop_asked = 1; });
  std::unique_ptr<LineFormat> format;
  const auto print = [&](const reader::Slice& slice) {
    reader::Slice one = slice;
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      one.begin = i;
      one.end = i + 1;
      if (slice.block->group(i).site->info().level >= options.filter.min_level) format->append({&one, 1}, output.buffer());
      if (!output.tick()) return false;
    }
    return true;
  };
  while (stop_asked == 0 && output.good()) {
    // Anew for each look: what it remembers of sites and threads is of one look.
    format = make_format();
    const bool soon = follower.poll(print);
    if (!output.flush()) break;
    const timespec pause = {0, soon ? kLookNs : kQuietNs};
    nanosleep(&pause, nullptr);
  }
}

void run_tail(const TailOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  auto format = choose_format(options, options.filter.local, output);
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
    if (wait) {
      complain(status.message() + "; waiting for it");
    } else {
      print_end(logs, options, *format, &output);
    }
    output.flush();
  }
  if (options.follow) follow(follower, options, *format, output);
  finish(output, code);
}

}  // namespace

void add_tail(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<TailOptions>();
  CLI::App* tail = app.add_subcommand("tail", "Print the end of a log, and with -f what is logged from now on");
  tail->add_option("FILE", options->path, "The log file; with -f it need not be there yet")->required();
  tail->add_flag("-f,--follow", options->follow, "Go on, straight from the rings, through restarts and rotation");
  tail->add_option("-n,--lines", options->lines, "How many lines of what is there already (10)");
  add_level_options(*tail, &options->filter);
  add_format_options(*tail, options.get(), "How they are printed");
  tail->footer(
      "A message is printed within about a millisecond of its call. Order is that of time among messages whose "
      "threads\n"
      "were not held up for longer than a look takes (0.2 to 0.4 ms) inside the call; others are printed when they "
      "come.\n\n"
      "Example:\n  steno tail -f --level WARN app.steno");
  tail->callback([options, code] { run_tail(*options, code); });
}

}  // namespace steno::cli
