// How times are written where somebody asked for another way than the usual one, "2026-11-20 22:24:43.123456789Z":
// with fewer digits, by a pattern as of strftime(3), or as the distance from another record.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steno/status.h"

namespace steno::lines {

class TimeStyle {
 public:
  enum class Kind { kUsual, kPattern, kRelative, kDelta };
  // A part of a pattern: a text for strftime(), or a fraction of the second.
  struct Piece {
    std::string text;
    unsigned digits = 0;  // 0: it is a text, or the epoch
    bool epoch = false;   // the second since 1970, which strftime() takes from a local time
  };

  // "s", "ms", "us" or "ns": the usual way with so many digits. "relative": since the log began; "delta": since the
  // record before. Else a pattern with a '%': directives of strftime() (those of the C locale that stand for at most a
  // few characters), and %3f, %6f, %9f or %f for the fraction of the second. kInvalidArgument: anything else.
  static Result<std::shared_ptr<TimeStyle>> parse(std::string_view text);

  Kind kind() const { return kind_; }
  unsigned digits() const { return digits_; }  // of kUsual: 0, 3, 6 or 9
  // Returns whether JSON, CSV and logfmt can have the time without quotes or escapes of its own.
  bool is_plain() const { return plain_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

  // The time that those of kRelative are counted from. Without it: the first time written. Thread-safe.
  void set_base(std::int64_t wall_ns) { base_.store(wall_ns, std::memory_order_relaxed); }
  std::int64_t base_or(std::int64_t wall_ns) {
    std::int64_t none = kNoBase;
    return base_.compare_exchange_strong(none, wall_ns, std::memory_order_relaxed) ? wall_ns : none;
  }
  // For kDelta: returns the time written before this one, which takes its place; for the first one its own.
  // Thread-safe.
  std::int64_t exchange_previous(std::int64_t wall_ns) {
    const std::int64_t previous = previous_.exchange(wall_ns, std::memory_order_relaxed);
    return previous == kNoBase ? wall_ns : previous;
  }

 private:
  static constexpr std::int64_t kNoBase = INT64_MIN;

  Status parse_pattern(std::string_view text);

  Kind kind_ = Kind::kUsual;
  unsigned digits_ = 9;
  bool plain_ = true;
  std::vector<Piece> pieces_;
  std::atomic<std::int64_t> base_ = kNoBase;
  std::atomic<std::int64_t> previous_ = kNoBase;
};

}  // namespace steno::lines
