// A line on standard error while long work goes on.
#pragma once

#include <chrono>
#include <cstdint>

namespace steno::cli {

// Shows itself only if standard error is a terminal, standard output is not (they would mix), and the work takes more
// than a second. Erases itself at the end.
class Progress {
 public:
  Progress(std::uint64_t total_records, bool output_is_terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` records so far. Cheap: looks at the clock every 65,536 records.
  void update(std::uint64_t done) {
    if (active_ && done >= next_look_) look(done);
  }

 private:
  void look(std::uint64_t done);

  bool active_;
  bool shown_ = false;
  std::uint64_t total_;
  std::uint64_t next_look_ = 65536;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace steno::cli
