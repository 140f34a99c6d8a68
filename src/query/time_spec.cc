#include "query/time_spec.h"

#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

#include "base/ascii.h"

namespace steno::query {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

struct Unit {
  std::string_view name;
  double ns;
};
// Longer names first: "ms" is not "m".
constexpr Unit kUnits[] = {{"ns", 1},   {"us", 1e3},   {"ms", 1e6},    {"min", 60e9},     {"s", 1e9},
                           {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"w", 7 * 86400e9}};

Status bad_time(std::string_view text) {
  return {StatusCode::kInvalidArgument,
          "'" + std::string(text) +
              "' is not a time; write 2026-11-20T14:03:22Z, '2026-11-20 14:03', 14:03:22, '10m ago' or 'last 30s'"};
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool take(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
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

struct Parts {
  std::tm tm{};
  std::int64_t ns = 0;
  bool has_zone = false;
  int east = 0;  // seconds
};

bool take_date(std::string_view* text, std::tm* tm) {
  int year = 0;
  int month = 0;
  if (!take_number(text, 4, 1678, 2261, &year) || !take(text, "-") || !take_number(text, 2, 1, 12, &month) ||
      !take(text, "-") || !take_number(text, 2, 1, 31, &tm->tm_mday)) {
    return false;
  }
  tm->tm_year = year - 1900;
  tm->tm_mon = month - 1;
  return true;
}

bool take_clock(std::string_view* text, Parts* parts) {
  if (!take_number(text, 2, 0, 23, &parts->tm.tm_hour) || !take(text, ":") ||
      !take_number(text, 2, 0, 59, &parts->tm.tm_min)) {
    return false;
  }
  if (take(text, ":") && (!take_number(text, 2, 0, 60, &parts->tm.tm_sec) || !take_fraction(text, &parts->ns))) {
    return false;
  }
  return true;
}

bool take_zone(std::string_view* text, Parts* parts) {
  if (text->empty()) return true;
  parts->has_zone = true;
  if (take(text, "Z") || take(text, "z")) return true;
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

Result<std::int64_t> to_ns(const Parts& parts, bool local, std::string_view text) {
  std::tm tm = parts.tm;
  tm.tm_isdst = -1;
  const int day = tm.tm_mday;
  const std::time_t seconds = local && !parts.has_zone ? ::mktime(&tm) : ::timegm(&tm);
  if (tm.tm_mday != day && parts.tm.tm_sec < 60) {  // 31 April became 1 May
    return Status(StatusCode::kInvalidArgument, "'" + std::string(text) + "': there is no such day");
  }
  return (static_cast<std::int64_t>(seconds) - parts.east) * kNsPerSecond + parts.ns;
}

Result<std::int64_t> parse_absolute(std::string_view text, const TimeContext& context) {
  std::string_view rest = text;
  Parts parts;
  if (rest.size() > 2 && rest[2] == ':') {
    const auto day = static_cast<std::time_t>(context.last / kNsPerSecond - (context.last % kNsPerSecond < 0 ? 1 : 0));
    std::tm today{};
    context.local ? ::localtime_r(&day, &today) : ::gmtime_r(&day, &today);
    parts.tm.tm_year = today.tm_year;
    parts.tm.tm_mon = today.tm_mon;
    parts.tm.tm_mday = today.tm_mday;
    if (!take_clock(&rest, &parts)) return bad_time(text);
  } else {
    if (!take_date(&rest, &parts.tm)) return bad_time(text);
    if ((take(&rest, "T") || take(&rest, "t") || take(&rest, " ")) && !take_clock(&rest, &parts)) return bad_time(text);
  }
  if (!take_zone(&rest, &parts) || !rest.empty()) return bad_time(text);
  return to_ns(parts, context.local, text);
}

}  // namespace

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
      if (found == nullptr && rest.starts_with(unit.name)) found = &unit;
    }
    if (found == nullptr) return bad();
    rest = trim(rest.substr(found->name.size()));
    total += n * found->ns;
  }
  if (!(total >= 1) || total > 9e18) return bad();
  return static_cast<std::int64_t>(std::llround(total));
}

Result<std::int64_t> parse_time(std::string_view given, const TimeContext& context) {
  std::string_view text = trim(given);
  if (text == "now") return context.now;
  if (text == "end") return context.last;
  if (text == "start") return context.first;
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
    return parse_absolute(text, context);
  }
  const auto duration = parse_duration(amount);
  if (!duration.ok()) return duration.status();
  std::int64_t at = 0;
  if (__builtin_add_overflow(from, sign * *duration, &at)) return bad_time(given);
  return at;
}

}  // namespace steno::query
