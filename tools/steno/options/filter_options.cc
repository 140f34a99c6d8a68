#include "options/filter_options.h"

#include "base/level_name.h"
#include "input/inputs.h"
#include "options/option_checks.h"
#include "output/table.h"

namespace steno::cli {
namespace {

// Whether a time is relative to the log itself ("end", "first 5s"), so that it cannot lie outside of it.
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
  app.add_option("--since", options->since,
                 "Records at or after this time: 2026-11-20T14:03:22.5Z, '2026-11-20 14:03', 14:03:22, '10m ago', "
                 "'last 30s before end'")
      ->check(some_text(time))
      ->group(group);
  app.add_option("--until", options->until, "Records before this time, in the same forms")
      ->check(some_text(time))
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
  app.add_option("--grep", options->grep,
                 "Records whose message contains this text or matches this regular expression (RE2)")
      ->group(group)
      ->allow_extra_args(false);
  app.add_flag("--ignore-case", options->ignore_case, "Ignore case in --grep")->group(group);
  app.add_option("--where", options->where,
                 "Records that satisfy a condition on arguments: 'qty > 100 and client == \"acme\"'")
      ->check(some_text("write a condition, like 'qty > 100'"))
      ->group(group);
  app.add_flag_callback(
         "--show-secrets", [options] { options->secrets = reader::Secrets::kShown; },
         "Show values logged as steno::secret. Without this option both output and conditions have '[redacted]' "
         "instead")
      ->group(group);
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

void explain_other_times(const query::FilterOptions& options, const reader::LogSet& logs) {
  const auto wanted = query::wanted_span(options, logs);
  const query::TimeSpan log = query::recorded_span(logs);
  if (!wanted.ok() || log.empty() || !wanted->cut_to(log).empty()) return;
  const Zone zone = options.local ? Zone::kLocal : Zone::kUtc;
  const auto text_of = [&](std::int64_t ns) { return human_text(query::Cell::of_time(ns), zone); };
  const bool since = wanted->first > log.last;
  if (counts_from_the_log(since ? options.since : options.until)) return;
  if (since) {
    complain("nothing since '" + options.since + "': the log ends at " + text_of(log.last) +
             "; 'last 10m' counts from there");
  } else {
    complain("nothing until '" + options.until + "': the log begins at " + text_of(log.first) +
             "; 'first 10m' counts from there");
  }
}

std::unique_ptr<reader::RowFilter> filter_of(const query::FilterOptions& options, const reader::LogSet& logs) {
  if (!options.any()) return nullptr;
  auto filter = query::make_filter(options, logs);
  if (!filter.ok()) throw CLI::ValidationError(filter.status().message());
  explain_other_times(options, logs);
  return std::move(filter).value();
}

}  // namespace steno::cli
