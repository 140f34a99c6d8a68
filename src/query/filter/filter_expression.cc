// The filter options as one expression.
#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/name_match.h"
#include "base/suggest.h"
#include "query/filter/bound.h"
#include "query/filter/filter.h"

namespace steno::query {
namespace {

Status with_option(const char* option, const Status& status) {
  return {status.code(), std::string(option) + ": " + status.message()};
}

Expression of_field(Field field, Comparison comparison, Constant constant, bool negated = false) {
  Condition condition;
  condition.field = field;
  condition.comparison = comparison;
  condition.constant = std::move(constant);
  condition.negated = negated;
  return Expression::of(std::move(condition));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Expression of_thread(const std::string& thread) {
  std::vector<Expression> parts;
  parts.push_back(of_field(Field::kThread, Comparison::kEqual, Constant::of_text(thread)));
  if (is_number(thread)) {
    parts.push_back(of_field(Field::kTid, Comparison::kEqual, Constant::of_integer(std::stoll(thread))));
  }
  return Expression::any_of(std::move(parts));
}

Result<Expression> of_grep(const char* option, const std::string& text, bool ignore_case) {
  auto pattern = Pattern::make(text, PatternKind::kRegex, ignore_case);
  if (!pattern.ok()) return with_option(option, pattern.status());
  Condition condition;
  condition.field = Field::kMessage;
  condition.comparison = Comparison::kMatches;
  condition.pattern = std::move(pattern).value();
  return Expression::of(std::move(condition));
}

// Errors name the option.
Result<TimeSpan> span_of(const FilterOptions& options, const TimeContext& times) {
  if (!options.range.empty()) {
    const auto range = parse_range(options.range, times);
    if (!range.ok()) return with_option("--time", range.status());
    if (!range->empty()) return range;
    return Status(StatusCode::kInvalidArgument, "--time: '" + options.range + "' ends before it begins");
  }
  if (options.until.empty() && is_range(options.since)) {
    const auto range = parse_range(options.since, times);
    if (!range.ok()) return with_option("--since", range.status());
    if (!range->empty()) return range;
    return Status(StatusCode::kInvalidArgument, "--since: '" + options.since + "' ends before it begins");
  }
  const auto since = parse_span(options.since, "", times);
  if (!since.ok()) return with_option("--since", since.status());
  const auto span = parse_span(options.since, options.until, times);
  if (!span.ok()) return with_option("--until", span.status());
  if (!options.since.empty() && !options.until.empty() && span->last < span->first - 1) {
    return Status(StatusCode::kInvalidArgument, "--until: '" + options.until + "' is before --since '" + options.since +
                                                    "', so no record can be between them");
  }
  return span;
}

Status add_times(const FilterOptions& options, const TimeContext& times, std::vector<Expression>* all) {
  const auto span = span_of(options, times);
  if (!span.ok()) return span.status();
  const auto add = [&](std::int64_t bound, bool negated) {
    all->push_back(of_field(Field::kTime, Comparison::kLess, Constant::of_integer(bound), negated));
  };
  if (span->first != INT64_MIN) add(span->first, true);
  if (span->last != INT64_MAX) add(span->last + 1, false);
  return {};
}

std::string base_name(const std::string& file) {
  return file.substr(file.rfind('/') + 1);
}

std::string place_of(const wire::SiteInfo& info) {
  return base_name(info.file) + ":" + std::to_string(info.line);
}

// Checks a condition that a site is the one at a place, or is not: a place where no file has one is a mistake; empty
// files have none.
Status check_site(const char* option, const Condition& condition, const std::vector<const reader::Site*>& sites,
                  std::vector<std::string>* unknown) {
  if (sites.empty()) return {};
  Condition is_it = condition;
  is_it.negated = false;
  const Expression expression = Expression::of(std::move(is_it));
  std::vector<std::string> places;
  for (const reader::Site* site : sites) {
    if (bind(expression, *site).kind != Bound::Kind::kFalse) return {};
    places.push_back(place_of(site->info()));
  }
  const std::string& text = condition.constant.text;
  const std::string sentence = std::string(option) + ": there is no statement '" + text + "'";
  if (unknown != nullptr) {
    unknown->push_back(sentence + " yet" + did_you_mean(text, places));
    return {};
  }
  return {StatusCode::kInvalidArgument, sentence + did_you_mean(text, places)};
}

// The error for a thread or logger that no file has. `names`: the existing ones.
Status unknown_name(const char* option, const char* what, const std::string& name,
                    const std::vector<std::string>& names, std::vector<std::string>* unknown) {
  const std::string sentence = std::string("--") + option + ": there is no " + what + " '" + name + "'";
  if (unknown != nullptr) {
    unknown->push_back(sentence + " yet");
    return {};
  }
  return {StatusCode::kInvalidArgument, sentence + did_you_mean(name, names)};
}

struct Names {
  std::vector<std::string> threads;
  std::vector<std::string> tids;
  std::vector<std::string> loggers{""};  // the default one is in no dictionary
  std::vector<std::string> files;        // of statements
  std::vector<std::string> functions;
  std::vector<std::string> pids;  // this and the next two: of sessions
  std::vector<std::string> programs;
  std::vector<std::string> hosts;
  bool all_known = true;  // the sessions are

  explicit Names(const reader::LogSet& logs) {
    for (const auto& file : logs.files()) {
      for (const auto& session : file->sessions()) {
        all_known &= session->known;
        pids.push_back(std::to_string(session->info.pid));
        programs.push_back(session->info.program);
        hosts.push_back(session->info.host);
        for (const reader::Thread& thread : session->dictionary.all_threads()) {
          threads.push_back(thread.display());
          tids.push_back(std::to_string(thread.info.tid));
        }
        for (const reader::Logger& logger : session->dictionary.all_loggers()) loggers.push_back(logger.info.name);
        for (const reader::Site& site : session->dictionary.sites()) {
          if (site.info().id < wire::kFirstUserSite) continue;
          files.push_back(site.info().file);
          functions.push_back(site.info().function);
        }
      }
    }
  }
  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
};

// A number that a condition compares with; empty: it is none that could be one of a thread or process.
std::string number_of(const Constant& constant) {
  if (constant.kind != Constant::Kind::kInteger || constant.integer < 0 || constant.integer > INT64_MAX) return {};
  return std::to_string(static_cast<std::int64_t>(constant.integer));
}

// Checks a condition on a name that sessions have; damage may hide some of them.
Status check_session_name(const Condition& condition, const Names& names, std::vector<std::string>* unknown) {
  const bool is_pid = condition.field == Field::kPid;
  const std::string name = is_pid ? number_of(condition.constant) : condition.constant.text;
  if (!names.all_known || (is_pid && name.empty())) return {};
  const auto& known = is_pid ? names.pids : condition.field == Field::kHost ? names.hosts : names.programs;
  const char* what = is_pid ? "process" : condition.field == Field::kHost ? "host" : "program";
  return Names::has(known, name) ? Status() : unknown_name("where", what, name, known, unknown);
}

// Checks a condition of --where that a thread, logger, host or the like is the one of this name, or is not.
Status check_name(const Condition& condition, const Names& names, std::vector<std::string>* unknown) {
  if (condition.comparison != Comparison::kEqual) return {};
  const Constant& constant = condition.constant;
  if (condition.field == Field::kPid || condition.field == Field::kHost || condition.field == Field::kProgram) {
    return check_session_name(condition, names, unknown);
  }
  if (condition.field == Field::kFunction && !Names::has(names.functions, constant.text)) {
    return unknown_name("where", "function", constant.text, names.functions, unknown);
  }
  if (condition.field == Field::kThread && !Names::has(names.threads, constant.text)) {
    return unknown_name("where", "thread", constant.text, names.threads, unknown);
  }
  if (condition.field == Field::kLogger && !Names::has(names.loggers, constant.text)) {
    return unknown_name("where", "logger", constant.text, names.loggers, unknown);
  }
  if (condition.field == Field::kFile) {
    const auto is_it = [&](const std::string& file) { return path_ends_in(file, constant.text); };
    if (std::any_of(names.files.begin(), names.files.end(), is_it)) return {};
    std::set<std::string> files;
    for (const std::string& file : names.files) files.insert(base_name(file));
    return unknown_name("where", "file", constant.text, {files.begin(), files.end()}, unknown);
  }
  const std::string tid = condition.field == Field::kTid ? number_of(constant) : "";
  if (tid.empty() || Names::has(names.tids, tid)) return {};
  return unknown_name("where", "thread", tid, names.tids, unknown);
}

Status check_names(const FilterOptions& options, const Expression& where, const reader::LogSet& logs,
                   const std::vector<const reader::Site*>& sites, std::vector<std::string>* unknown) {
  const Names names(logs);
  if (names.threads.empty() && unknown == nullptr) return {};  // nobody has logged at all
  for (const std::string& name : options.threads) {
    if (Names::has(names.threads, name) || Names::has(names.tids, name)) continue;
    if (Status status = unknown_name("thread", "thread", name, names.threads, unknown); !status.ok()) return status;
  }
  for (const std::string& name : options.loggers) {
    const auto is_it = [&name](const std::string& logger) { return is_under(logger, name); };
    if (std::any_of(names.loggers.begin(), names.loggers.end(), is_it)) continue;
    if (Status status = unknown_name("logger", "logger", name, names.loggers, unknown); !status.ok()) return status;
  }
  Status status;
  for_each_condition(where, [&](const Condition& condition) {
    if (status.ok()) status = check_name(condition, names, unknown);
    if (status.ok() && condition.field == Field::kSite && condition.comparison == Comparison::kEqual) {
      status = check_site("--where", condition, sites, unknown);
    }
  });
  return status;
}

}  // namespace

IsArgument arguments_of(const std::vector<const reader::Site*>& sites) {
  return [&sites](std::string_view name) {
    return std::any_of(sites.begin(), sites.end(),
                       [name](const reader::Site* site) { return site->find_argument(name).has_value(); });
  };
}

TimeContext times_of(const reader::LogSet& logs, bool local) {
  TimeContext times;
  times.now = wall_now();
  times.local = local;
  const TimeSpan span = recorded_span(logs);
  times.first = span.empty() ? times.now : span.first;
  times.last = span.empty() ? times.now : span.last;
  return times;
}

TimeSpan recorded_span(const reader::LogSet& logs) {
  TimeSpan span{INT64_MAX, INT64_MIN};
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      if (session->min_clock > session->max_clock) continue;
      span.first = std::min(span.first, session->clock.wall(session->min_clock));
      span.last = std::max(span.last, session->clock.wall(session->max_clock));
    }
  }
  return span;
}

