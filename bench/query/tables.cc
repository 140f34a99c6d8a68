#include "query/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace steno::bench {

void note(Suite* suite, const std::string& label, const std::string& column, double value) {
  auto& rows = suite->rows;
  auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.label == label; });
  if (row == rows.end()) row = rows.insert(rows.end(), {label, {}});
  row->values.emplace_back(column, value);
  std::printf("%-14s %-44s %-16s %10.4f %s\n", suite->name.c_str(), label.c_str(), column.c_str(), value,
              suite->unit.c_str());
  std::fflush(stdout);
}

double value_of(const Suite& suite, const std::string& label, const std::string& column) {
  for (const Row& row : suite.rows) {
    if (row.label != label) continue;
    for (const auto& [name, number] : row.values) {
      if (name == column) return number;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void at_least(Suite* suite, const std::string& metric, double value, double limit) {
  suite->bars.push_back({metric, value, limit, std::isfinite(value) && value >= limit});
}

void at_most(Suite* suite, const std::string& metric, double value, double limit) {
  suite->bars.push_back({metric, value, limit, std::isfinite(value) && value <= limit});
}

std::string short_count(std::size_t n) {
  if (n >= 1'000'000) return std::to_string(n / 1'000'000) + " M";
  if (n >= 1'000) return std::to_string(n / 1'000) + " k";
  return std::to_string(n);
}

}  // namespace steno::bench
