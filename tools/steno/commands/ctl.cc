// steno ctl: controls processes that log: levels, flush, rotation, statistics.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/absolute_path.h"
#include "base/level_rules.h"
#include "base/name_match.h"
#include "base/suggest.h"
#include "command.h"
#include "control/ask.h"
#include "input/inputs.h"
#include "input/processes.h"
#include "lines/escape.h"
#include "output/output.h"
#include "query/filter/time_spec.h"
#include "staging/find_staging.h"

namespace steno::cli {
namespace {

struct CtlOptions {
  std::string target;
  std::vector<std::string> roots;
  std::string argument;
  std::string timeout = "2s";
  std::int64_t timeout_ns = 0;
  bool json = false;
  bool prometheus = false;
};

constexpr std::int64_t kLongestHintNs = 500'000'000;  // that a hint is waited for

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> staging_of_target(const CtlOptions& options) {
  if (const auto pid = staging::parse_process_number(options.target))
    return staging::find_staging_of_process(*pid, options.roots);
  return staging::find_staging_of(absolute_path(options.target), {}, options.roots);
}

std::string name_of(const Process& process) {
  return "process " + std::to_string(process.pid) + (process.path.empty() ? "" : ", " + process.path);
}

// The processes of the target that run a session. Reports those that cannot answer and, if there are none, all others.
std::vector<Process> sessions_of(const CtlOptions& options, ExitCode* code) {
  std::vector<Process> running;
  std::string others;
  const auto report = [code](const std::string& why) {
    complain(why);
    raise_to(code, kExitUnreadable);
  };
  for (const std::string& directory : staging_of_target(options)) {
    auto process = look_at_process(directory);
    if (!process.ok()) {
      if (process.status().code() != StatusCode::kNotFound) report(process.status().message());
    } else if (process->state == "running") {
      running.push_back(std::move(process).value());
    } else if (process->state == "stopped") {
      report(name_of(*process) + ": stopped");
    } else {
      others += name_of(*process) + ": " + process->state + "; ";
    }
  }
  if (running.empty()) {
    report(options.target + ": no running session found" +
           (others.empty() ? "; 'steno ps' lists the processes that log"
                           : ": " + others.substr(0, others.size() - std::string_view("; ").size())));
  }
  return running;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end == text.npos ? 0 : end + 1)) {
    end = text.find(at);
    parts.push_back(text.substr(0, end));
  }
  return parts;
}

std::string shown(std::string_view text) {
  return escaped(text, Escape::kTerminal);
}

std::string string_in_json(std::string_view text) {
  return "\"" + json_escaped(text) + "\"";
}

// Formats a line of an answer (ring.md §6) for people or as JSON. Empty: a kind of line that this version does not
// know.
std::string list_line(const std::vector<std::string_view>& fields, const Process& process, bool json) {
  const std::string_view kind = fields[0];
  if (json) {
    const std::string head = "{\"pid\":" + std::to_string(process.pid) + ",";
    if (kind == "level" && fields.size() >= 2) return head + "\"level\":" + string_in_json(fields[1]) + "}\n";
    if ((kind == "logger" || kind == "sink") && fields.size() >= 3) {
      return head + "\"" + std::string(kind) + "\":" + string_in_json(fields[2]) +
             ",\"level\":" + string_in_json(fields[1]) + "}\n";
    }
    if (kind != "site" || fields.size() < 6 || !is_number(fields[4])) return {};
    return head + "\"file\":" + string_in_json(fields[3]) + ",\"line\":" + std::string(fields[4]) +
           ",\"level\":" + string_in_json(fields[1]) + ",\"enabled\":" + string_in_json(fields[2]) +
           ",\"format\":" + string_in_json(fields[5]) + "}\n";
  }
  const auto padded_to = [](std::string_view text, std::size_t width) {
    return shown(text) + std::string(text.size() < width ? width - text.size() : 1, ' ');
  };
  if (kind == "level" && fields.size() >= 2) return "level   " + shown(fields[1]) + "\n";
  if (kind == "logger" && fields.size() >= 3) return "logger  " + padded_to(fields[1], 10) + shown(fields[2]) + "\n";
  if (kind == "sink" && fields.size() >= 3) return "sink    " + padded_to(fields[1], 10) + shown(fields[2]) + "\n";
  if (kind != "site" || fields.size() < 6) return {};
  return padded_to(fields[2], 8) + padded_to(fields[1], 10) + shown(fields[3]) + ":" + shown(fields[4]) + "  " +
         shown(fields[5]) + "\n";
}