Result<TimeSpan> wanted_span(const FilterOptions& options, const reader::LogSet& logs) {
  return span_of(options, times_of(logs, options.local));
}

std::vector<const reader::Site*> statements_of(const reader::LogSet& logs) {
  std::vector<const reader::Site*> sites;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      for (const reader::Site& site : session->dictionary.sites()) {
        if (site.known() && site.info().id >= wire::kFirstUserSite) sites.push_back(&site);
      }
    }
  }
  return sites;
}

Result<Expression> make_expression(const FilterOptions& options, const reader::LogSet& logs,
                                   std::vector<std::string>* unknown) {
  const TimeContext times = times_of(logs, options.local);
  const std::vector<const reader::Site*> sites = statements_of(logs);
  std::vector<Expression> all;
  if (Status status = add_times(options, times, &all); !status.ok()) return status;
  if (options.min_level != Level::kTrace) {
    all.push_back(
        of_field(Field::kLevel, Comparison::kLess, Constant::of_integer(static_cast<int>(options.min_level)), true));
  }
  std::vector<Expression> any;
  for (const std::string& thread : options.threads) any.push_back(of_thread(thread));
  if (!any.empty()) all.push_back(Expression::any_of(std::exchange(any, {})));
  for (const std::string& logger : options.loggers) {
    any.push_back(of_field(Field::kLogger, Comparison::kUnder, Constant::of_text(logger)));
  }
  if (!any.empty()) all.push_back(Expression::any_of(std::exchange(any, {})));
  for (const std::string& site : options.sites) {
    any.push_back(of_field(Field::kSite, Comparison::kEqual, Constant::of_text(site)));
    if (Status status = check_site("--site", any.back().condition, sites, unknown); !status.ok()) return status;
  }
  if (!any.empty()) all.push_back(Expression::any_of(std::exchange(any, {})));
  for (const std::string& grep : options.grep) {
    auto expression = of_grep("--grep", grep, options.ignore_case);
    if (!expression.ok()) return expression.status();
    any.push_back(std::move(expression).value());
  }
  if (!any.empty()) all.push_back(Expression::any_of(std::exchange(any, {})));
  for (const std::string& grep : options.grep_not) {
    auto expression = of_grep("--grep-not", grep, options.ignore_case);
    if (!expression.ok()) return expression.status();
    all.push_back(std::move(expression).value());
    all.back().negate();
  }
  std::vector<Expression> wheres;
  for (const std::string& text : options.expressions()) {
    auto expression = parse_where(text, times, arguments_of(sites));
    if (!expression.ok()) return expression.status();
    if (Status status = check_arguments(*expression, sites, unknown); !status.ok()) return status;
    wheres.push_back(std::move(expression).value());
  }
  all.insert(all.end(), wheres.begin(), wheres.end());
  const Expression where = options.check_names ? Expression::all_of(std::move(wheres)) : Expression();
  if (Status status = check_names(options, where, logs, sites, unknown); !status.ok()) return status;
  return Expression::all_of(std::move(all));
}

}  // namespace steno::query
