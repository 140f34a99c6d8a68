// The options that say which records: the same in every command that reads records.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>

#include "query/filter.h"

namespace steno::cli {

// --since --until --thread --logger --site --grep --ignore-case --where --show-secrets. Not --level, --utc and --local,
// which `cat` has for other reasons too: see add_level_options. `options` must outlive the parser.
void add_filter_options(CLI::App& app, query::FilterOptions* options);
// --level, --utc, --local.
void add_level_options(CLI::App& app, query::FilterOptions* options);

// Says on standard error where --since or --until leave nothing, for the log is of another time.
void explain_other_times(const query::FilterOptions& options, const reader::LogSet& logs);

// The filter, or nullptr if there is no condition. Throws CLI::ValidationError, which ends in a sentence and the status
// of wrong usage.
std::unique_ptr<reader::RowFilter> filter_of(const query::FilterOptions& options, const reader::LogSet& logs);

}  // namespace steno::cli
