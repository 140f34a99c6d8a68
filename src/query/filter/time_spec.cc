#include "query/filter/time_spec.h"

#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

#include "base/ascii.h"
#include "base/nanoseconds.h"
#include "base/split.h"
#include "query/filter/time_point.h"

namespace steno::query {
namespace {

struct Unit {
  std::string_view name;
  double ns;
};
// Longer names first: "ms" is not "m".
constexpr Unit kUnits[] = {{"nanoseconds", 1},
                           {"microseconds", 1e3},
                           {"milliseconds", 1e6},
                           {"seconds", 1e9},
                           {"second", 1e9},
                           {"secs", 1e9},
                           {"sec", 1e9},
                           {"minutes", 60e9},
                           {"minute", 60e9},
                           {"mins", 60e9},
                           {"hours", 3600e9},
                           {"hour", 3600e9},
                           {"hrs", 3600e9},
                           {"hr", 3600e9},
                           {"days", 86400e9},
                           {"day", 86400e9},
                           {"weeks", 604800e9},
                           {"week", 604800e9},
                           {"ns", 1},
                           {"us", 1e3},
                           {"ms", 1e6},
                           {"min", 60e9},
                           {"s", 1e9},
                           {"m", 60e9},
                           {"h", 3600e9},
                           {"d", 86400e9},
                           {"w", 604800e9}};
constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

Status bad_time(std::string_view text) {
  return {StatusCode::kInvalidArgument, "'" + std::string(text) +
                                            "' is not a time; write 2026-11-20T14:03:22Z, '2026-11-20 14:03', 14:03, "
                                            "'yesterday 14:03', '10m ago' or 'last 30s'"};
}

bool take(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// In either case; `word` in lower case. False if a letter follows.
bool take_word(std::string_view* text, std::string_view word) {
  if (text->size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower((*text)[i]) != word[i]) return false;
  }
  if (text->size() > word.size() && is_letter((*text)[word.size()])) return false;
  text->remove_prefix(word.size());
  return true;
}

bool cut_suffix(std::string_view* text, std::string_view suffix) {
  if (!text->ends_with(suffix)) return false;
  *text = trim(text->substr(0, text->size() - suffix.size()));
  return true;
}

// `digits` digits, within [low, high].
bool take_number(std::string_view* text, std::size_t digits, int low, int high, int* value) {
  if (text->size() < digits) return false;
  *value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit((*text)[i])) return false;
    *value = *value * 10 + ((*text)[i] - '0');
  }
  text->remove_prefix(digits);
  return *value >= low && *value <= high;
}

// ".5" as nanoseconds; nothing is zero.
bool take_fraction(std::string_view* text, std::int64_t* ns) {
  *ns = 0;
  if (!take(text, ".")) return true;
  std::int64_t scale = kNsPerSecond;
  if (text->empty() || !is_digit(text->front())) return false;
  while (!text->empty() && is_digit(text->front())) {
    if (scale > 1) {
      scale /= 10;
      *ns += (text->front() - '0') * scale;
    }
    text->remove_prefix(1);
  }
  return true;
}

// The day of a time, or the part that its date leaves open.
enum class Day { kGiven, kWithoutYear, kOfTheLog, kToday, kYesterday };

struct Parts {
  Day day = Day::kGiven;
  std::tm tm{};
  std::int64_t ns = 0;
  bool has_clock = false;
  bool has_zone = false;
  int east = 0;  // seconds
};

bool take_year(std::string_view* text, std::tm* tm) {
  int year = 0;
  if (!take_number(text, 4, 1678, 2261, &year)) return false;
  tm->tm_year = year - 1900;
  return true;
}

bool take_date(std::string_view* text, std::tm* tm) {
  int month = 0;
  if (!take_year(text, tm) || !take(text, "-") || !take_number(text, 2, 1, 12, &month) || !take(text, "-") ||
      !take_number(text, 2, 1, 31, &tm->tm_mday)) {
    return false;
  }
  tm->tm_mon = month - 1;
  return true;
}

bool take_month(std::string_view* text, std::tm* tm) {
  for (int month = 0; month < 12; ++month) {
    if (!take_word(text, kMonths[month])) continue;
    tm->tm_mon = month;
    return true;
  }
  return false;
}

bool take_day(std::string_view* text, std::tm* tm) {
  const std::size_t digits = leading_digits(*text);
  return (digits == 1 || digits == 2) && take_number(text, digits, 1, 31, &tm->tm_mday);
}

