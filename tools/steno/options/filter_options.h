// The options that select records; they are the same in all commands that read records.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>

#include "query/filter.h"

namespace steno::cli {

// --since --until --thread --logger --site --grep --ignore-case --where --show-secrets. Not --level, --utc and --local,
// which add_level_options() adds: `cat` needs them for other purposes too. `options` must outlive the parser.
void add_filter_options(CLI::App& app, query::FilterOptions* options);
// --level, --utc, --local.
void add_level_options(CLI::App& app, query::FilterOptions* options);

// Reports on standard error if --since or --until exclude everything because the log is of another time.
void explain_other_times(const query::FilterOptions& options, const reader::LogSet& logs);

// The filter; nullptr if no option was given. Throws CLI::ValidationError, which ends the program with kExitUsage.
std::unique_ptr<reader::RowFilter> filter_of(const query::FilterOptions& options, const reader::LogSet& logs);

}  // namespace steno::cli
