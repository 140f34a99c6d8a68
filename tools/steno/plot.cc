#include "plot.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "escape.h"
#include "output.h"
#include "table.h"

namespace steno::cli {
namespace {

constexpr std::size_t kLeastBar = 10;

double greatest_of(const Plot& plot) {
  double greatest = 0;
  for (const PlotBar& bar : plot.bars) {
    if (std::isfinite(bar.value)) greatest = std::max(greatest, bar.value);
  }
  return greatest;
}

// A bar of `eighths` of a column.
std::string bar_text(std::size_t eighths) {
  static constexpr const char* kParts[] = {"", "\u258F", "\u258E", "\u258D", "\u258C", "\u258B", "\u258A", "\u2589"};
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "\u2588";
  return text + kParts[eighths % 8];
}

// XML, and valid whatever the bytes are.
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

}  // namespace

void append_bars(const Plot& plot, std::size_t width, ByteBuffer& out) {
  std::size_t labels = 0;
  std::size_t texts = 0;
  for (const PlotBar& bar : plot.bars) {
    labels = std::max(labels, text_width(bar.label));
    texts = std::max(texts, text_width(bar.text));
  }
  const std::size_t taken = labels + texts + 4;
  const std::size_t room = width > taken + kLeastBar ? width - taken : kLeastBar;
  const double greatest = greatest_of(plot);
  if (!plot.title.empty()) put(out, plot.title + (plot.unit.empty() ? "" : ", " + plot.unit) + "\n");
  for (const PlotBar& bar : plot.bars) {
    const double share = greatest > 0 && bar.value > 0 ? bar.value / greatest : 0;
    const auto eighths = static_cast<std::size_t>(std::lround(share * static_cast<double>(room * 8)));
    // What is not nothing is seen.
    const std::string drawn = bar_text(bar.value > 0 && eighths == 0 ? 1 : eighths);
    put(out, padded(bar.label, labels, true) + "  " + padded(bar.text, texts, true) +
                 (drawn.empty() ? "" : "  " + drawn) + "\n");
  }
}

std::string svg_of(const Plot& plot) {
  constexpr int kRow = 22;
  constexpr int kLabels = 220;
  constexpr int kBars = 460;
  constexpr int kTop = 40;
  const int height = kTop + kRow * static_cast<int>(plot.bars.size()) + 12;
  const double greatest = greatest_of(plot);
  char line[256];
  std::snprintf(line, sizeof line,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 %d\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n<rect width=\"820\" height=\"%d\" fill=\"#ffffff\"/>\n",
                height, height);
  std::string svg = line;
  svg += "<text x=\"12\" y=\"24\" font-size=\"15\" fill=\"#222222\">" +
         xml_escaped(plot.title + (plot.unit.empty() ? "" : ", " + plot.unit)) + "</text>\n";
  int y = kTop;
  for (const PlotBar& bar : plot.bars) {
    const double share = greatest > 0 && bar.value > 0 ? bar.value / greatest : 0;
    std::snprintf(line, sizeof line, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#444444\">", kLabels - 8,
                  y + 15);
    svg += line + xml_escaped(bar.label) + "</text>\n";
    std::snprintf(line, sizeof line, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#3b75af\"/>\n",
                  kLabels, y + 2, share * kBars, kRow - 4);
    svg += line;
    std::snprintf(line, sizeof line, "<text x=\"%.1f\" y=\"%d\" fill=\"#222222\">", kLabels + share * kBars + 6,
                  y + 15);
    svg += line + xml_escaped(bar.text) + "</text>\n";
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::size_t terminal_width(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

}  // namespace steno::cli