std::string list_text(std::string_view answer, const Process& process, bool json) {
  std::string out = json ? "" : shown(name_of(process)) + "\n";
  for (const std::string_view line : split(answer, '\n')) out += list_line(split(line, '\t'), process, json);
  return out;
}

// The well-formed lines of an answer to "stats".
std::vector<std::pair<std::string_view, std::string_view>> numbers_of(std::string_view answer) {
  std::vector<std::pair<std::string_view, std::string_view>> numbers;
  for (const std::string_view line : split(answer, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() != 2 || fields[1].empty() || fields[1].size() > 20 ||
        fields[1].find_first_not_of("0123456789") != std::string_view::npos) {
      continue;
    }
    numbers.emplace_back(fields[0], fields[1]);
  }
  return numbers;
}

std::string stats_text(std::string_view answer, const Process& process, bool json) {
  std::string out = json ? "{\"pid\":" + std::to_string(process.pid) + ",\"path\":" + string_in_json(process.path)
                         : shown(name_of(process)) + "\n";
  for (const auto& [name, number] : numbers_of(answer)) {
    out += json ? "," + string_in_json(name) + ":" + std::string(number)
                : "  " + shown(name) + "  " + std::string(number) + "\n";
  }
  return out + (json ? "}\n" : "");
}

// The values in an answer to "stats" that are gauges; the others only grow.
constexpr std::array<std::string_view, 6> kGauges = {"staging_bytes",      "longest_stall_ns", "backlog_bytes",
                                                     "most_backlog_bytes", "lag_ns",           "longest_lag_ns"};

// One sample per line, "steno_records_total{pid="4711",path="app.steno"} 5": counters and gauges.
std::string samples_text(std::string_view answer, const Process& process) {
  std::string path;
  for (const char c : shown(process.path)) {
    if (c == '\\' || c == '"') path += '\\';
    path += c;
  }
  const std::string labels = "{pid=\"" + std::to_string(process.pid) + "\",path=\"" + path + "\"} ";
  std::string out;
  for (const auto& [name, number] : numbers_of(answer)) {
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string_view::npos) continue;
    const bool only_grows = std::find(kGauges.begin(), kGauges.end(), name) == kGauges.end();
    out += "steno_" + std::string(name) + (only_grows ? "_total" : "") + labels + std::string(number) + "\n";
  }
  return out;
}

// Prints samples as Prometheus expects them: those of one metric together, after its type.
std::string grouped_samples(const std::string& samples) {
  std::vector<std::string_view> lines = split(samples, '\n');
  const auto metric_of = [](std::string_view line) { return line.substr(0, line.find('{')); };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](std::string_view a, std::string_view b) { return metric_of(a) < metric_of(b); });
  std::string out;
  std::string_view metric;
  for (const std::string_view line : lines) {
    if (line.empty()) continue;
    if (metric_of(line) != metric) {
      metric = metric_of(line);
      out += "# TYPE " + std::string(metric) + (metric.ends_with("_total") ? " counter\n" : " gauge\n");
    }
    out += std::string(line) + "\n";
  }
  return out;
}

std::string done_text(std::string_view, const Process& process, bool) {
  return shown(name_of(process)) + ": done\n";
}

