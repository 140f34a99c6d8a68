#include "query/statistics/significance.h"

#include <algorithm>
#include <cmath>

namespace steno::query {
namespace {

constexpr double kLog10OfE = 0.4342944819032518;

}  // namespace

// By Wilson and Hilferty the cube root of a chi square is nearly normal; its tail is taken from the logarithm, for the
// probability itself is often below the least double.
double score_of_chi_square(double value, double degrees) {
  if (value <= 0) return 0;
  double z = std::sqrt(value);
  if (degrees > 1) {
    const double k = 2.0 / (9.0 * degrees);
    z = (std::cbrt(value / degrees) - (1 - k)) / std::sqrt(k);
  }
  constexpr double kFar = 20;  // beyond, erfc is no number any more
  const double sides = degrees > 1 ? 0.5 : 1;
  if (z < kFar) return std::max(0.0, -std::log10(sides * std::erfc(z / std::sqrt(2.0))));
  return kLog10OfE * (z * z / 2 + std::log(z * std::sqrt(2 * 3.141592653589793) / (2 * sides)));
}

double score_of_distance(double distance, double n, double m) {
  const double size = n * m / (n + m);
  const double exponent = 2 * distance * distance * size;  // p = 2 exp(-2 D^2 nm/(n+m)), the leading term
  return std::max(0.0, kLog10OfE * (exponent - std::log(2.0)));
}

double g_term(double observed, double expected) {
  return observed > 0 && expected > 0 ? 2 * observed * std::log(observed / expected) : 0;
}

double score_of_shares(double a, double n, double b, double m) {
  const double with = (a + b) / (n + m);
  const double without = 1 - with;
  return score_of_chi_square(
      g_term(a, n * with) + g_term(b, m * with) + g_term(n - a, n * without) + g_term(m - b, m * without), 1);
}

}  // namespace steno::query
