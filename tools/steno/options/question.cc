#include "options/question.h"

#include <unistd.h>

#include <algorithm>

#include "input/inputs.h"
#include "input/shifts.h"
#include "options/filter_options.h"
#include "options/format_options.h"
#include "options/jobs_option.h"
#include "options/option_checks.h"
#include "options/user_settings.h"
#include "output/plot.h"
#include "query/filter/expression.h"

namespace steno::cli {

void add_question_options(CLI::App& app, QuestionOptions* options, const std::string& words) {
  app.add_option("FILE", options->words, words)->required();
  add_filter_options(app, &options->filter);
  add_level_options(app, &options->filter);
  app.add_option("--format", options->format, "table, json (one object per line), or csv")
      ->check(one_of(table_formats()));
  add_jobs_option(app);
}

void add_memory_option(CLI::App& app, std::uint64_t* memory) {
  app.add_option("--memory", *memory,
                 "Memory limit, such as 512MB (default 1GB). If results need more, the log is read in several passes")
      ->type_name("SIZE")
      ->transform(byte_size());
}

void Opened::require_value(const query::FilterOptions& filter, const query::Statement& statement,
                           const query::ArgumentOf& argument) {
  if (std::none_of(statement.sites.begin(), statement.sites.end(), [&](const reader::Site* site) {
        return site->presences().of(argument.index_in(*site)) != nullptr;
      })) {
    return;
  }
  required_.push_back(query::Expression::has_value(argument.name));
  std::vector<query::Expression> all = required_;
  if (filter.any()) all.push_back(or_throw(query::make_expression(filter, logs)));
  predicate.emplace(query::Expression::all_of(std::move(all)), logs);
}

query::Subject Opened::subject(WorkMeter* meter) const {
  query::Subject subject;
  subject.logs = &logs;
  subject.predicate = predicate ? &*predicate : nullptr;
  subject.span = span;
  subject.meter = meter;
  return subject;
}

TableStyle table_style(const QuestionOptions& options, const Output& output) {
  TableStyle style;
  style.format = table_format_of(options.format);
  style.escape = output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  style.width = output.is_terminal() ? terminal_width(STDOUT_FILENO) : 0;
  style.zone = options.filter.local ? Zone::kLocal : Zone::kUtc;
  style.times = or_throw(parse_times(options.times));
  if (options.times.empty() && style.format == TableFormat::kTable && user_settings().time_format) {
    style.times = or_throw(parse_times(*user_settings().time_format));
    const auto kind = style.times->kind();  // others count from lines, of which a table has none
    if (kind != lines::TimeStyle::Kind::kUsual && kind != lines::TimeStyle::Kind::kPattern) style.times = nullptr;
  }
  style.short_times = output.is_terminal() && style.format == TableFormat::kTable;
  if (style.times != nullptr && style.times->kind() != lines::TimeStyle::Kind::kUsual &&
      style.times->kind() != lines::TimeStyle::Kind::kPattern) {
    throw CLI::ValidationError("--time-format: '" + options.times + "' is for lines of cat and tail");
  }
  return style;
}

std::unique_ptr<Opened> open_question(const std::vector<std::string>& files, const QuestionOptions& options,
                                      ExitCode* code) {
  auto opened = std::make_unique<Opened>(options.filter.secrets);
  refuse_words(files);
  open_inputs(files, &opened->logs, code);
  if (opened->logs.files().empty()) return nullptr;
  or_throw(shift_hosts(options.filter.shifts, opened->logs, options.filter.reference));
  if (options.filter.any()) {
    opened->span = or_throw(query::wanted_span(options.filter, opened->logs));
    opened->predicate.emplace(or_throw(query::make_expression(options.filter, opened->logs)), opened->logs);
    explain_other_times(options.filter, opened->logs);
  }
  return opened;
}

}  // namespace steno::cli