// Rules of a request that was obeyed, for which there is nothing yet, by the answer to "list": a sentence each.
std::vector<std::string> rules_for_nothing(const std::string& text, std::string_view list) {
  std::vector<std::string> loggers;
  std::vector<std::pair<std::string, std::uint32_t>> places;
  std::vector<std::string> formats;
  for (const std::string_view line : split(list, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields[0] == "logger" && fields.size() >= 3) loggers.emplace_back(fields[2]);
    if (fields[0] != "site" || fields.size() < 6 || !is_number(fields[4])) continue;
    places.emplace_back(fields[3], static_cast<std::uint32_t>(std::stoul(std::string(fields[4]))));
    formats.emplace_back(fields[5]);
  }
  std::vector<std::string> sentences;
  for (const LevelRule& rule : parse_level_rules(text).rules) {
    if (!rule.level) continue;
    const auto is_of_place = [&rule](const auto& place) {
      return path_ends_in(place.first, rule.name) && (rule.of == LevelRule::Of::kFile || place.second == rule.line);
    };
    const auto is_logger = [&rule](const std::string& name) { return is_under(name, rule.name); };
    const auto is_format = [&rule](const std::string& format) { return matches_pattern(format, rule.name); };
    std::string nothing;
    std::string hint;
    if (rule.of == LevelRule::Of::kLogger && std::none_of(loggers.begin(), loggers.end(), is_logger)) {
      nothing = "no logger is named '" + rule.name + "' yet";
      hint = did_you_mean(rule.name, loggers);
    } else if (rule.of == LevelRule::Of::kFile && std::none_of(places.begin(), places.end(), is_of_place)) {
      nothing = "no statement is in a file '" + rule.name + "' yet";
    } else if (rule.of == LevelRule::Of::kLine && std::none_of(places.begin(), places.end(), is_of_place)) {
      nothing = "no statement is at " + rule.name + ":" + std::to_string(rule.line) + " yet";
    } else if (rule.of == LevelRule::Of::kText && std::none_of(formats.begin(), formats.end(), is_format)) {
      nothing = "no statement has a text like '" + rule.name + "' yet";
    }
    if (!nothing.empty()) sentences.push_back(nothing + "; the rule waits for one" + hint);
  }
  return sentences;
}

using Show = std::string (*)(std::string_view answer, const Process& process, bool json);

// Returns whether the request is about the file, and so for whoever drains the session.
bool is_about_file(const std::string& request) {
  return request == "flush" || request == "rotate";
}

// Sessions that are asked as one: the scribe that drains them does it for all, and is named.
struct Asked {
  Process process;
  std::vector<std::string> directories;
};

std::vector<Asked> asked_as_one(const std::vector<Process>& sessions, const std::string& request) {
  std::vector<Asked> all;
  std::map<std::pair<std::string, std::string>, std::size_t> of_scribe;
  for (const Process& process : sessions) {
    const auto scribe = staging::parse_process_number(process.scribe);
    if (!is_about_file(request) || !scribe) {
      all.push_back({process, {process.directory}});
      continue;
    }
    const auto [at, is_new] = of_scribe.try_emplace({process.scribe, process.path}, all.size());
    if (is_new) {
      all.push_back({process, {}});
      all.back().process.pid = *scribe;
    }
    all[at->second].directories.push_back(process.directory);
  }
  return all;
}

// Asks one of them; if its session ends meanwhile, the next.
Result<control::Message> ask(const Asked& asked, const std::string& request, std::int64_t timeout_ns) {
  Result<control::Message> answer = Status(StatusCode::kNotFound, "the session has ended");
  for (const std::string& directory : asked.directories) {
    answer = control::ask(directory, request, timeout_ns);
    if (answer.ok() || answer.status().code() != StatusCode::kNotFound) break;
  }
  return answer;
}

std::string why_silent(const Process& process, const std::string& request) {
  if (process.scribe == "inside")
    return ": the process is busy or stopped, or its version of steno cannot be controlled";
  if (is_about_file(request) && process.scribe != "none")
    return ": the scribe is busy or stopped, or its version of steno cannot be asked this";
  return ": it has no scribe thread (Scribe::kExternal), so it answers only when it calls steno::poll()";
}

