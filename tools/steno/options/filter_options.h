// The options that select records; they are the same in all commands that read records.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>

#include "exit_code.h"
#include "input/inputs.h"
#include "query/filter/filter.h"

namespace steno::cli {

// --since --until --time --thread --logger --site --grep --grep-not --ignore-case --where --shift --show-secrets. Not
// --level,
// --utc and --local, which add_level_options() adds: `cat` needs them for other purposes too. `options` must outlive
// the parser.
void add_filter_options(CLI::App& app, query::FilterOptions* options);
// --fail-if-empty: of commands that call explain_nothing().
void add_empty_option(CLI::App& app, query::FilterOptions* options);
// --level, --utc, --local.
void add_level_options(CLI::App& app, query::FilterOptions* options);

// Reports on standard error if --since or --until exclude everything because the log is of another time.
void explain_other_times(const query::FilterOptions& options, const reader::LogSet& logs);

// The times that these options ask about.
AskedTimes asked_times(const query::FilterOptions& options, const reader::LogSet& logs);

// Says what the logs have if a time, or a text that is nearly one of theirs, was asked for and no record was found.
// Raises `code` to kExitIncomplete with --fail-if-empty, whatever was asked for.
void explain_nothing(const query::FilterOptions& options, const reader::LogSet& logs, ExitCode* code);

// The filter; nullptr if no option was given. Throws CLI::ValidationError, which ends the program with kExitUsage.
std::unique_ptr<reader::RowFilter> filter_of(const query::FilterOptions& options, const reader::LogSet& logs);

}  // namespace steno::cli