// "Nov 28", "28 Nov", perhaps with a weekday before it and a year after it.
bool take_named_date(std::string_view* text, Parts* parts) {
  for (const std::string_view weekday : kWeekdays) {
    if (!take_word(text, weekday)) continue;
    (void)take(text, ",");
    *text = trim(*text);
    break;
  }
  const bool day_first = !text->empty() && is_digit(text->front());
  if (day_first && !take_day(text, &parts->tm)) return false;
  *text = trim(*text);
  if (!take_month(text, &parts->tm)) return false;
  *text = trim(*text);
  if (!day_first && !take_day(text, &parts->tm)) return false;
  parts->day = Day::kWithoutYear;
  std::string_view rest = trim(*text);
  if (leading_digits(rest) != 4) return true;
  if (!take_year(&rest, &parts->tm)) return false;
  *text = rest;
  parts->day = Day::kGiven;
  return true;
}

bool take_clock(std::string_view* text, Parts* parts) {
  parts->has_clock = true;
  if (!begins_with_clock(*text) || !take_number(text, leading_digits(*text), 0, 23, &parts->tm.tm_hour) ||
      !take(text, ":") || !take_number(text, 2, 0, 59, &parts->tm.tm_min)) {
    return false;
  }
  if (take(text, ":") && (!take_number(text, 2, 0, 60, &parts->tm.tm_sec) || !take_fraction(text, &parts->ns))) {
    return false;
  }
  return true;
}

bool take_zone(std::string_view* text, Parts* parts) {
  *text = trim(*text);
  if (text->empty()) return true;
  parts->has_zone = true;
  if (take_word(text, "z") || take_word(text, "utc") || take_word(text, "gmt")) return true;
  const int sign = text->front() == '-' ? -1 : 1;
  if (!take(text, "+") && !take(text, "-")) return false;
  int hours = 0;
  int minutes = 0;
  if (!take_number(text, 2, 0, 23, &hours)) return false;
  take(text, ":");
  if (!text->empty() && !take_number(text, 2, 0, 59, &minutes)) return false;
  parts->east = sign * (hours * 3600 + minutes * 60);
  return true;
}

bool take_parts(std::string_view rest, Parts* parts) {
  if (begins_with_clock(rest)) {
    parts->day = Day::kOfTheLog;
    return take_clock(&rest, parts) && take_zone(&rest, parts) && rest.empty();
  }
  if (take_word(&rest, "today")) {
    parts->day = Day::kToday;
  } else if (take_word(&rest, "yesterday")) {
    parts->day = Day::kYesterday;
  } else if (leading_digits(rest) == 4) {
    if (!take_date(&rest, &parts->tm)) return false;
  } else if (!take_named_date(&rest, parts)) {
    return false;
  }
  const bool t = take(&rest, "T") || take(&rest, "t");
  rest = trim(rest);
  if ((t || begins_with_clock(rest)) && !take_clock(&rest, parts)) return false;
  rest = trim(rest);
  if (parts->day == Day::kWithoutYear && leading_digits(rest) == 4) {  // as date(1) has it
    if (!take_year(&rest, &parts->tm)) return false;
    parts->day = Day::kGiven;
  }
  return take_zone(&rest, parts) && rest.empty();
}

// The date on which `ns` is, in the zone of what was written, so many days earlier.
void set_date(std::int64_t ns, int days_before, bool local, Parts* parts) {
  std::time_t seconds = static_cast<std::time_t>(second_of(ns));
  std::tm date{};
  if (local && !parts->has_zone) {
    ::localtime_r(&seconds, &date);
  } else {
    seconds += parts->east;
    ::gmtime_r(&seconds, &date);
  }
  parts->tm.tm_year = date.tm_year;
  parts->tm.tm_mon = date.tm_mon;
  parts->tm.tm_mday = date.tm_mday - days_before;
}

std::int64_t to_ns(const Parts& parts, bool local, std::tm* normal) {
  *normal = parts.tm;
  normal->tm_isdst = -1;
  const std::time_t seconds = local && !parts.has_zone ? ::mktime(normal) : ::timegm(normal);
  return (static_cast<std::int64_t>(seconds) - parts.east) * kNsPerSecond + parts.ns;
}

