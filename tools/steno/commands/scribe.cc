// steno scribe: drains the rings of programs that have no scribe of their own.
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <limits>

#include "api/scribe_sinks.h"
#include "base/absolute_path.h"
#include "base/file_part.h"
#include "base/level_name.h"
#include "base/parallel.h"
#include "command.h"
#include "input/inputs.h"
#include "live/external_scribe.h"
#include "logfile/rotator.h"
#include "options/option_checks.h"
#include "output/screen.h"
#include "query/filter/time_spec.h"

namespace steno::cli {
namespace {

constexpr unsigned kMostThreads = 64;
constexpr unsigned kMostThreadsByDefault = 4;

struct ScribeOptions {
  std::vector<std::string> paths;
  std::vector<std::string> roots;
  std::string out;
  std::string sync = "never";
  double flush_seconds = 1;
  double idle_seconds = 0;
  int zstd_level = 0;
  unsigned threads = std::min(thread_count(), kMostThreadsByDefault);
  Rotation rotation;
  std::string keep_for;
  std::string config;
  std::vector<std::string> sinks;
  bool console = false;
  int lifeline = -1;
  bool all = false;
  bool no_zstd = false;
  bool no_keep_up = false;
};

// Raises the limit of descriptors: each drained session needs a few.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// Returns whether the other end of a pipe is closed.
bool is_cut(int lifeline) {
  pollfd end{lifeline, 0, 0};
  return ::poll(&end, 1, 0) == 1 && (end.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

void replace(std::string* text, const std::string& field, const std::string& value) {
  for (std::size_t at = 0; (at = text->find(field, at)) != std::string::npos; at += value.size())
    text->replace(at, field.size(), value);
}

std::string log_of(const std::string& pattern, const ring::SessionFile& session) {
  std::string path = pattern;
  replace(&path, "{pid}", std::to_string(session.pid));
  replace(&path, "{program}", file_part(session.program));
  return path;
}

void check_pattern(const std::string& pattern) {
  std::string rest = pattern;
  replace(&rest, "{pid}", "");
  replace(&rest, "{program}", "");
  if (rest.find_first_of("{}") != std::string::npos)
    throw CLI::ValidationError("--out: the only fields are {program} and {pid}");
}

logfile::SyncPolicy parse_sync(const std::string& text) {
  logfile::SyncPolicy policy;
  if (text == "never") return policy;
  policy.never = false;
  double seconds = 0;
  Level level = Level::kTrace;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text == "block") {
    policy.at_once = Level::kTrace;
  } else if (error == std::errc() && end == text.data() + text.size() && seconds >= 0 && seconds <= 3600) {
    policy.interval_ns = static_cast<std::int64_t>(seconds * 1e9);
  } else if (parse_level_name(text, &level) && level >= Level::kWarn && level <= Level::kCritical) {
    policy.at_once = level;
  } else {
    throw CLI::ValidationError("--sync: write 'never', 'block', a level (warn or higher), or a number of seconds");
  }
  return policy;
}

void check_rotation(ScribeOptions* options) {
  if (!options->keep_for.empty()) {
    const auto age = query::parse_duration(options->keep_for);
    if (!age.ok()) throw CLI::ValidationError("--keep-for: " + age.status().message());
    options->rotation.keep_for = std::chrono::seconds(std::max<std::int64_t>(*age / 1'000'000'000, 1));
  }
  const Status status = logfile::check_rotation(options->rotation, "log.steno");
  if (!status.ok()) throw CLI::ValidationError(status.message());
}

void add_rotation(CLI::App* scribe, ScribeOptions* options) {
  Rotation& rotation = options->rotation;
  scribe->add_option("--rotate-size", rotation.max_bytes, "Rotate a log when it reaches this size: 100MB")
      ->type_name("SIZE")
      ->transform(byte_size());
  scribe->add_option(
      "--rotate-at", rotation.when,
      "Rotate logs at these times: 'hourly', 'midnight', 'daily 03:30', 'weekly sun 03:30', 'every 15m'");
  scribe->add_flag("--local-time", rotation.local_time,
                   "Use the local time zone for times of rotation and in names of files, not UTC");
  scribe->add_option("--rotate-name", rotation.name, "Name of closed logs, made of {stem} {ext} {time} {date} {n}")
      ->capture_default_str();
  scribe->add_option("--keep", rotation.keep, "Keep this many closed logs, and remove older ones")
      ->type_name("N")
      ->transform(whole_number(0, std::numeric_limits<std::uint32_t>::max()));
  scribe->add_option("--keep-for", options->keep_for, "Keep closed logs for this time: 30d");
  scribe->add_option("--keep-bytes", rotation.keep_bytes, "Keep at most this many bytes of closed logs: 10GB")
      ->type_name("SIZE")
      ->transform(byte_size());
}

std::unique_ptr<api::ScribeSinks> open_sinks(const ScribeOptions& options) {
  if (!options.console && options.sinks.empty() && options.config.empty()) return nullptr;
  api::ScribeSinkOptions sinks{
      options.console, options.sinks, options.config, {}, [](const std::string& what) { complain(what); }};
  for (const std::string& path : options.paths) sinks.logs.push_back(absolute_path(path));
  auto opened = api::ScribeSinks::open(std::move(sinks));
  if (!opened.ok()) throw CLI::ValidationError(opened.status().message());
  return std::move(opened).value();
}

void run_scribe(const ScribeOptions& options, ExitCode* code) {
  const std::unique_ptr<api::ScribeSinks> sinks = open_sinks(options);
  live::ExternalScribeOptions scribe;
  for (const std::string& path : options.paths) scribe.paths.push_back(absolute_path(path));
  scribe.all = options.all;
  scribe.roots = options.roots;
  scribe.threads = options.threads;
  scribe.attach.flush_interval_ns = static_cast<std::int64_t>(options.flush_seconds * 1e9);
  scribe.end_when_idle_ns = static_cast<std::int64_t>(options.idle_seconds * 1e9);
  scribe.attach.zstd_level = options.no_zstd ? -1 : options.zstd_level;
  scribe.attach.sync = parse_sync(options.sync);
  scribe.attach.keep_up = !options.no_keep_up;
  scribe.attach.rotation = options.rotation;
  scribe.take_rotation = take_hangup;
  scribe.attach.warn = [](const std::string& what) { complain(what); };
  if (!options.out.empty()) {
    scribe.attach.log_of = [pattern = absolute_path(options.out)](const ring::SessionFile& session) {
      return log_of(pattern, session);
    };
  }
  if (sinks != nullptr) scribe.attach.sinks = [&sinks] { return sinks->current(); };
  allow_many_files();
  catch_ends();
  catch_hangups();
  const int lifeline = options.lifeline;
  const bool all_written = live::ExternalScribe(std::move(scribe)).run([lifeline] {
    return end_asked() || (lifeline >= 0 && is_cut(lifeline));
  });
  if (!all_written) raise_to(code, kExitUnreadable);
}

void add_sinks(CLI::App* scribe, ScribeOptions* options) {
  scribe->add_flag("--console", options->console, "Also print all records to standard output, as 'steno tail' does");
  scribe
      ->add_option("--sink", options->sinks,
                   "Also send all records to this sink. Its keys are those of a configuration file: 'path = "
                   "\"app.log\", level = \"warn\"'")
      ->type_name("KEYS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  scribe
      ->add_option("--config", options->config,
                   "Take sinks from this TOML file: its keys console, [[sinks]] and file_mode, as in programs. Read "
                   "again when it changes")
      ->type_name("FILE");
}

}  // namespace

void add_scribe(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<ScribeOptions>();
  CLI::App* scribe = app.add_subcommand("scribe", "Write the logs of programs that have no scribe of their own");
  scribe->add_option("FILE", options->paths, "Drain sessions that log to these files");
  scribe->add_option(
      "--out", options->out,
      "Drain sessions that name no file, and write them to this one; {program} and {pid} are replaced by theirs");
  scribe->add_flag("--all", options->all, "Drain all sessions that name a file, whichever it is");
  scribe->add_option("--flush", options->flush_seconds, "Longest time in seconds until a record is in its file")
      ->type_name("SECONDS")
      ->check(real_number(0, 3600))
      ->capture_default_str();
  scribe
      ->add_option("--sync", options->sync,
                   "When to force logs to the disk (fsync): never; after each block; after records of this level or "
                   "above (warn or higher); or every so many seconds. Except with never, also at the end of a session")
      ->type_name("never|block|LEVEL|SECONDS")
      ->capture_default_str();
  CLI::Option* const zstd =
      scribe
          ->add_option(
              "--zstd", options->zstd_level,
              "Compress strings with zstd at this level, 1 to 19, wherever it makes them smaller; 0: only where "
              "it makes them half as large as otherwise, or smaller")
          ->type_name("LEVEL")
          ->transform(whole_number(0, 19))
          ->capture_default_str();
  scribe->add_flag("--no-zstd", options->no_zstd, "Never compress strings with zstd")->excludes(zstd);
  scribe
      ->add_option("--threads", options->threads,
                   "Largest number of threads that drain (default: one per core, at most 4)")
      ->type_name("N")
      ->transform(whole_number(1, kMostThreads));
  scribe
      ->add_option("--until-idle", options->idle_seconds, "Exit when there has been no session to drain for this time")
      ->type_name("SECONDS")
      ->check(real_number(0.001, 1e6));
  scribe
      ->add_option("--lifeline", options->lifeline,
                   "Exit, as on SIGTERM, when the other end of the pipe at this file descriptor is closed")
      ->type_name("FD")
      ->transform(whole_number(0, std::numeric_limits<int>::max()));
  scribe->add_flag("--no-keep-up", options->no_keep_up,
                   "Always compress as well as possible, even when the scribe falls behind and programs wait for it");
  scribe->add_option("--root", options->roots,
                     "Another directory to search for staging, besides /dev/shm, $TMPDIR, /tmp and $STENO_STAGING");
  add_rotation(scribe, options.get());
  add_sinks(scribe, options.get());
  scribe->footer(
      "For programs that start with Options::scribe = Scribe::kExternal or STENO_SCRIBE=external. Runs until SIGINT, "
      "SIGTERM or --until-idle; rotates all logs on SIGHUP. It can be killed and started again at any moment: nothing "
      "is lost or written twice. A session that another scribe drains is taken over when that scribe ends.\n\n"
      "Sinks get the records of all sessions within 0.1 s of being drained, or 1 ms on a terminal. A sink that fails "
      "or does not keep up skips lines and reports how many; logs never wait for it and have every record. If a scribe "
      "is killed, lines of its last --flush seconds may be repeated by the sinks of the next scribe, and lines that "
      "its own sinks had not written yet may be missing there.\n\n"
      "Examples:\n  steno scribe app.steno\n  steno scribe --out '/var/log/app/{program}.steno'\n"
      "  steno scribe app.steno --sink 'path = \"warnings.log\", level = \"warn\"'");
  scribe->callback([options, code] {
    if (options->paths.empty() && options->out.empty() && !options->all) {
      throw CLI::RequiredError("FILE, --out or --all");
    }
    check_pattern(options->out);
    (void)parse_sync(options->sync);
    check_rotation(options.get());
    run_scribe(*options, code);
  });
}

}  // namespace steno::cli
