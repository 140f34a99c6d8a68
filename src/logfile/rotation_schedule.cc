#include "logfile/rotation_schedule.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <vector>

#include "base/clock.h"

namespace steno::logfile {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  return value - ((value % unit) + unit) % unit;
}

// Local time as seconds since an epoch in local time.
std::int64_t shown_at(std::int64_t seconds, bool local) {
  return local ? seconds + utc_offset(seconds * kSecond) : seconds;
}

// When it first shows that or later, on that day. Zones are within a day of UTC, and change at most once in two.
std::int64_t when_shown(std::int64_t shown, bool local) {
  if (!local) return shown;
  const std::int64_t before = utc_offset((shown - kDay) * kSecond);
  const std::int64_t after = utc_offset((shown + kDay) * kSecond);
  std::int64_t early = shown - std::max(before, after);
  std::int64_t late = shown - std::min(before, after);
  if (shown_at(early, local) == shown) return early;
  if (shown_at(late - 1, local) < shown) return late;
  while (early + 1 < late) {  // it is left out: the moment of the change
    const std::int64_t middle = early + (late - early) / 2;
    (shown_at(middle, local) >= shown ? late : early) = middle;
  }
  return late;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end != begin) words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return words;
}

// False: it is no number, or more than `most`.
bool parse_number(std::string_view text, std::int64_t most, std::int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && *value >= 0 && *value <= most;
}

// "03:30" in minutes.
bool parse_time_of_day(std::string_view text, std::int64_t* minutes) {
  const std::size_t colon = text.find(':');
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  if (colon == 0 || colon > 2 || text.size() != colon + 3) return false;
  if (!parse_number(text.substr(0, colon), 23, &hour) || !parse_number(text.substr(colon + 1), 59, &minute))
    return false;
  *minutes = hour * 60 + minute;
  return true;
}

// "15m" in seconds.
bool parse_interval(std::string_view text, std::int64_t* seconds) {
  if (text.size() < 2) return false;
  const char unit = text.back();
  const std::int64_t length = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? kHour : 0;
  std::int64_t number = 0;
  if (length == 0 || !parse_number(text.substr(0, text.size() - 1), kDay, &number) || number == 0) return false;
  *seconds = number * length;
  return unit == 'h' ? kDay % *seconds == 0 : kHour % *seconds == 0;
}

}  // namespace

Result<RotationSchedule> RotationSchedule::parse(std::string_view when, bool local_time) {
  const std::vector<std::string_view> words = words_of(when);
  RotationSchedule schedule;
  schedule.local_ = local_time;
  if (words.empty()) return schedule;
  const std::string_view how = words[0];
  std::size_t used = 1;
  if (how == "hourly") {
    schedule.seconds_ = kHour;
  } else if (how == "every" && words.size() > 1) {
    std::int64_t seconds = 0;
    if (parse_interval(words[used++], &seconds)) {
      if (seconds <= kHour) schedule.seconds_ = seconds;
      if (seconds > kHour) schedule.minutes_ = seconds / 60;
    }
  } else if (how == "midnight") {
    schedule.minutes_ = kDay / 60;
  } else if (how == "daily" || how == "weekly") {
    schedule.minutes_ = kDay / 60;
    if (how == "weekly") {
      schedule.weekday_ = 1;
      const auto* day =
          used < words.size() ? std::find(std::begin(kDays), std::end(kDays), words[used]) : std::end(kDays);
      if (day != std::end(kDays)) {
        schedule.weekday_ = static_cast<int>(day - std::begin(kDays));
        ++used;
      }
    }
    if (used < words.size() && parse_time_of_day(words[used], &schedule.at_)) ++used;
  }
  if (used == words.size() && !schedule.never()) return schedule;
  return Status(
      StatusCode::kInvalidArgument,
      "'" + std::string(when) +
          "' is not a time for rotation; write 'hourly', 'midnight', 'daily 03:30', 'weekly sun 03:30' or 'every 15m' "
          "(s and m must divide an hour, h must divide a day)");
}

std::int64_t RotationSchedule::next(std::int64_t wall_ns) const {
  if (never()) return INT64_MAX;
  const std::int64_t now = floor_to(wall_ns, kSecond) / kSecond;
  return (seconds_ != 0 ? next_in_hour(now) : next_in_day(now)) * kSecond;
}

// By what has passed: an hour that is there twice is two.
std::int64_t RotationSchedule::next_in_hour(std::int64_t now) const {
  const std::int64_t offset = shown_at(now, local_) - now;
  const std::int64_t then = floor_to(now + offset, seconds_) + seconds_ - offset;
  const std::int64_t offset_then = shown_at(then, local_) - then;
  if (offset_then == offset) return then;
  // The zone may have changed by half an hour.
  return floor_to(then + offset_then + seconds_ - 1, seconds_) - offset_then;
}

std::int64_t RotationSchedule::next_in_day(std::int64_t now) const {
  const std::int64_t today = floor_to(shown_at(now, local_), kDay);
  // From the day before: where the clock was set back, that may be shown again.
  for (std::int64_t day = today - kDay;; day += kDay) {
    // 1970-01-01 was a Thursday.
    if (weekday_ >= 0 && ((day / kDay + 4) % 7 + 7) % 7 != weekday_) continue;
    for (std::int64_t minute = at_; minute < kDay / 60; minute += minutes_) {
      const std::int64_t moment = when_shown(day + minute * 60, local_);
      if (moment > now) return moment;
    }
  }
}

std::string file_time(std::int64_t wall_ns, bool local) {
  const time_t shown = static_cast<time_t>(shown_at(floor_to(wall_ns, kSecond) / kSecond, local));
  tm parts{};
  gmtime_r(&shown, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

}  // namespace steno::logfile
