// steno top: shows live which statements log most.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <set>

#include "base/clock.h"
#include "command.h"
#include "follow/follower.h"
#include "input/inputs.h"
#include "input/processes.h"
#include "options/option_checks.h"
#include "output/output.h"
#include "output/screen.h"
#include "query/filter/time_spec.h"
#include "top/view.h"

namespace steno::cli {
namespace {

struct TopOptions {
  std::vector<std::string> names;
  std::string interval = "1s";
  std::uint64_t count = 0;  // 0: no end
  std::size_t rows = 0;     // 0: what fits
  bool once = false;
  bool json = false;
  bool local = false;
};

constexpr std::int64_t kLookNs = 100'000'000;  // rotations are not to overtake us
constexpr std::int64_t kLeastInterval = 10'000'000;
constexpr std::size_t kPlainRows = 20;

std::int64_t interval_of(const TopOptions& options) {
  const std::string& text = options.interval;
  const bool plain = text.find_first_not_of("0123456789.") == std::string::npos;  // of seconds
  const auto interval = query::parse_duration(plain ? text + "s" : text);
  if (!interval.ok()) throw CLI::ValidationError("--interval", interval.status().message());
  if (*interval < kLeastInterval) throw CLI::ValidationError("--interval", "10ms is the shortest");
  return *interval;
}

// Adds the log path of the process that owns a staging directory.
void add_path_of(const std::string& directory, std::vector<std::string>* paths, ExitCode* code) {
  const auto process = look_at_process(directory);
  if (!process.ok() || process->path.empty()) {
    complain(process.ok() ? directory + ": this process has no log file yet" : process.status().message());
    raise_to(code, kExitUnreadable);
    return;
  }
  if (std::find(paths->begin(), paths->end(), process->path) == paths->end()) paths->push_back(process->path);
}

// The files of all that was named: files themselves, processes by number, staging directories.
std::vector<std::string> paths_of(const std::vector<std::string>& names, ExitCode* code) {
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (name == "-") throw CLI::ValidationError("top watches files and processes, not standard input");
    struct stat st {};
    const bool exists = ::stat(name.c_str(), &st) == 0;
    const auto pid = staging::parse_process_number(name);
    if (!exists && pid) {
      const std::vector<std::string> found = staging::find_staging_of_process(*pid);
      for (const std::string& directory : found) add_path_of(directory, &paths, code);
      if (!found.empty()) continue;
      complain(name + ": no process that logs with steno; 'steno ps' lists them");
      raise_to(code, kExitUnreadable);
    } else if (exists && S_ISDIR(st.st_mode)) {
      add_path_of(name, &paths, code);
    } else if (std::find(paths.begin(), paths.end(), name) == paths.end()) {
      paths.push_back(name);
    }
  }
  return paths;
}

// The logs that are watched.
class Watch {
 public:
  Watch(const std::vector<std::string>& paths, ExitCode* code) {
    for (const std::string& path : paths) {
      auto follower = std::make_unique<follow::Follower>(path, follow::Follower::Order::kNone);
      reader::LogSet logs;
      std::vector<std::string> problems;
      const Status status = follower->open(&logs, &problems);
      for (const std::string& problem : problems) complain(problem);
      if (status.ok()) {
        paths_.push_back(path);
        followers_.push_back(std::move(follower));
      } else {
        complain(status.message());
        raise_to(code, kExitUnreadable);
      }
    }
  }

  bool empty() const { return followers_.empty(); }
  const std::vector<std::string>& paths() const { return paths_; }

  // Returns whether there may be more at once.
  bool look() {
    bool more = false;
    for (const auto& follower : followers_) {
      more = follower->poll([this](const reader::Slice& slice) {
        counts_.add(slice);
        return true;
      }) || more;
    }
    return more;
  }
  // Each once.
  void report_damage(ExitCode* code) {
    for (const auto& follower : followers_) {
      if (follower->passed_over() && reported_.insert(follower.get()).second) report_skipped(follower->path(), code);
    }
  }
  TopRound end_round(std::int64_t began) {
    return counts_.end_round(wall_now(), 1e-9 * static_cast<double>(monotonic_now() - began));
  }

  std::vector<Process> processes() const {
    std::vector<Process> processes;
    for (const auto& follower : followers_) {
      for (const std::string& directory : follower->staging()) {
        if (auto process = look_at_process(directory); process.ok()) processes.push_back(std::move(process).value());
      }
    }
    return processes;
  }

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<follow::Follower>> followers_;
  std::set<const follow::Follower*> reported_;
  TopCounts counts_;
};

// Shows rounds as they should be: on a screen, or one after the other.
class View {
 public:
  View(const TopOptions& options, const Watch& watch, Output& output)
      : options_(options), watch_(watch), output_(output) {
    if (output.is_terminal() && !options.once && !options.json) screen_ = std::make_unique<Screen>();
    catch_ends();
  }

