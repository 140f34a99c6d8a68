#include "api/start_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "api/config_file.h"
#include "api/environment.h"
#include "api/log_paths.h"
#include "base/absolute_path.h"
#include "base/ascii.h"
#include "base/level_rules.h"
#include "lines/pattern.h"
#include "logfile/rotator.h"
#include "ring/layout.h"
#include "sink/peer_target.h"

namespace steno::api {
namespace {

constexpr std::size_t kLeastQueue = std::size_t{64} << 10;
constexpr std::size_t kMostQueue = std::size_t{1} << 30;

LevelRules rules_of_environment() {
  return parse_level_rules(environment_value("STENO_LEVEL"));
}

void take_default(const std::vector<LevelRule>& rules, Options* options) {
  for (const LevelRule& rule : rules) {
    if (rule.of == LevelRule::Of::kDefault) options->level = rule.level.value_or(options->level);
  }
}

// The session's level, of the rules; the others are for level_rules().
Status take_level(Options* options) {
  const LevelRules given = parse_level_rules(options->levels);
  if (!given.problems.empty()) return {StatusCode::kInvalidArgument, "levels: " + joined(given.problems)};
  take_default(given.rules, options);
  const LevelRules environment = rules_of_environment();
  take_default(environment.rules, options);
  if (environment.problems.empty()) return {};
  warn(*options, "STENO_LEVEL is '" + shortened(environment_value("STENO_LEVEL")) +
                     "': " + joined(environment.problems) + "; the level is " + level_name(options->level));
  return {};
}

void take_scribe_of_environment(Options* options) {
  const std::string_view who = environment_value("STENO_SCRIBE");
  if (who.empty()) return;
  if (is_word(who, "external")) {
    // A coarse clock, a console and sinks need a scribe in the process: they are the program's choice, and the
    // environment does not undo it.
    const bool needs_thread = options->clock == Clock::kCoarse || options->console || !options->sinks.empty();
    if (!needs_thread || options->scribe == Scribe::kExternal) {
      options->scribe = Scribe::kExternal;
    } else {
      warn(*options,
           "STENO_SCRIBE is 'external', which has no effect: the program has sinks, a console or Clock::kCoarse, which "
           "need a scribe in the process");
    }
  } else if (is_word(who, "thread")) {
    options->scribe = Scribe::kThread;
  } else {
    const char* const instead =
        options->scribe == Scribe::kExternal ? "the scribe is external" : "the scribe is a thread";
    const std::string what = unknown_value("STENO_SCRIBE", who, "thread or external", instead);
    warn(*options, what);
  }
}

bool is_console(const SinkOptions& sink) {
  return sink.console != Console::kNone;
}

void take_scribe_wait_of_environment(Options* options) {
  const std::string_view text = environment_value("STENO_SCRIBE_WAIT");
  if (text.empty()) return;
  constexpr std::pair<std::string_view, ScribeWait> kWays[] = {{"block", ScribeWait::kBlock},
                                                               {"sleep", ScribeWait::kSleep},
                                                               {"yield", ScribeWait::kYield},
                                                               {"spin", ScribeWait::kSpin}};
  std::string_view in_effect;
  for (const auto& [name, way] : kWays) {
    if (is_word(text, name)) {
      options->scribe_wait = way;
      return;
    }
    if (way == options->scribe_wait) in_effect = name;
  }
  const std::string what = unknown_value("STENO_SCRIBE_WAIT", text, "block, sleep, yield or spin",
                                         "the scribe waits by " + std::string(in_effect));
  warn(*options, what);
}

// The console of STENO_CONSOLE, or of Options::console, among the sinks.
void take_console(Options* options) {
  std::vector<SinkOptions>& sinks = options->sinks;
  const auto set = [&sinks](Console console) {
    const auto found = std::find_if(sinks.begin(), sinks.end(), is_console);
    if (found == sinks.end()) {
      sinks.insert(sinks.begin(), SinkOptions{.console = console});
    } else if (console != Console::kNone) {
      found->console = console;
    }
  };
  const auto add = [&](Console console) {
    if (std::none_of(sinks.begin(), sinks.end(), is_console)) set(console);
  };
  if (options->console) add(Console::kStderr);
  options->console = false;  // it is among the sinks
  const std::string_view where = environment_value("STENO_CONSOLE");
  if (where.empty()) return;
  if (options->scribe == Scribe::kExternal && sinks.empty()) {
    if (parse_switch(where) == false) return;
    return warn(*options,
                "STENO_CONSOLE is '" + std::string(where) +
                    "', which has no effect: an external scribe has its own console: 'steno scribe --console'");
  }
  if (const std::optional<bool> on = parse_switch(where)) {
    if (*on) {
      add(Console::kStderr);
    } else {
      std::erase_if(sinks, is_console);
    }
  } else if (is_word(where, "stderr") || is_word(where, "stdout")) {
    set(is_word(where, "stderr") ? Console::kStderr : Console::kStdout);
  } else {
    const bool shown = std::any_of(sinks.begin(), sinks.end(), is_console);
    const std::string what =
        unknown_value("STENO_CONSOLE", where, "1, true, on, yes or stderr; stdout; 0, false, off or no",
                      shown ? "the console is as the program says" : "there is no console");
    warn(*options, what);
  }
}

Status check_sink(const SinkOptions& sink, const Options& options) {
  const auto bad = [](std::string what) { return Status(StatusCode::kInvalidArgument, "a sink: " + what); };
  const int places = (is_console(sink) ? 1 : 0) + (sink.path.empty() ? 0 : 1) + (sink.callback ? 1 : 0) +
                     (sink.sink != nullptr ? 1 : 0) + (sink.syslog.address.empty() ? 0 : 1) +
                     (sink.journal.address.empty() ? 0 : 1);
  if (places != 1) {
    return bad("it needs one of console, path, callback, sink, syslog.address and journal.address, and has " +
               std::to_string(places));
  }
  const auto is_fit = [](char c) { return c > ' ' && c < 0x7F && c != ',' && c != '"' && c != '=' && c != '*'; };
  if (sink.name.size() > 63 || !std::all_of(sink.name.begin(), sink.name.end(), is_fit))
    return bad("name must be up to 63 printable ASCII characters without blanks, commas, quotes, '=' and '*'");
  if (!sink.name.empty() && std::all_of(sink.name.begin(), sink.name.end(), is_digit))
    return bad("name is '" + sink.name +
               "', which a rule would take for the number of a line; use a name with another character");
  if (sink::is_peer(sink)) {
    if (Status status = sink::check_peer(sink); !status.ok()) return bad(status.message());
  }
  if (!sink.path.empty() && sink.path == options.path)
    return bad(sink.path + " is the binary log; choose another path");
  if (sink.queue_bytes < kLeastQueue || sink.queue_bytes > kMostQueue) {
    return bad("queue_bytes is " + std::to_string(sink.queue_bytes) + "; it must be 64 KiB to 1 GiB");
  }
  if (sink.max_rate < -1) return bad("max_rate must be a number of lines, 0 for any number, or -1");
  if (sink.max_rate > 0 && (sink.format != LineFormat::kText || (!is_console(sink) && sink.path.empty())))
    return bad("max_rate works only with text lines on a console or in a file");
  if (Status status = logfile::check_rotation(sink.rotation, sink.path); !status.ok()) return bad(status.message());
  if (sink.pattern.empty()) return {};
  if (sink.format != LineFormat::kText) return bad("pattern works only with LineFormat::kText");
  const auto pattern = lines::parse_pattern(sink.pattern);
  return pattern.ok() ? Status() : bad("pattern: " + pattern.status().message());
}

Status check_recorder(const Options& options) {
  const Recorder& recorder = options.recorder;
  if (recorder.below == Level::kTrace) return {};
  const auto bad = [](const std::string& what) { return Status(StatusCode::kInvalidArgument, "recorder: " + what); };
  if (recorder.below > kLevelOff) return bad("below is not a level");
  if (recorder.trigger < recorder.below)
    return bad("trigger is below recorder.below, but such records go to the recorder and trigger nothing");
  if (recorder.bytes > ring::kMaxCapacity)
    return bad("bytes is " + std::to_string(recorder.bytes) + "; the maximum is 1 GiB");
  if (recorder.time.count() < 0) return bad("time must not be negative");
  return {};
}

// Completes it from the environment, and checks it.
Status complete_and_check(Options* options) {
  take_scribe_of_environment(options);
  take_scribe_wait_of_environment(options);
  take_console(options);
  const bool external = options->scribe == Scribe::kExternal;
  if (external && options->clock == Clock::kCoarse) {
    return {StatusCode::kInvalidArgument, "Clock::kCoarse needs a scribe in the process, which advances it"};
  }
  if (options->path.empty()) {
    const char* path = secure_getenv("STENO_PATH");
    const bool set = path != nullptr && *path != '\0';
    if (set) options->path = path;
    if (!set && !external && options->sinks.empty()) {
      return {StatusCode::kInvalidArgument,
              "no log file: set Options::path, or STENO_PATH in the environment; or Options::console, or a sink"};
    }
  }
  if (options->clock == Clock::kUser && options->user_clock == nullptr) {
    return {StatusCode::kInvalidArgument, "Clock::kUser needs Options::user_clock"};
  }
  if (options->ring_bytes > ring::kMaxCapacity) {
    return {StatusCode::kInvalidArgument,
            "ring_bytes is " + std::to_string(options->ring_bytes) + "; the maximum is 1 GiB"};
  }
  if (options->flush_interval.count() < 0 || options->flush_interval > std::chrono::hours(24) ||
      options->sync_interval.count() < 0 || options->sync_interval > std::chrono::hours(24)) {
    return {StatusCode::kInvalidArgument, "flush_interval and sync_interval must be 0 to 24 hours"};
  }
  if (options->block_at_most.count() < 0) {
    return {StatusCode::kInvalidArgument, "block_at_most must not be negative; kForever waits forever"};
  }
  if (options->zstd_level < -1 || options->zstd_level > 19) {
    return {StatusCode::kInvalidArgument,
            "zstd_level is " + std::to_string(options->zstd_level) + "; it must be -1 to 19"};
  }
  if (options->scribe_nice < -20 || options->scribe_nice > 19) {
    return {StatusCode::kInvalidArgument,
            "scribe_nice is " + std::to_string(options->scribe_nice) + "; it must be -20 to 19"};
  }
  if (options->flush_level < Level::kWarn || (options->sync == Sync::kOnLevel && options->sync_level < Level::kWarn)) {
    return {StatusCode::kInvalidArgument, "flush_level and sync_level must be WARN or above"};
  }
  if (Status status = check_recorder(*options); !status.ok()) return status;
  if (Status status = take_level(options); !status.ok()) return status;
  if (Status status = expand_path("path", options->rotation.local_time, &options->path); !status.ok()) return status;
  options->path = absolute_path(options->path);
  if (Status status = logfile::check_rotation(options->rotation, options->path); !status.ok()) return status;
  if (Status status = complete_sinks(options); !status.ok()) return status;
  if (!options->sinks.empty() && external) {
    return {
        StatusCode::kInvalidArgument,
        "sinks and the console need a scribe in the process; an external one has its own: 'steno scribe --console'"};
  }
  if (options->path.empty() && !external) options->sync = Sync::kNever;
  options->staging_directory = absolute_path(options->staging_directory);
  return {};
}

}  // namespace

Status complete_sinks(Options* options) {
  for (SinkOptions& sink : options->sinks) {
    if (Status status = expand_path("a sink: path", sink.rotation.local_time, &sink.path); !status.ok()) return status;
    TlsOptions& tls = sink.syslog.tls;
    for (std::string* const file : {&sink.path, &tls.ca_file, &tls.cert_file, &tls.key_file})
      *file = absolute_path(*file);
    if (Status status = check_sink(sink, *options); !status.ok()) return status;
  }
  return {};
}

std::vector<LevelRule> environment_rules() {
  return rules_of_environment().rules;
}

std::vector<LevelRule> level_rules(const Options& options) {
  std::vector<LevelRule> rules = parse_level_rules(options.levels).rules;
  const std::vector<LevelRule> environment = environment_rules();
  rules.insert(rules.end(), environment.begin(), environment.end());
  std::erase_if(rules, [](const LevelRule& rule) { return rule.of == LevelRule::Of::kDefault; });
  return rules;
}

void warn(const Options& options, const std::string& what) {
  if (options.on_warning) {
    options.on_warning(what);
  } else {
    fprintf(stderr, "steno: %s\n", what.c_str());
  }
}

Status complete_with_environment(Options* options, ConfigFile* file) {
  const std::string_view path = environment_value("STENO_CONFIG");
  if (path.empty()) return complete(options, file);
  Options with = *options;
  with.config = path;
  Status status = complete(&with, file);
  if (!status.ok()) {
    Options without = *options;
    // The program may need what the file would have said: then the file's mistake is the reason to report.
    if (!complete(&without, file).ok()) return status;
    *options = std::move(without);
    warn(*options, config_without_effect(status.message()));
    return {};
  }
  *options = std::move(with);
  return status;
}

Status complete(Options* options, ConfigFile* file) {
  if (options->config.empty()) return complete_and_check(options);
  options->config = absolute_path(options->config);
  Options without = {.level = options->level};
  take_default(parse_level_rules(options->levels).rules, &without);
  Result<ConfigFile> config = read_config_file(options->config, options);
  if (!config.ok()) return config.status();
  const Status status = complete_and_check(options);
  if (!status.ok()) return config->located(options->config, status);
  *file = std::move(config).value();
  file->level_without = without.level;
  return {};
}

}  // namespace steno::api
