// Results of benchmarks, written as the JSON that scripts/render_bench reads.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace steno::bench {

struct Row {
  std::string label;
  std::vector<std::pair<std::string, double>> values;  // column, number
};

// A figure that must be reached.
struct Bar {
  std::string metric;
  double value;
  double limit;
  bool ok;
};

// One table. `name` is what documents ask for between <!-- bench:NAME --> markers.
struct Suite {
  std::string name;
  std::string title;
  std::string unit;
  bool lower_is_better = true;
  std::vector<Row> rows;
  std::vector<Bar> bars;
};

// The whole document, without the machine: scripts/run_bench adds that.
std::string to_json(const std::vector<Suite>& suites);

}  // namespace steno::bench
