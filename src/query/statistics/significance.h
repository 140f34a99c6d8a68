// How likely chance alone makes a difference as large. A score is minus the decimal logarithm of that probability: 3
// means one in a thousand. Observations count as independent of each other.
#pragma once

namespace steno::query {

// The score of a chi square value with so many degrees of freedom.
double score_of_chi_square(double value, double degrees);
// The score of Kolmogorov and Smirnov's distance between samples of n and m values.
double score_of_distance(double distance, double n, double m);

// One term of the G statistic: 2 o ln(o / e); 0 where nothing was observed.
double g_term(double observed, double expected);
// The score of `a` among n and `b` among m as shares that are the same.
double score_of_shares(double a, double n, double b, double m);

}  // namespace steno::query
