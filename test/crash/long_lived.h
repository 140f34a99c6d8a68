// A checker that lives through a whole soak: its log is rotated, read and thrown away piece by piece, its memory and
// its descriptors are watched.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arena.h"

namespace steno::crash {

struct LongLivedReport {
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;  // while a restart left nobody to drain
  std::uint64_t restarts = 0;
  std::uint64_t rotations = 0;
  std::uint64_t rss_early_kib = 0;      // the most it had in the first quarter, its beginning left out
  std::uint64_t rss_late_kib = 0;       // the most it had in the last quarter
  std::uint64_t descriptors_early = 0;  // the median: a restart or a rotation holds more for a moment
  std::uint64_t descriptors_late = 0;
};

class LongLived {
 public:
  LongLived(const std::string& checker_program, std::uint64_t seconds);

  // Samples the process now and then, and takes the pieces of its log that are complete. Returns the error, if any.
  std::optional<std::string> turn();
  // Waits for its end, and holds all of its log against what it counted.
  std::optional<std::string> finish();
  const LongLivedReport& report() const { return report_; }

 private:
  std::optional<std::string> take_pieces();
  std::optional<std::string> take(const std::string& file);
  void sample();

  Arena arena_;
  const std::uint64_t seconds_;
  const std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_sample_;
  std::vector<std::uint64_t> descriptors_early_;
  std::vector<std::uint64_t> descriptors_late_;
  SharedCounts counts_;
  std::optional<Process> checker_;
  Ledger ledger_;
  std::uint32_t pieces_ = 0;  // taken
  LongLivedReport report_;
};

}  // namespace steno::crash
