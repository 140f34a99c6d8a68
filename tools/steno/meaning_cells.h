// Results of agg with what the numbers mean: units after them, times, names of enumerations.
#pragma once

#include <vector>

#include "query/aggregate.h"

namespace steno::cli {

void add_meanings(const query::Question& question, std::vector<query::AnswerRow>* rows);

}  // namespace steno::cli