  void show(const TopRound& round) {
    last_ = round;
    processes_ = watch_.processes();
    draw();
  }

  // Waits. True: the user wants to exit.
  bool wait(std::int64_t ns) {
    if (screen_ == nullptr) {
      const timespec pause = {ns / 1'000'000'000, ns % 1'000'000'000};
      nanosleep(&pause, nullptr);
      return end_asked();
    }
    bool redraw = false;
    const bool leave = screen_->wait(ns, &redraw);
    if (redraw) draw();
    return leave;
  }
  bool has_screen() const { return screen_ != nullptr; }

 private:
  void draw() {
    ByteBuffer& out = output_.buffer();
    TopStyle style;
    style.escape = output_.is_terminal() ? Escape::kTerminal : Escape::kControls;
    style.zone = options_.local ? Zone::kLocal : Zone::kUtc;
    style.rows = options_.rows != 0 ? options_.rows : kPlainRows;
    if (options_.json) {
      append_top_json(last_, processes_, out);
    } else if (screen_ == nullptr) {
      if (!first_) put(out, "\n");
      append_top(last_, processes_, watch_.paths(), style, out);
    } else {
      style.width = screen_->width();
      style.rows = options_.rows;
      append_top(last_, processes_, watch_.paths(), style, out);
      screen_->show({reinterpret_cast<const char*>(out.data()), out.size()});
      out.clear();
    }
    output_.flush();
    first_ = false;
  }

  const TopOptions& options_;
  const Watch& watch_;
  Output& output_;
  std::unique_ptr<Screen> screen_;
  TopRound last_;
  std::vector<Process> processes_;
  bool first_ = true;
};

void watch_rounds(const TopOptions& options, std::int64_t interval, Watch& watch, Output& output, ExitCode* code) {
  View view(options, watch, output);
  const std::uint64_t rounds = options.once ? 1 : options.count;
  std::int64_t began = monotonic_now();
  std::int64_t end = began + interval;
  if (view.has_screen()) view.show(watch.end_round(began));
  for (std::uint64_t round = 0; (rounds == 0 || round < rounds) && output.good(); ++round) {
    for (std::int64_t now = monotonic_now(); now < end; now = monotonic_now()) {
      if (view.wait(std::min(kLookNs, end - now))) return;
      while (watch.look() && monotonic_now() < end) {
      }
    }
    watch.look();
    view.show(watch.end_round(began));
    if (!view.has_screen()) watch.report_damage(code);
    began = monotonic_now();
    end = std::max(end + interval, began);
  }
}

void run_top(const TopOptions& options, ExitCode* code) {
  const std::int64_t interval = interval_of(options);
  Output output(STDOUT_FILENO);
  Watch watch(paths_of(expand_patterns(options.names, code), code), code);
  if (watch.empty()) return;
  watch_rounds(options, interval, watch, output, code);
  watch.report_damage(code);  // not before, for the lines would be on the screen
  finish(output, code);
}

}  // namespace

void add_top(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<TopOptions>();
  CLI::App* top = app.add_subcommand("top", "Show live which statements log most, by records and bytes per second");
  top->add_option("FILE", options->names, "Log files, process ids, or staging directories")->required();
  top->add_option("--interval", options->interval, "Time between updates: 1s, 500ms (default 1s)")->type_name("TIME");
  top->add_option("--count", options->count, "Exit after N updates")->type_name("N")->transform(whole_number(1));
  top->add_option("--top", options->rows,
                  "Number of statements to show (default: as many as fit; 20 if the output is not a terminal)")
      ->type_name("N")
      ->transform(whole_number(1));
  top->add_flag("--once", options->once, "Print one update as a plain table and exit");
  top->add_flag("--json", options->json, "Print one JSON object per update, with all statements");
  top->add_flag("--local", options->local, "Print times in the local time zone");
  top->footer(
      "BYTES: size of the records in their rings, before compression. SHARE: of all records in this update.\n"
      "TOTAL: records since top was started. On a terminal, press q or Ctrl-C to exit.\n\n"
      "Examples:\n  steno top app.steno\n  steno top --top 5 app.steno\n  steno top --interval 5s --count 12 --json "
      "4711");
  top->callback([options, code] { run_top(*options, code); });
}

}  // namespace steno::cli
