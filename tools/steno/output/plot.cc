#include "output/plot.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "output/output.h"
#include "output/table.h"

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
    // A value above 0 has at least the thinnest bar.
    const std::string drawn = bar_text(bar.value > 0 && eighths == 0 ? 1 : eighths);
    put(out, padded(bar.label, labels, true) + "  " + padded(bar.text, texts, true) +
                 (drawn.empty() ? "" : "  " + drawn) + "\n");
  }
}

std::size_t terminal_width(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

}  // namespace steno::cli
