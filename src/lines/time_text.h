// Time stamps to nanoseconds, at the price of nine digits: the text of the current second is kept.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "lines/time_style.h"
#include "text/number.h"

namespace steno::lines {

enum class Zone { kUtc, kLocal };

// Not thread-safe.
class TimeText {
 public:
  // `separator` stands between date and time of day: ' ' for people, 'T' for machines. `style`: nullptr is the usual
  // way; with TimeStyle::Kind::kDelta times must be written in the order of the output.
  TimeText(Zone zone, char separator, std::shared_ptr<TimeStyle> style = nullptr)
      : zone_(zone), separator_(separator), style_(std::move(style)) {}

  static constexpr std::size_t kRoom = 48;  // for write()

  // "2026-11-20 22:24:43.123456789Z"; local times end in their offset, "+01:00". Returns the end.
  char* write(std::int64_t wall_ns, char* p) {
    return style_ == nullptr ? write_usual(wall_ns, p) : write_styled(wall_ns, p);
  }
  void append(std::int64_t wall_ns, ByteBuffer& out) {
    auto* p = reinterpret_cast<char*>(out.reserve(kRoom));
    out.commit(static_cast<std::size_t>(write(wall_ns, p) - p));
  }

 private:
  static constexpr std::size_t kPrefix = 20;  // up to the point

  char* write_usual(std::int64_t wall_ns, char* p) {
    if (wall_ns < first_ || wall_ns > last_) start_second(wall_ns);
    const auto ns = static_cast<std::uint32_t>(static_cast<std::uint64_t>(wall_ns) - second_ns_);
    // Over a copy, not in place: what is read next has not just been written.
    constexpr std::size_t kMost = 32;  // in UTC
    std::memcpy(p, text_, kMost);
    if (size_ > kMost) std::memcpy(p + kMost, text_ + kMost, kRoom - kMost);
    const auto millions = static_cast<std::uint32_t>(ns * std::uint64_t{1'125'899'907} >> 50);
    const std::uint32_t below = ns - millions * 1'000'000;
    const auto thousands = static_cast<std::uint32_t>(below * std::uint64_t{4'294'968} >> 32);
    store(p + kPrefix, kThreeDigits.texts[millions]);
    store(p + kPrefix + 3, kThreeDigits.texts[thousands]);
    const std::uint32_t last = kThreeDigits.texts[below - thousands * 1000] | suffix_;
    store(p + kPrefix + 6, last);
    return p + size_;
  }
  char* write_styled(std::int64_t wall_ns, char* p);
  char* write_digits(std::int64_t wall_ns, char* p);
  char* write_pattern(std::int64_t wall_ns, char* p);
  char* write_distance(std::int64_t wall_ns, std::int64_t from, char* p) const;

  void start_second(std::int64_t wall_ns);

  Zone zone_;
  char separator_;
  std::shared_ptr<TimeStyle> style_;
  std::vector<std::string> pieces_;    // of a pattern, as they are in this second
  std::int64_t previous_ = INT64_MIN;  // of a pattern the second of pieces_; none yet
  std::int64_t first_ = 1;             // the times that text_ holds for; none yet
  std::int64_t last_ = 0;
  std::uint64_t second_ns_ = 0;  // when its second began, modulo 2^64: it may lie before the least int64
  char text_[kRoom] = {};        // prefix, nine digits, suffix
  std::size_t size_ = 0;
  std::uint32_t suffix_ = 0;  // its first character, in the highest byte
};

}  // namespace steno::lines
