// A progress line on standard error during long operations.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/work_meter.h"

namespace steno::cli {

// "steno: 43 %  12.3 M of 28 M records  ETA 12 s"; empty if nothing is known.
std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed_seconds,
                          const std::string& unit = "records");

// Shows itself only if standard error is a terminal, standard output is none (they would mix), nobody
// else has taken the terminal over (a pager or an editor at the other end of a pipe), and the work takes more than a
// second. Erases itself at the end. Nothing else is to be written to standard error while one exists.
class Progress {
 public:
  static constexpr std::chrono::milliseconds kDelay{1000};

  explicit Progress(bool output_is_terminal, std::string unit = "records", std::chrono::milliseconds delay = kDelay);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The meter on which workers count.
  WorkMeter* meter() { return &meter_; }

 private:
  void watch(std::chrono::milliseconds delay);

  const std::string unit_;
  WorkMeter meter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watcher_;  // none: not to be shown
};

}  // namespace steno::cli
