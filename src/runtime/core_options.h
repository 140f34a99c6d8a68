// Options of a session for its producers.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "steno/level.h"

namespace steno::runtime {

inline constexpr std::uint64_t kDefaultRingBytes = std::uint64_t{1} << 23;
inline constexpr std::uint64_t kDefaultStagingLimit = std::uint64_t{1} << 28;

enum class WhenFull : std::uint8_t { kBlock, kDrop };

struct CoreOptions {
  std::uint64_t ring_bytes = kDefaultRingBytes;  // the most
  std::uint64_t staging_limit = kDefaultStagingLimit;
  WhenFull when_full[kLevelCount] = {};
  ClockKind clock = ClockKind::kTsc;
  std::uint64_t (*user_clock)() = nullptr;
  std::uint8_t notify_level = 255;
  bool external = false;                 // no scribe of this process drains
  Level recorder_below = Level::kTrace;  // records below it are the flight recorder's
  std::uint64_t recorder_bytes = 0;      // of its ring, a power of two
  Level recorder_trigger = kLevelOff;    // when it is written by a scribe outside, and how much:
  std::uint64_t recorder_records = 0;    // 0: all
  std::uint64_t recorder_ns = 0;         // likewise
  bool crash_record = false;

  bool operator==(const CoreOptions&) const = default;
};

}  // namespace steno::runtime
