#include "options/filter_options.h"

#include "base/level_name.h"
#include "input/inputs.h"
#include "options/near_values.h"
#include "options/option_checks.h"
#include "output/table.h"
#include "query/filter/block_bounds.h"

namespace steno::cli {
namespace {

// Returns whether a time is relative to the log itself ("end", "first 5s"), so that it cannot lie outside of it.
bool counts_from_the_log(const std::string& time) {
  for (const char* word : {"start", "end", "first", "last"}) {
    if (time.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

void add_filter_options(CLI::App& app, query::FilterOptions* options) {
  options->check_names = true;
  const char* group = "Which records";
  const char* time = "write a time, like 2026-11-20T14:03:22Z, 14:03:22 or '10m ago'";
  auto* since = app.add_option("--since", options->since,
                               "Records at or after this time: 14:03, '2026-11-20 14:03:22.5', 'yesterday 14:03', "
                               "10m (ago), 'last 30s' (of the log), @1764000000 and more: 'steno help times'")
                    ->check(some_text(time))
                    ->group(group);
  auto* until = app.add_option("--until", options->until, "Records before this time, in the same forms")
                    ->check(some_text(time))
                    ->group(group);
  app.add_option("--time", options->range, "Both in one: 14:03..14:10, 14:03.., ..14:10, 14:03..15m (15 minutes)")
      ->check(some_text("write a range, like 14:03..14:10"))
      ->excludes(since)
      ->excludes(until)
      ->group(group);
  app.add_option("--thread", options->threads, "Records of this thread, by name or thread id; may be repeated")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--logger", options->loggers,
                 "Records of this logger and its children; 'net*' matches every logger with that prefix")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--site", options->sites, "Records of this statement: file.cc:120, file.cc, or its stable id")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option(
         "--grep", options->grep,
         "Records whose message contains this text or matches this regular expression (RE2); given again: one of them")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--grep-not", options->grep_not, "Records whose message does not; given again: none of them")
      ->group(group)
      ->allow_extra_args(false);
  app.add_flag("--ignore-case", options->ignore_case, "Ignore case in --grep and --grep-not")->group(group);
  app.add_option("--where", options->wheres,
                 "Records that satisfy a condition on arguments: 'qty > 100 and client == \"acme\"'; may be repeated, "
                 "and then all must hold")
      ->check(some_text("write a condition, like 'qty > 100'"))
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--shift", options->shifts,
                 "Add this to the times of a host whose clock was wrong: db1=-1.7s; may be repeated. 'steno clocks' "
                 "finds it; auto applies what it finds without being told what to look for")
      ->type_name("HOST=TIME|auto")
      ->check(some_text("write HOST=TIME, like db1=-1.7s, or auto"))
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--reference", options->reference,
                 "With --shift auto, and in clocks: the host whose clock counts as right (default: the first by name)")
      ->type_name("HOST")
      ->check(some_text("write the name of a host"))
      ->group(group);
  app.add_flag_callback(
         "--show-secrets", [options] { options->secrets = reader::Secrets::kShown; },
         "Show values logged as steno::secret. Without this option both output and conditions have '[redacted]' "
         "instead")
      ->group(group);
}

void add_empty_option(CLI::App& app, query::FilterOptions* options) {
  app.add_flag("--fail-if-empty", options->fail_if_empty, "Exit with status 1 if there is no such record")
      ->group("Which records");
}

void add_level_options(CLI::App& app, query::FilterOptions* options) {
  const char* group = "Which records";
  app.add_option_function<std::string>(
         "--level",
         [options](const std::string& name) {
           if (steno::parse_level_name(name, &options->min_level) && options->min_level < kLevelOff) return;
           throw CLI::ValidationError("--level", "there is no level '" + name +
                                                     "'; the levels are TRACE DEBUG INFO NOTICE WARN ERROR CRITICAL");
         },
         "Records of this level or a more important one")
      ->group(group);
  auto* utc = app.add_flag_function(
                     "--utc", [](std::int64_t) {}, "Read and print times in UTC (default)")
                  ->group(group);
  app.add_flag("--local", options->local, "Read and print times in the local time zone")->group(group)->excludes(utc);
}

namespace {

std::string text_of_time(const query::FilterOptions& options, std::int64_t ns) {
  return human_text(query::Cell::of_time(ns), options.local ? Zone::kLocal : Zone::kUtc);
}

}  // namespace

void explain_other_times(const query::FilterOptions& options, const reader::LogSet& logs) {
  const auto wanted = query::wanted_span(options, logs);
  const query::TimeSpan log = query::recorded_span(logs);
  if (!wanted.ok() || log.empty() || !wanted->cut_to(log).empty()) return;
  const bool since = wanted->first > log.last;
  const std::string& text = !options.range.empty() ? options.range : since ? options.since : options.until;
  if (counts_from_the_log(text)) return;
  if (since) {
    complain("nothing since '" + text + "': the log ends at " + text_of_time(options, log.last) +
             "; 'last 10m' counts from there");
  } else {
    complain("nothing until '" + text + "': the log begins at " + text_of_time(options, log.first) +
             "; 'first 10m' counts from there");
  }
}

void explain_nothing(const query::FilterOptions& options, const reader::LogSet& logs, ExitCode* code) {
  if (options.fail_if_empty) raise_to(code, kExitIncomplete);
  explain_near_values(options, logs);
  const bool timed = !options.since.empty() || !options.until.empty() || !options.range.empty();
  const auto wanted = query::wanted_span(options, logs);
  const query::TimeSpan log = query::recorded_span(logs);
  if (!timed || !wanted.ok() || log.empty() || wanted->cut_to(log).empty()) return;  // explain_other_times() says so
  const query::TimeSpan asked = wanted->cut_to(log);
  complain("no such record from " + text_of_time(options, asked.first) + " to " + text_of_time(options, asked.last) +
           "; the log has records from " + text_of_time(options, log.first) + " to " + text_of_time(options, log.last));
}

AskedTimes asked_times(const query::FilterOptions& options, const reader::LogSet& logs) {
  if (!options.any()) return all_times();
  const auto expression = query::make_expression(options, logs);
  return expression.ok() ? AskedTimes{query::bounds_of(*expression).span} : all_times();
}

std::unique_ptr<reader::RowFilter> filter_of(const query::FilterOptions& options, const reader::LogSet& logs) {
  if (!options.any()) return nullptr;
  auto filter = query::make_filter(options, logs);
  if (!filter.ok()) throw CLI::ValidationError(filter.status().message());
  explain_other_times(options, logs);
  return std::move(filter).value();
}

}  // namespace steno::cli
