// Pictures of results: SVG documents that stand alone. Texts may be anything; a picture is never taller than its
// screen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exit_code.h"
#include "lines/time_text.h"
#include "output/lines_names.h"
#include "output/plot.h"

namespace steno::cli {

// Bars that lie, one below the other, with an axis of values. The greatest kMostBars, in their order.
inline constexpr std::size_t kMostBars = 40;
std::string svg_of_bars(const Plot& plot);

// The values of an axis: numbers, or ns, which may be on a logarithmic scale.
enum class AxisKind { kNumbers, kDurations, kLogarithmicDurations };

// Writes a picture; a file that cannot be written is reported, and raises `code` to kExitUnreadable.
void write_picture(const std::string& path, const std::string& svg, ExitCode* code);

// A histogram: bars that stand side by side, each as wide as what it counts.
struct HistogramPlot {
  std::string title;
  std::string axis;  // what is counted by
  struct Bar {
    double low;
    double high;
    double count;
  };
  std::vector<Bar> bars;
  AxisKind kind = AxisKind::kNumbers;
  std::string counted = "records";
};
std::string svg_of_histogram(const HistogramPlot& plot);

// Lines over time, one for each series; the kMostLines with the greatest values.
inline constexpr std::size_t kMostLines = 8;
struct TimePlot {
  std::string title;
  std::string axis;  // what the values are
  Zone zone = Zone::kUtc;
  struct Point {
    std::int64_t time;  // ns since the epoch
    double value;       // NaN: none; the line is interrupted
  };
  struct Series {
    std::string name;
    std::vector<Point> points;  // in the order of time
  };
  std::vector<Series> series;
  bool durations = false;  // values are ns
};
std::string svg_of_times(const TimePlot& plot);

}  // namespace steno::cli
