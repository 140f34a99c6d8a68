// Shows the results of agg by what the numbers mean: with units, as times, as names of enumerators.
#pragma once

#include <vector>

#include "query/statistics/aggregate.h"

namespace steno::cli {

// Returns whether the values of an operation are of the unit of its argument.
bool is_amount(query::Operation::Kind kind);

void add_meanings(const query::Question& question, std::vector<query::AnswerRow>* rows);

}  // namespace steno::cli