Result<Point> parse_absolute(std::string_view text, const TimeContext& context) {
  Parts parts;
  if (!take_parts(text, &parts)) return bad_time(text);
  std::tm normal{};
  const auto at = [&] { return to_ns(parts, context.local, &normal); };
  switch (parts.day) {
    case Day::kToday:
      set_date(context.now, 0, context.local, &parts);
      return Point{at()};
    case Day::kYesterday:
      set_date(context.now, 1, context.local, &parts);
      return Point{at()};
    case Day::kOfTheLog: {
      set_date(context.last, 0, context.local, &parts);
      const std::int64_t late = at();
      if (late <= context.last) return Point{late, true};
      set_date(context.last, 1, context.local, &parts);
      const std::int64_t early = at();
      return Point{early >= context.first ? early : late, true};
    }
    case Day::kWithoutYear: {
      Parts last;
      last.has_zone = parts.has_zone;
      last.east = parts.east;
      set_date(context.last, 0, context.local, &last);
      parts.tm.tm_year = last.tm.tm_year;
      if (at() > saturated_sum(context.last, kNsPerDay)) --parts.tm.tm_year;
      break;
    }
    case Day::kGiven:
      break;
  }
  const std::int64_t ns = at();
  if (normal.tm_mday != parts.tm.tm_mday && parts.tm.tm_sec < 60) {  // 31 April became 1 May
    return Status(StatusCode::kInvalidArgument, "'" + std::string(text) + "': there is no such day");
  }
  return Point{ns};
}

// Digits since the epoch, perhaps with a fraction of a second.
Result<Point> parse_epoch(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  const std::optional<std::int64_t> ns = error == std::errc() ? epoch_ns(number) : std::nullopt;
  if (!ns) return bad_time(text);
  std::int64_t fraction = 0;
  if (!rest.empty() && (number > INT64_MAX / kNsPerSecond - 1 || !take_fraction(&rest, &fraction) || !rest.empty())) {
    return bad_time(text);
  }
  return Point{*ns + fraction};
}

}  // namespace

bool begins_with_clock(std::string_view text) {
  const std::size_t digits = leading_digits(text);
  return (digits == 1 || digits == 2) && text.size() > digits && text[digits] == ':';
}

Result<Point> parse_point(std::string_view given, const TimeContext& context) {
  std::string_view text = trim(given);
  if (text == "now") return Point{context.now};
  if (text == "end") return Point{context.last};
  if (text == "start") return Point{context.first};
  constexpr std::size_t kFewestDigits = 9;  // of a number that is not taken for something else
  if (text.starts_with('@')) return parse_epoch(text.substr(1));
  if (leading_digits(text) >= kFewestDigits) return parse_epoch(text);
  std::string_view amount = text;
  std::int64_t from = context.last;
  std::int64_t sign = -1;
  if (cut_suffix(&amount, " ago")) {
    from = context.now;
  } else if (cut_suffix(&amount, " before end")) {
    take(&amount, "last ");
  } else if (cut_suffix(&amount, " after start")) {
    from = context.first;
    sign = 1;
  } else if (take(&amount, "first ")) {
    from = context.first;
    sign = 1;
  } else if (!take(&amount, "last ")) {
    from = context.now;
    const bool minus = take(&amount, "-");
    if (!minus && !parse_duration(amount).ok()) return parse_absolute(text, context);
  }
  const auto duration = parse_duration(amount);
  if (!duration.ok()) return duration.status();
  Point point;
  if (__builtin_add_overflow(from, sign * *duration, &point.ns)) return bad_time(given);
  return point;
}

std::optional<std::int64_t> epoch_ns(std::int64_t number) {
  if (number < 0) return std::nullopt;
  constexpr std::int64_t kBelow[] = {100'000'000'000, 100'000'000'000'000, 100'000'000'000'000'000};
  std::int64_t factor = kNsPerSecond;
  for (const std::int64_t below : kBelow) {
    if (number < below) break;
    factor /= 1000;
  }
  std::int64_t ns = 0;
  return __builtin_mul_overflow(number, factor, &ns) ? std::nullopt : std::optional<std::int64_t>(ns);
}

Result<std::int64_t> parse_duration(std::string_view text) {
  const auto bad = [&] {
    return Status(StatusCode::kInvalidArgument,
                  "'" + std::string(text) + "' is not a duration; write 250ms, 30s, 10m, 1h30m, 2d");
  };
  std::string_view rest = trim(text);
  if (rest.empty()) return bad();
  double total = 0;
  while (!rest.empty()) {
    double n = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n, std::chars_format::fixed);
    if (error != std::errc() || n < 0) return bad();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    rest = trim(rest);
    const Unit* found = nullptr;
    for (const Unit& unit : kUnits) {
      if (take_word(&rest, unit.name)) {
        found = &unit;
        break;
      }
    }
    if (found == nullptr) return bad();
    rest = trim(rest);
    total += n * found->ns;
  }
  if (!(total >= 1) || total > 9e18) return bad();
  return static_cast<std::int64_t>(std::llround(total));
}

Result<std::int64_t> parse_time(std::string_view text, const TimeContext& context) {
  const auto point = parse_point(text, context);
  if (!point.ok()) return point.status();
  return point->ns;
}

}  // namespace steno::query
