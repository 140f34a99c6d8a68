#include "time_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace steno::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct DigitPairs {
  char text[200];
  constexpr DigitPairs() : text() {
    for (int i = 0; i < 100; ++i) {
      text[2 * i] = static_cast<char>('0' + i / 10);
      text[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
  }
};
constexpr DigitPairs kPairs;

void put_nine_digits(std::uint32_t n, char* p) {
  for (int at = 7; at >= 1; at -= 2) {
    std::memcpy(p + at, kPairs.text + 2 * (n % 100), 2);
    n /= 100;
  }
  p[0] = static_cast<char>('0' + n);
}

}  // namespace

void TimeText::start_second(std::int64_t wall_ns) {
  const std::int64_t second = wall_ns / kSecond - (wall_ns % kSecond < 0 ? 1 : 0);
  const auto time = static_cast<time_t>(second);
  std::tm parts{};
  zone_ == Zone::kLocal ? ::localtime_r(&time, &parts) : ::gmtime_r(&time, &parts);
  char suffix[16] = "Z";
  if (zone_ == Zone::kLocal) {
    const long minutes = parts.tm_gmtoff / 60;
    const long distance = minutes < 0 ? -minutes : minutes;
    std::snprintf(suffix, sizeof suffix, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', distance / 60 % 100, distance % 60);
  }
  char text[128];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d%c%02d:%02d:%02d.000000000%s", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, separator_, parts.tm_hour, parts.tm_min, parts.tm_sec, suffix);
  size_ = std::min(std::strlen(text), sizeof text_);
  std::memcpy(text_, text, size_);
  second_ns_ = static_cast<std::uint64_t>(second) * static_cast<std::uint64_t>(kSecond);
  const auto into = static_cast<std::int64_t>(static_cast<std::uint64_t>(wall_ns) - second_ns_);
  first_ = wall_ns < INT64_MIN + into ? INT64_MIN : wall_ns - into;
  last_ = wall_ns > INT64_MAX - (kSecond - 1 - into) ? INT64_MAX : wall_ns + (kSecond - 1 - into);
}

void TimeText::append(std::int64_t wall_ns, ByteBuffer& out) {
  if (wall_ns < first_ || wall_ns > last_) start_second(wall_ns);
  put_nine_digits(static_cast<std::uint32_t>(static_cast<std::uint64_t>(wall_ns) - second_ns_), text_ + kPrefix);
  std::memcpy(out.reserve(sizeof text_), text_, sizeof text_);
  out.commit(size_);
}

}  // namespace steno::cli