void run_ctl(CtlOptions& options, const std::string& request, Show show, ExitCode* code) {
  const auto timeout = query::parse_duration(options.timeout);
  if (!timeout.ok()) throw CLI::ValidationError("--timeout", timeout.status().message());
  options.timeout_ns = *timeout;
  Output output(STDOUT_FILENO);
  std::string samples;
  std::set<std::string> rotated;
  bool is_heard = false;
  bool has_ended = false;
  for (const Asked& asked : asked_as_one(sessions_of(options, code), request)) {
    const Process& process = asked.process;
    // A session that flushes follows a file that another one has renamed: one log is not rotated once a session.
    const bool follows = request == "rotate" && rotated.contains(process.path);
    const auto answer = ask(asked, follows ? "flush" : request, options.timeout_ns);
    std::string problem;
    if (!answer.ok()) {
      // A session that ended meanwhile has written what it logged.
      if (is_about_file(request) && answer.status().code() == StatusCode::kNotFound) {
        has_ended = true;
        continue;
      }
      problem = answer.status().message();
      if (answer.status().code() == StatusCode::kFailedPrecondition) problem += why_silent(process, request);
    } else if (answer->code != control::kDone) {
      problem = answer->text;
    } else {
      is_heard = true;
      if (request.starts_with("level ") && process.scribe == "inside") {  // else it may not answer again for long
        const auto list = ask(asked, "list", std::min(options.timeout_ns, kLongestHintNs));
        if (list.ok() && list->code == control::kDone) {
          for (const std::string& sentence : rules_for_nothing(request.substr(6), list->text))
            complain(name_of(process) + ": " + sentence);
        }
      }
      rotated.insert(process.path);
      if (options.prometheus) {
        samples += samples_text(answer->text, process);
      } else {
        put(output.buffer(), show(answer->text, process, options.json));
      }
      continue;
    }
    complain(name_of(process) + ": " + problem);
    raise_to(code, answer.ok() ? kExitIncomplete : kExitUnreadable);
  }
  if (has_ended && !is_heard) {
    complain(options.target + ": its sessions have ended");
    raise_to(code, kExitUnreadable);
  }
  put(output.buffer(), grouped_samples(samples));
  finish(output, code);
}

}  // namespace

void add_ctl(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<CtlOptions>();
  CLI::App* ctl =
      app.add_subcommand("ctl", "Control a process that logs: change its levels, flush, rotate, show its statistics");
  ctl->add_option("TARGET", options->target, "A process id, or a log file: then every process that writes it")
      ->required();
  ctl->add_option("--root", options->roots,
                  "Another directory to search for staging, besides /dev/shm, $TMPDIR, /tmp and $STENO_STAGING");
  ctl->add_option("--timeout", options->timeout, "Longest wait for an answer: 500ms, 10s")->capture_default_str();
  ctl->require_subcommand(1);
  ctl->footer(  // its subcommands' too
      "The process acts at once and confirms. Only its owner and root may control it. In the output of 'list', "
      "'logger' marks a statement that its logger's level enables or disables. 'level WHAT=inherit' removes the rule "
      "for WHAT, 'level reset' removes all rules.\n\n"
      "Examples:\n  steno ctl 4711 level net=debug\n  steno ctl 4711 disable storage.cc:88\n"
      "  steno ctl 4711 enable 'retry*'");
  const auto add = [&](const char* name, const char* what, Show show) {
    CLI::App* const command = ctl->add_subcommand(name, what);
    command->fallthrough();
    return std::pair(command, show);
  };
  const auto with_argument = [&](const char* name, const char* what, const char* argument, const char* about,
                                 std::string (*request)(const std::string&)) {
    const auto [command, show] = add(name, what, done_text);
    command->add_option(argument, options->argument, about)->required();
    command->callback(
        [options, code, request, show = show] { run_ctl(*options, request(options->argument), show, code); });
  };
  const auto plain = [&](const char* name, const char* what, Show show_answer, bool json) {
    const auto [command, show] = add(name, what, show_answer);
    if (json) command->add_flag("--json", options->json, "Print one JSON object per line");
    if (show_answer == stats_text)
      command->add_flag("--prometheus", options->prometheus, "Print in the text format of Prometheus")
          ->excludes("--json");
    command->callback([options, code, name = std::string(name), show = show] { run_ctl(*options, name, show, code); });
  };
  with_argument("level", "Set levels by rules", "RULES",
                "Rules as in STENO_LEVEL: info,net.http=debug,storage.cc:120=trace",
                [](const std::string& rules) { return "level " + rules; });
  with_argument("enable", "Enable statements", "WHAT", "FILE:LINE, FILE, or a pattern of the format: 'retry*'",
                [](const std::string& what) { return "level " + statement_rule(what, "trace"); });
  with_argument("disable", "Disable statements", "WHAT", "FILE:LINE, FILE, or a pattern of the format: 'retry*'",
                [](const std::string& what) { return "level " + statement_rule(what, "off"); });
  plain("list", "List loggers and statements, with their levels", list_text, true);
  plain("stats", "Show counters: records, bytes, drops, stalls and more", stats_text, true);
  plain("flush", "Write everything logged so far to the file", done_text, false);
  plain("rotate", "Continue the log in a new file", done_text, false);
  plain("dump", "Write the contents of the flight recorder to the file", done_text, false);
}

}  // namespace steno::cli
