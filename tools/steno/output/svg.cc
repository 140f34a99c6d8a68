#include "output/svg.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "input/inputs.h"
#include "lines/escape.h"
#include "output/table.h"
#include "query/cell.h"
#include "query/statistics/time_steps.h"

namespace steno::cli {
namespace {

constexpr double kWidth = 960;
constexpr double kRight = 24;        // margins
constexpr double kTop = 68;          // below the title
constexpr double kLetter = 7.2;      // of 12 px, about
constexpr double kMostLabel = 300;   // of the labels of bars
constexpr double kPlotHeight = 340;  // of charts with a vertical axis

constexpr const char* kColours[kMostLines] = {"#3b75af", "#d1622b", "#3f8f4f", "#b03a48",
                                              "#7a5fa3", "#8a6d3b", "#c2629e", "#5f6b73"};

// Escapes text for XML, and what XML does not allow (control characters, invalid UTF-8) as for a terminal.
std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : escaped(text, Escape::kTerminal)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

double width_of(const std::string& text) {
  return static_cast<double>(text_width(text)) * kLetter;
}

std::string fitting(const std::string& text, double room) {
  return cut_to(text, std::max<std::size_t>(static_cast<std::size_t>(room / kLetter), 2));
}

// A document with a title.
class Picture {
 public:
  Picture(double height, const std::string& title) {
    svg_ = formatted(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
        kWidth, height, kWidth, height, kWidth, height);
    svg_ += "<text x=\"16\" y=\"28\" font-size=\"15\" fill=\"#222222\">" +
            xml_escaped(fitting(title, (kWidth - 32) * 12 / 15)) + "</text>\n";
  }

  void text(double x, double y, const char* anchor, const std::string& text) {
    svg_ += formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#444444\">", x, y, anchor) +
            xml_escaped(text) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* colour) {
    svg_ +=
        formatted("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
  }
  void bar(double x, double y, double width, double height, const char* colour) {
    svg_ += formatted("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height,
                      colour);
  }
  void path(const std::string& points, const char* colour) {
    svg_ += "<path d=\"" + points + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.5\"/>\n";
  }
  std::string end() { return std::move(svg_) + "</svg>\n"; }

 private:
  std::string svg_;
};

constexpr const char* kGrid = "#e4e4e4";
constexpr const char* kAxis = "#888888";

// The range of an axis, and its ticks: multiples of 1, 2 or 5 times a power of ten.
struct Scale {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;

  double share(double value) const { return (value - low) / (high - low); }
};

Scale scale_of(double low, double high, bool rounded, int most) {
  Scale scale;
  if (!std::isfinite(low) || !std::isfinite(high) || high - low <= 0 || !std::isfinite(high - low)) {
    low = std::isfinite(low) ? low : 0;
    high = low + 1;
  }
  const double rough = (high - low) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power < rough) continue;
    step = factor * power;
    break;
  }
  scale.low = rounded ? std::floor(low / step) * step : low;
  scale.high = rounded ? std::ceil(high / step) * step : high;
  if (!(scale.high > scale.low)) scale.high = scale.low + step;
  // If values are so large that adding a step does not change them, there is only the first tick.
  for (int i = 0; i <= 2 * most; ++i) {
    const double tick = (std::ceil(scale.low / step - 1e-9) + i) * step;
    if (tick > scale.high + step * 1e-9) break;
    scale.ticks.push_back(tick == 0 ? 0 : tick);
  }
  return scale;
}

std::string tick_text(double value, bool duration) {
  return duration && value != 0 ? round_duration_text(value) : number_text(value);
}

// Decades of durations, from below the first bar to above the last one: values are logarithms.
Scale decades_of(double low, double high) {
  Scale scale;
  const auto log_of = [](double ns) { return std::log10(std::max(ns, 1.0)); };
  scale.low = log_of(low);
  scale.high = log_of(high) > scale.low ? log_of(high) : scale.low + 0.1;
  const bool few = scale.high - scale.low < 2;  // then also 2 and 5
  for (double power = std::floor(scale.low); power <= scale.high; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = power + std::log10(factor);
      if ((factor != 1 && !few) || tick < scale.low - 1e-9 || tick > scale.high + 1e-9) continue;
      scale.ticks.push_back(tick);
    }
  }
  if (scale.ticks.size() >= 3) return scale;
  // Bars within less than a decade have round numbers at equal distances.
  scale.ticks.clear();
  for (const double tick : scale_of(low, high, false, 6).ticks) {
    if (tick >= 1) scale.ticks.push_back(log_of(tick));
  }
  return scale;
}

// The frame of a chart with a vertical axis: values on the left, labels below.
class Frame {
 public:
  Frame(Picture& picture, const Scale& values, const std::string& axis, bool durations = false)
      : picture_(picture), values_(values) {
    for (const double tick : values.ticks) left_ = std::max(left_, 24 + width_of(tick_text(tick, durations)));
    for (const double tick : values.ticks) {
      picture.line(left_, y_of(tick), kWidth - kRight, y_of(tick), kGrid);
      picture.text(left_ - 6, y_of(tick) + 4, "end", tick_text(tick, durations));
    }
    picture.text(16, kTop - 18, "start", fitting(axis, kWidth - 32));
  }

