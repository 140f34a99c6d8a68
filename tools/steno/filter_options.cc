#include "filter_options.h"

#include "option_checks.h"

namespace steno::cli {

void add_filter_options(CLI::App& app, query::FilterOptions* options) {
  const char* group = "Which records";
  const char* time = "write a time, like 2026-11-20T14:03:22Z, 14:03:22 or '10m ago'";
  app.add_option("--since", options->since,
                 "At or after: 2026-11-20T14:03:22.5Z, '2026-11-20 14:03', 14:03:22, '10m ago', 'last 30s before end'")
      ->check(some_text(time))
      ->group(group);
  app.add_option("--until", options->until, "Before, in the same ways")->check(some_text(time))->group(group);
  app.add_option("--thread", options->threads, "Of this thread, by name or tid; may be repeated")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--logger", options->loggers, "Of this logger and those below it; 'net*': all that begin so")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--site", options->sites, "Of this statement: file.cc:120, file.cc, or its stable id")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--grep", options->grep, "Whose message has this text or matches this regular expression (RE2)")
      ->group(group)
      ->allow_extra_args(false);
  app.add_flag("--ignore-case", options->ignore_case, "Of --grep")->group(group);
  app.add_option("--where", options->where, "A condition on arguments: 'qty > 100 and client == \"acme\"'")
      ->check(some_text("write a condition, like 'qty > 100'"))
      ->group(group);
}

void add_level_options(CLI::App& app, query::FilterOptions* options) {
  const char* group = "Which records";
  app.add_option_function<std::string>(
         "--level",
         [options](const std::string& name) {
           if (query::parse_level_name(name, &options->min_level)) return;
           throw CLI::ValidationError("--level", "there is no level '" + name +
                                                     "'; the levels are TRACE DEBUG INFO NOTICE WARN ERROR CRITICAL");
         },
         "Only this level and more important ones")
      ->group(group);
  auto* utc = app.add_flag_function(
                     "--utc", [](std::int64_t) {}, "Times in UTC (the default)")
                  ->group(group);
  app.add_flag("--local", options->local, "Times in the local time zone")->group(group)->excludes(utc);
}

std::unique_ptr<reader::RowFilter> filter_of(const query::FilterOptions& options, const reader::LogSet& logs) {
  if (!options.any()) return nullptr;
  auto filter = query::make_filter(options, logs);
  if (!filter.ok()) throw CLI::ValidationError(filter.status().message());
  return std::move(filter).value();
}

}  // namespace steno::cli
