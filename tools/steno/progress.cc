#include "progress.h"

#include <unistd.h>

#include <cstdio>

namespace steno::cli {

Progress::Progress(std::uint64_t total_records, bool output_is_terminal)
    : active_(!output_is_terminal && ::isatty(STDERR_FILENO) == 1),
      total_(total_records),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::look(std::uint64_t done) {
  using seconds = std::chrono::duration<double>;
  next_look_ = done + 65536;
  const auto now = std::chrono::steady_clock::now();
  const double elapsed = seconds(now - start_).count();
  if (elapsed < 1 || seconds(now - last_).count() < 0.2) return;
  last_ = now;
  shown_ = true;
  const double share = total_ != 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1;
  const double left = share > 0 ? elapsed * (1 - share) / share : 0;
  std::fprintf(stderr, "\r\x1b[K%3.0f %%, %.1f million records, %.1f million/s, %.0f s to go", share * 100,
               static_cast<double>(done) * 1e-6, static_cast<double>(done) * 1e-6 / elapsed, left);
  std::fflush(stderr);
}

}  // namespace steno::cli
