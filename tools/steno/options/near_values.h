// A hint for conditions that no record fulfils because of how a text is written.
#pragma once

#include "query/filter/filter.h"
#include "reader/log_set.h"

namespace steno::cli {

// For questions that have found nothing. If --where compares an argument with a text that no record has, and another
// value differs from it only in case or by a few letters, says so on standard error. Reads all values of the argument,
// unless the logs have very many records.
void explain_near_values(const query::FilterOptions& options, const reader::LogSet& logs);

}  // namespace steno::cli
