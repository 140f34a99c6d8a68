#include "lines/time_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/nanoseconds.h"

namespace steno::lines {
namespace {

constexpr std::int64_t kSecond = kNsPerSecond;

std::tm parts_of(Zone zone, std::int64_t second) {
  const auto time = static_cast<time_t>(second);
  std::tm parts{};
  zone == Zone::kLocal ? ::localtime_r(&time, &parts) : ::gmtime_r(&time, &parts);
  return parts;
}

}  // namespace

void TimeText::start_second(std::int64_t wall_ns) {
  const std::int64_t second = second_of(wall_ns);
  const std::tm parts = parts_of(zone_, second);
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

char* TimeText::write_styled(std::int64_t wall_ns, char* p) {
  switch (style_->kind()) {
    case TimeStyle::Kind::kUsual:
      return write_digits(wall_ns, p);
    case TimeStyle::Kind::kPattern:
      return write_pattern(wall_ns, p);
    case TimeStyle::Kind::kRelative:
      return write_distance(wall_ns, style_->base_or(wall_ns), p);
    case TimeStyle::Kind::kDelta:
      break;
  }
  return write_distance(wall_ns, style_->exchange_previous(wall_ns), p);
}

char* TimeText::write_digits(std::int64_t wall_ns, char* p) {
  char whole[kRoom];
  const char* const end = write_usual(wall_ns, whole);
  const std::size_t digits = style_->digits();
  const std::size_t kept = digits == 0 ? kPrefix - 1 : kPrefix + digits;  // without the point
  const char* const suffix = whole + kPrefix + 9;
  std::memcpy(p, whole, kept);
  std::memcpy(p + kept, suffix, static_cast<std::size_t>(end - suffix));
  return p + kept + (end - suffix);
}

char* TimeText::write_pattern(std::int64_t wall_ns, char* p) {
  const std::int64_t second = second_of(wall_ns);
  const std::vector<TimeStyle::Piece>& pieces = style_->pieces();
  if (second != previous_) {
    const std::tm parts = parts_of(zone_, second);
    pieces_.assign(pieces.size(), "");
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      char text[1024];  // names of time zones can be long
      if (pieces[i].epoch) {
        pieces_[i] = std::to_string(second);
      } else if (pieces[i].digits == 0) {
        pieces_[i].assign(text, std::strftime(text, sizeof text, pieces[i].text.c_str(), &parts));
      }
    }
    previous_ = second;
  }
  char fraction[16];
  const auto ns = static_cast<std::uint64_t>(wall_ns) - static_cast<std::uint64_t>(second) * kSecond;
  std::snprintf(fraction, sizeof fraction, "%09u", static_cast<unsigned>(ns));
  std::size_t room = kRoom;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t size = std::min(room, pieces[i].digits != 0 ? pieces[i].digits : pieces_[i].size());
    room -= size;
    std::memcpy(p, pieces[i].digits != 0 ? fraction : pieces_[i].data(), size);
    p += size;
  }
  return p;
}

// Seconds with their sign; for people in a column.
char* TimeText::write_distance(std::int64_t wall_ns, std::int64_t from, char* p) const {
  const bool before = wall_ns < from;
  const std::uint64_t distance = before ? static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(wall_ns)
                                        : static_cast<std::uint64_t>(wall_ns) - static_cast<std::uint64_t>(from);
  char text[kRoom];
  const int size = std::snprintf(text, sizeof text, "%c%llu.%09llu", before ? '-' : '+',
                                 static_cast<unsigned long long>(distance / kSecond),
                                 static_cast<unsigned long long>(distance % kSecond));
  constexpr int kColumn = 15;  // enough for some hours
  const int pad = separator_ == ' ' ? std::max(kColumn - size, 0) : 0;
  std::memset(p, ' ', static_cast<std::size_t>(pad));
  std::memcpy(p + pad, text, static_cast<std::size_t>(size));
  return p + pad + size;
}

}  // namespace steno::lines