  double left() const { return left_; }
  double bottom() const { return kTop + kPlotHeight; }
  double x_of(double share) const { return left_ + share * (kWidth - kRight - left_); }
  double y_of(double value) const { return bottom() - values_.share(value) * kPlotHeight; }
  void tick(double share, const std::string& label) {
    picture_.line(x_of(share), bottom(), x_of(share), bottom() + 5, kAxis);
    const double half = width_of(label) / 2;  // no label leaves the picture
    picture_.text(std::clamp(x_of(share), 4 + half, kWidth - 4 - half), bottom() + 19, "middle", label);
  }
  void end(const std::string& axis) {
    picture_.line(left_, bottom(), kWidth - kRight, bottom(), kAxis);
    picture_.text(kWidth - kRight, bottom() + 38, "end", fitting(axis, kWidth - 32));
  }

 private:
  Picture& picture_;
  const Scale& values_;
  double left_ = 56;
};

std::string time_label(std::int64_t time, std::int64_t step, Zone zone) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::string text = human_text(query::Cell::of_time(time), zone);  // 2026-11-20 22:24:43.123456789Z
  if (step >= 86'400 * kSecond) return text.substr(0, 10);
  if (step >= 60 * kSecond) return text.substr(11, 5);
  if (step >= kSecond) return text.substr(11, 8);
  return text.substr(17, step >= 1'000'000 ? 6 : step >= 1000 ? 9 : 12) + " s";
}

// The time between ticks: a round number of ns, seconds, minutes, hours or days, for ten ticks at most.
std::int64_t time_step_of(const query::TimeSpan& span) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kDay = 86'400 * kSecond;
  std::vector<std::int64_t> steps;
  for (std::int64_t power = 1; power < kSecond; power *= 10) {
    for (const int factor : {1, 2, 5}) steps.push_back(factor * power);
  }
  for (const int n : {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200}) {
    steps.push_back(n * kSecond);
  }
  for (const int n : {1, 2, 7, 14, 28, 91, 182, 364, 1820, 3640}) steps.push_back(n * kDay);
  const double length = static_cast<double>(span.last) - static_cast<double>(span.first);
  for (const std::int64_t step : steps) {
    if (length / static_cast<double>(step) <= 9) return step;
  }
  return INT64_MAX / 4;
}

}  // namespace

void write_picture(const std::string& path, const std::string& svg, ExitCode* code) {
  std::ofstream file(path, std::ios::binary);
  file << svg;
  file.close();
  if (file) return;
  complain(path + ": cannot write the chart: " + std::strerror(errno));
  raise_to(code, kExitUnreadable);
}

std::string svg_of_bars(const Plot& plot) {
  constexpr double kRow = 22;
  // Keeps the greatest values, in their order.
  std::vector<const PlotBar*> bars;
  for (const PlotBar& bar : plot.bars) bars.push_back(&bar);
  const auto value_of = [](const PlotBar* bar) { return std::isfinite(bar->value) ? bar->value : 0; };
  if (bars.size() > kMostBars) {
    std::stable_sort(bars.begin(), bars.end(),
                     [&](auto* a, auto* b) { return std::fabs(value_of(a)) > std::fabs(value_of(b)); });
    bars.resize(kMostBars);
    std::sort(bars.begin(), bars.end());
  }
  double labels = 40;
  double texts = 0;
  double least = 0;
  double greatest = 0;
  for (const PlotBar* bar : bars) {
    labels = std::max(labels, std::min(width_of(bar->label), kMostLabel));
    texts = std::max(texts, width_of(bar->text));
    least = std::min(least, value_of(bar));
    greatest = std::max(greatest, value_of(bar));
  }
  const double left = 24 + labels;
  const double room = kWidth - left - texts - kRight - 8;
  const double bottom = kTop + kRow * static_cast<double>(bars.size());
  std::string title = plot.title;
  if (bars.size() < plot.bars.size()) {
    title += " (the greatest " + std::to_string(bars.size()) + " of " + std::to_string(plot.bars.size()) + ")";
  }
  Picture picture(bottom + 52, title);
  if (!std::isfinite(greatest - least)) {
    least /= 4;
    greatest /= 4;
  }
  const Scale scale = scale_of(least, greatest, true, 5);
  const auto x_of = [&](double value) { return left + room * std::clamp(scale.share(value), 0.0, 1.0); };
  const double zero = x_of(0);  // where bars begin; those of negative values go to the left
  for (const double tick : scale.ticks) {
    const double x = left + room * scale.share(tick);
    picture.line(x, kTop, x, bottom + 5, kGrid);
    picture.text(x, bottom + 19, "middle", tick_text(tick, plot.durations));
  }
  double y = kTop;
  for (const PlotBar* bar : bars) {
    const double end = x_of(value_of(bar));
    picture.text(left - 8, y + 15, "end", fitting(bar->label, labels));
    picture.bar(std::min(zero, end), y + 3, std::fabs(end - zero), kRow - 6, kColours[0]);
    picture.text(std::max(zero, end) + 6, y + 15, "start", bar->text);
    y += kRow;
  }
  picture.line(zero, kTop, zero, bottom, kAxis);
  picture.text(kWidth - kRight, bottom + 40, "end", fitting(plot.unit, kWidth - 32));
  return picture.end();
}

