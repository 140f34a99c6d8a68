// The filter options as one expression.
#include <algorithm>
#include <limits>
#include <set>

#include "base/clock.h"
#include "base/name_match.h"
#include "base/suggest.h"
#include "query/bound.h"
#include "query/filter.h"

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

Expression of_site(const std::string& text) {
  std::vector<Expression> either;
  either.push_back(of_field(Field::kFile, Comparison::kEqual, Constant::of_text(text)));
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && is_number(text.substr(colon + 1))) {
    std::vector<Expression> both;
    both.push_back(of_field(Field::kFile, Comparison::kEqual, Constant::of_text(text.substr(0, colon))));
    both.push_back(
        of_field(Field::kLine, Comparison::kEqual, Constant::of_integer(std::stoll(text.substr(colon + 1)))));
    either.push_back(Expression::all_of(std::move(both)));
  }
  if (text.size() == 16 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
    const auto id = static_cast<text::Int128>(std::stoull(text, nullptr, 16));
    either.push_back(of_field(Field::kStableId, Comparison::kEqual, Constant::of_integer(id)));
  }
  return Expression::any_of(std::move(either));
}

Result<Expression> of_grep(const std::string& text, bool ignore_case) {
  auto pattern = Pattern::make(text, PatternKind::kRegex, ignore_case);
  if (!pattern.ok()) return with_option("--grep", pattern.status());
  Condition condition;
  condition.field = Field::kMessage;
  condition.comparison = Comparison::kMatches;
  condition.pattern = std::move(pattern).value();
  return Expression::of(std::move(condition));
}

Result<TimeSpan> span_of(const FilterOptions& options, const TimeContext& times) {
  TimeSpan span;
  for (const bool since : {true, false}) {
    const std::string& text = since ? options.since : options.until;
    if (text.empty()) continue;
    const auto time = parse_time(text, times);
    if (!time.ok()) return with_option(since ? "--since" : "--until", time.status());
    if (*time < span.first) {
      return Status(StatusCode::kInvalidArgument, "--until: '" + text + "' is before --since '" + options.since +
                                                      "', so no record can be between them");
    }
    (since ? span.first : span.last) = since ? *time : *time - 1;
  }
  return span;
}

Status add_times(const FilterOptions& options, const TimeContext& times, std::vector<Expression>* all) {
  const auto span = span_of(options, times);
  if (!span.ok()) return span.status();
  const auto add = [&](std::int64_t bound, bool negated) {
    all->push_back(of_field(Field::kTime, Comparison::kLess, Constant::of_integer(bound), negated));
  };
  if (!options.since.empty()) add(span->first, true);
  if (!options.until.empty()) add(span->last + 1, false);
  return {};
}

std::string base_name(const std::string& file) {
  return file.substr(file.rfind('/') + 1);
}

// A site that no file has is a mistake; empty files have none.
Status check_site(const std::string& text, const Expression& expression, const std::vector<const reader::Site*>& sites,
                  std::vector<std::string>* unknown) {
  if (sites.empty()) return {};
  std::vector<std::string> places;
  for (const reader::Site* site : sites) {
    if (bind(expression, *site).kind != Bound::Kind::kFalse) return {};
    const std::string& file = site->info().file;
    places.push_back(base_name(file) + ":" + std::to_string(site->info().line));
  }
  if (unknown != nullptr) {
    unknown->push_back("--site: there is no statement '" + text + "' yet" + did_you_mean(text, places));
    return {};
  }
  return {StatusCode::kInvalidArgument, "--site: there is no statement '" + text + "'" + did_you_mean(text, places)};
}

// The same for a thread or logger that no file has. `names`: the existing ones.
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

  explicit Names(const reader::LogSet& logs) {
    for (const auto& file : logs.files()) {
      for (const auto& session : file->sessions()) {
        for (const reader::Thread& thread : session->dictionary.all_threads()) {
          threads.push_back(thread.display());
          tids.push_back(std::to_string(thread.info.tid));
        }
        for (const reader::Logger& logger : session->dictionary.all_loggers()) loggers.push_back(logger.info.name);
        for (const reader::Site& site : session->dictionary.sites()) {
          if (site.info().id >= wire::kFirstUserSite) files.push_back(site.info().file);
        }
      }
    }
  }
  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
};

// Of a condition of --where that a thread, logger or file is the one of this name, or is not.
Status check_name(const Condition& condition, const Names& names, std::vector<std::string>* unknown) {
  if (condition.comparison != Comparison::kEqual) return {};
  const Constant& constant = condition.constant;
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
  if (condition.field != Field::kTid || constant.kind != Constant::Kind::kInteger || constant.integer < 0 ||
      constant.integer > INT64_MAX) {
    return {};
  }
  const std::string tid = std::to_string(static_cast<std::int64_t>(constant.integer));
  return Names::has(names.tids, tid) ? Status() : unknown_name("where", "thread", tid, names.tids, unknown);
}

Status check_names(const FilterOptions& options, const Expression& where, const reader::LogSet& logs,
                   std::vector<std::string>* unknown) {
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
  });
  return status;
}

}  // namespace

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
    any.push_back(of_site(site));
    if (Status status = check_site(site, any.back(), sites, unknown); !status.ok()) return status;
  }
  if (!any.empty()) all.push_back(Expression::any_of(std::exchange(any, {})));
  for (const std::string& grep : options.grep) {
    auto expression = of_grep(grep, options.ignore_case);
    if (!expression.ok()) return expression.status();
    any.push_back(std::move(expression).value());
  }
  if (!any.empty()) all.push_back(Expression::any_of(std::exchange(any, {})));
  Expression where;
  if (!options.where.empty()) {
    auto expression = parse_where(options.where, times);
    if (!expression.ok()) return expression.status();
    if (Status status = check_arguments(*expression, sites, unknown); !status.ok()) return status;
    where = std::move(expression).value();
    all.push_back(where);
  }
  if (!options.check_names) where = {};
  if (Status status = check_names(options, where, logs, unknown); !status.ok()) return status;
  return Expression::all_of(std::move(all));
}

}  // namespace steno::query
