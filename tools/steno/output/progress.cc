#include "output/progress.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

namespace steno::cli {
namespace {

constexpr std::chrono::milliseconds kStep{200};

// "12.3 M": three significant digits.
std::string short_count(std::uint64_t n) {
  const char* const units[] = {"", " k", " M", " G", " T"};
  auto value = static_cast<double>(n);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
  std::string digits = text;
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits + units[unit];
}

std::string short_duration(double seconds) {
  char text[32];
  if (seconds < 119.5) {
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  } else if (seconds < 119.5 * 60) {
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  } else {
    std::snprintf(text, sizeof text, "%.0f h", seconds / 3600);
  }
  return text;
}

// Programs that draw the screen themselves read keys one by one.
bool is_taken_over() {
  termios terminal{};
  return ::tcgetattr(STDERR_FILENO, &terminal) == 0 && (terminal.c_lflag & ICANON) == 0;
}

}  // namespace

std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed_seconds, const std::string& unit) {
  if (total == 0 || done == 0) return "";
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.0f %%", 100 * share);
  return std::string("steno: ") + percent + "  " + short_count(std::min(done, total)) + " of " + short_count(total) +
         " " + unit + "  ETA " + short_duration(elapsed_seconds * (1 - share) / share);
}

Progress::Progress(bool output_is_terminal, std::string unit, std::chrono::milliseconds delay)
    : unit_(std::move(unit)) {
  if (output_is_terminal || ::isatty(STDERR_FILENO) != 1) return;
  try {
    watcher_ = std::thread([this, delay] { watch(delay); });
  } catch (const std::system_error&) {
    // No thread could be started: work goes on without the line.
  }
}

Progress::~Progress() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

void Progress::watch(std::chrono::milliseconds delay) {
  const auto start = std::chrono::steady_clock::now();
  bool shown = false;
  std::unique_lock lock(mutex_);
  for (auto wait = delay; !changed_.wait_for(lock, wait, [this] { return done_; }); wait = kStep) {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string text = progress_text(meter_.done(), meter_.total(), elapsed, unit_);
    if (text.empty() || is_taken_over()) continue;
    std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
    std::fflush(stderr);
    shown = true;
  }
  if (shown && !is_taken_over()) std::fputs("\r\x1b[K", stderr);
}

}  // namespace steno::cli
