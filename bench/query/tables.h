// Filling the tables of a benchmark: each figure is printed as it comes.
#pragma once

#include <string>

#include "common/suites.h"

namespace steno::bench {

// Puts a figure into a suite, into the row of that label; a new row goes to the end.
void note(Suite* suite, const std::string& label, const std::string& column, double value);
// Returns the figure that note() put there; NaN if none.
double value_of(const Suite& suite, const std::string& label, const std::string& column);

// Bars. A figure that was not measured (NaN, infinite) reaches none.
void at_least(Suite* suite, const std::string& metric, double value, double limit);
void at_most(Suite* suite, const std::string& metric, double value, double limit);

// "100 M", "20 k", "7": how many messages, in a title.
std::string short_count(std::size_t n);

}  // namespace steno::bench
