// Time stamps to nanoseconds, at the price of nine digits: the text of the current second is kept.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace steno::cli {

enum class Zone { kUtc, kLocal };

// Not thread-safe.
class TimeText {
 public:
  // `separator` stands between date and time of day: ' ' for people, 'T' for machines.
  TimeText(Zone zone, char separator) : zone_(zone), separator_(separator) {}

  // "2026-11-20 22:24:43.123456789Z"; local times end in their offset, "+01:00".
  void append(std::int64_t wall_ns, ByteBuffer& out);

 private:
  static constexpr std::size_t kPrefix = 20;  // up to the point

  void start_second(std::int64_t wall_ns);

  Zone zone_;
  char separator_;
  std::int64_t first_ = 1;  // the times that text_ holds for; none yet
  std::int64_t last_ = 0;
  std::uint64_t second_ns_ = 0;  // when its second began, modulo 2^64: it may lie before the least int64
  char text_[48] = {};           // prefix, nine digits, suffix
  std::size_t size_ = 0;
};

}  // namespace steno::cli
