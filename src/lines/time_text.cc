#include "lines/time_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace steno::lines {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

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
  suffix_ = std::uint32_t{static_cast<std::uint8_t>(suffix[0])} << 24;
  second_ns_ = static_cast<std::uint64_t>(second) * static_cast<std::uint64_t>(kSecond);
  const auto into = static_cast<std::int64_t>(static_cast<std::uint64_t>(wall_ns) - second_ns_);
  first_ = wall_ns < INT64_MIN + into ? INT64_MIN : wall_ns - into;
  last_ = wall_ns > INT64_MAX - (kSecond - 1 - into) ? INT64_MAX : wall_ns + (kSecond - 1 - into);
}

}  // namespace steno::lines