std::string svg_of_histogram(const HistogramPlot& plot) {
  Picture picture(kTop + kPlotHeight + 56, plot.title);
  double greatest = 0;
  for (const auto& bar : plot.bars) greatest = std::max(greatest, bar.count);
  const Scale counts = scale_of(0, greatest, true, 6);
  const bool logarithmic = plot.kind == AxisKind::kLogarithmicDurations;
  Frame frame(picture, counts, plot.counted);
  if (!plot.bars.empty()) {
    const double low = plot.bars.front().low;
    const double high = plot.bars.back().high;
    const Scale values = logarithmic ? decades_of(low, high) : scale_of(low, high, false, 8);
    const auto place = [&](double value) { return logarithmic ? std::log10(std::max(value, 1.0)) : value; };
    for (const auto& bar : plot.bars) {
      const double x = frame.x_of(values.share(place(bar.low)));
      const double width = std::max(frame.x_of(values.share(place(bar.high))) - x - 1, 1.0);
      picture.bar(x, frame.y_of(bar.count), width, frame.bottom() - frame.y_of(bar.count), kColours[0]);
    }
    for (const double tick : values.ticks) {
      const double value = logarithmic ? std::round(std::pow(10, tick)) : tick;
      frame.tick(values.share(tick), tick_text(value, plot.kind != AxisKind::kNumbers));
    }
  }
  frame.end(plot.axis);
  return picture.end();
}

std::string svg_of_times(const TimePlot& plot) {
  query::TimeSpan span{INT64_MAX, INT64_MIN};
  double least = 0;
  double greatest = 0;
  struct Line {
    const TimePlot::Series* series;
    double greatest;
  };
  std::vector<Line> lines;
  for (const auto& series : plot.series) {
    Line line{&series, 0};
    for (const auto& point : series.points) {
      span.first = std::min(span.first, point.time);
      span.last = std::max(span.last, point.time);
      if (std::isfinite(point.value)) line.greatest = std::max(line.greatest, std::fabs(point.value));
    }
    lines.push_back(line);
  }
  if (lines.size() > kMostLines) {
    std::stable_sort(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.greatest > b.greatest; });
    lines.resize(kMostLines);
    std::sort(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.series < b.series; });
  }
  for (const Line& line : lines) {
    for (const auto& point : line.series->points) {
      if (!std::isfinite(point.value)) continue;
      least = std::min(least, point.value);
      greatest = std::max(greatest, point.value);
    }
  }
  if (span.empty()) span = {0, 0};
  const bool legend = plot.series.size() > 1;
  std::string title = plot.title;
  if (lines.size() < plot.series.size()) {
    title += " (the greatest " + std::to_string(lines.size()) + " of " + std::to_string(plot.series.size()) + ")";
  }
  Picture picture(kTop + kPlotHeight + 56 + (legend ? 20 * static_cast<double>(lines.size()) : 0), title);
  const Scale values = scale_of(least, greatest, true, 6);
  Frame frame(picture, values, plot.axis, plot.durations);
  const double length = std::max(static_cast<double>(span.last) - static_cast<double>(span.first), 1.0);
  const auto share_of = [&](std::int64_t time) {
    return (static_cast<double>(time) - static_cast<double>(span.first)) / length;
  };
  const std::int64_t step = time_step_of(span);
  const auto steps = plot.zone == Zone::kLocal ? query::TimeSteps::local(step, span) : query::TimeSteps(step);
  std::int64_t tick = steps.step_of(span.first);
  for (int i = 0; i < 16 && tick <= span.last; ++i, tick = steps.next_of(tick)) {
    if (tick >= span.first) frame.tick(share_of(tick), time_label(tick, step, plot.zone));
  }
  double below = frame.bottom() + 60;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string path;
    bool open = false;
    const auto& points = lines[i].series->points;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const bool drawn = std::isfinite(points[p].value);
      if (drawn) {
        const double x = frame.x_of(share_of(points[p].time));
        const double y = frame.y_of(points[p].value);
        path += formatted("%s%.1f %.1f", open ? "L" : "M", x, y);
        // A single point between two gaps is drawn as a short line.
        if (!open && (p + 1 == points.size() || !std::isfinite(points[p + 1].value))) path += "h2";
      }
      open = drawn;
    }
    picture.path(path, kColours[i]);
    if (!legend) continue;
    picture.line(frame.left(), below - 4, frame.left() + 20, below - 4, kColours[i]);
    picture.text(frame.left() + 28, below, "start", fitting(lines[i].series->name, kWidth - 120));
    below += 20;
  }
  const std::string first = human_text(query::Cell::of_time(span.first), plot.zone);
  frame.end("from " + first.substr(0, 19) + first.substr(29));
  return picture.end();
}

}  // namespace steno::cli
