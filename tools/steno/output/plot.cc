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

std::string repeated(const char* text, std::size_t n) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) all += text;
  return all;
}

// A bar of `eighths` of a column.
std::string bar_text(std::size_t eighths) {
  static constexpr const char* kParts[] = {"", "\u258F", "\u258E", "\u258D", "\u258C", "\u258B", "\u258A", "\u2589"};
  return repeated("\u2588", eighths / 8) + kParts[eighths % 8];
}

// One that ends at the right: of such blocks there are only halves.
std::string bar_text_to_the_left(std::size_t eighths, std::size_t columns) {
  const std::size_t halves = (eighths + 2) / 4;
  return std::string(columns - (halves + 1) / 2, ' ') + (halves % 2 != 0 ? "\u2590" : "") +
         repeated("\u2588", halves / 2);
}

// Where bars are drawn: those of negative values, if there are any, end at a line between them and the others.
class BarScale {
 public:
  BarScale(const Plot& plot, std::size_t room) {
    double least = 0;
    double greatest = 0;
    for (const PlotBar& bar : plot.bars) {
      if (!std::isfinite(bar.value)) continue;
      least = std::min(least, bar.value);
      greatest = std::max(greatest, bar.value);
    }
    const double negative = least < 0 ? 1 / (1 + greatest / -least) : 0;  // without a difference, which may overflow
    const std::size_t most = room - (greatest > 0 ? 2 : 1);  // a column is left for each sign, and one for the line
    if (least < 0) {
      const long columns = std::lround(negative * static_cast<double>(room - 1));
      columns_ = std::clamp<std::size_t>(static_cast<std::size_t>(columns), 1, most);
    }
    const std::size_t right = least < 0 ? room - 1 - columns_ : room;
    // One scale for both sides: by the side that has more values for its columns.
    const double of_left = columns_ != 0 ? -least / static_cast<double>(columns_) : 0;
    const double of_right = right != 0 ? greatest / static_cast<double>(right) : 0;
    column_ = std::max(of_left, of_right);
    has_negative_ = least < 0;
    left_ = columns_ * 8;
    right_ = right * 8;
  }

  std::string text(double value) const {
    const bool drawn = std::isfinite(value) && value != 0 && column_ > 0;
    const double size = drawn ? std::fabs(value) / column_ * 8 : 0;
    const std::size_t most = value < 0 ? left_ : right_;
    auto eighths = std::min<std::size_t>(static_cast<std::size_t>(std::lround(size)), most);
    if (drawn && eighths == 0 && most != 0) eighths = 1;  // a value that is not 0 has at least the thinnest bar
    if (!has_negative_) return bar_text(eighths);
    if (value < 0 && drawn) return bar_text_to_the_left(std::max<std::size_t>(eighths, 2), columns_) + "\u2502";
    return std::string(columns_, ' ') + "\u2502" + bar_text(eighths);
  }

 private:
  bool has_negative_ = false;
  std::size_t columns_ = 0;  // of negative values
  double column_ = 0;        // the value of one column
  std::size_t left_ = 0;     // eighths
  std::size_t right_ = 0;
};

}  // namespace

void append_bars(const Plot& plot, std::size_t width, ByteBuffer& out) {
  std::size_t labels = 0;
  std::size_t texts = 0;
  for (const PlotBar& bar : plot.bars) {
    labels = std::max(labels, text_width(bar.label));
    texts = std::max(texts, text_width(bar.text));
  }
  constexpr std::size_t kLeastLabel = 8;
  const std::size_t others = texts + 4 + kLeastBar;
  labels = std::min(labels, std::max(width > others ? width - others : 0, kLeastLabel));
  const std::size_t taken = labels + texts + 4;
  const std::size_t room = width > taken + kLeastBar ? width - taken : kLeastBar;
  const BarScale scale(plot, room);
  if (!plot.title.empty()) put(out, plot.title + (plot.unit.empty() ? "" : ", " + plot.unit) + "\n");
  for (const PlotBar& bar : plot.bars) {
    const std::string drawn = scale.text(bar.value);
    put(out, padded(cut_to(bar.label, labels), labels, true) + "  " + padded(bar.text, texts, true) +
                 (drawn.empty() ? "" : "  " + drawn) + "\n");
  }
}

std::size_t terminal_width(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

}  // namespace steno::cli
