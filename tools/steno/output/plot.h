// Bars on a terminal. Pictures: output/svg.h.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace steno::cli {

struct PlotBar {
  std::string label;
  double value = 0;
  std::string text;  // the value for people
};

struct Plot {
  std::string title;
  std::string unit;  // what the values are: "p99 of ms"
  std::vector<PlotBar> bars;
  bool durations = false;  // values are ns
};

// A line a bar, `width` columns at most, from 40 on; long labels are cut. Bars of negative values end at a line at 0,
// from which the others begin. Labels must be fit for a terminal.
void append_bars(const Plot& plot, std::size_t width, ByteBuffer& out);

// Columns of the terminal at a descriptor; 80 if it is not a terminal.
std::size_t terminal_width(int fd);

}  // namespace steno::cli
