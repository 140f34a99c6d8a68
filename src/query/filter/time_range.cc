// From one time until another, or for so long.
#include <string>

#include "base/ascii.h"
#include "base/nanoseconds.h"
#include "base/split.h"
#include "query/filter/time_point.h"
#include "query/filter/time_spec.h"

namespace steno::query {
namespace {

// Returns whether a text is a time before now, as the other end of a range is then.
bool is_before_now(std::string_view text) {
  if (text == "now" || text.ends_with(" ago") || text.starts_with("last ") || text.ends_with(" before end"))
    return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return parse_duration(text).ok();
}

Status bad_range(std::string_view text, const TimeContext& context) {
  const bool is_time = parse_time(text, context).ok();
  const std::string time(is_time ? trim(text) : "02:41");
  std::string forms = time + (is_time ? "..END" : "..02:50");
  if (!is_before_now(time)) forms += ", " + time + "..15m (for that long)";
  return {StatusCode::kInvalidArgument,
          "'" + std::string(text) + "' is not a range; write " + forms + ", " + time + ".. or .." + time};
}

Result<TimeSpan> parse_length(std::string_view since, std::int64_t length, const TimeContext& context) {
  const auto from = parse_time(since, context);
  if (!from.ok()) return from.status();
  return TimeSpan{*from, saturated_sum(*from, length - 1)};
}

// Both ends of a range, with what is between them. No such text: `between` is empty.
struct Halves {
  std::string_view since;
  std::string_view between;
  std::string_view until;
};

// Returns whether a text is what follows the sign of a zone: "05:00".
bool is_zone(std::string_view text) {
  return text.size() == 5 && text[2] == ':' && leading_digits(text) == 2 && leading_digits(text.substr(3)) == 2 &&
         text.substr(0, 2) <= "14";
}

Halves halved(std::string_view text, std::size_t at, std::string_view between) {
  return {trim(text.substr(0, at)), between, trim(text.substr(at + between.size()))};
}

// "A..B", "A - B", "02:35-02:50" (a date has hyphens too, and a zone after it), "A+15m" (a zone has a plus too).
Halves halves_of(std::string_view text) {
  if (const std::size_t at = text.find(".."); at != std::string_view::npos) return halved(text, at, "..");
  if (const std::size_t at = text.find(" - "); at != std::string_view::npos) return halved(text, at, " - ");
  if (const std::size_t at = text.rfind('+'); at != std::string_view::npos) {
    const Halves halves = halved(text, at, "+");
    if (parse_duration(halves.until).ok()) return halves;
  }
  if (const std::size_t at = text.rfind('-'); at != std::string_view::npos) {
    const Halves halves = halved(text, at, "-");
    const bool has_date = !begins_with_clock(halves.since);
    if (begins_with_clock(halves.until) && !(has_date && is_zone(halves.until))) return halves;
  }
  return {text, "", ""};
}

// Returns whether a range ends on the day after its begin, where the end is a time of day that the log does not have
// after the begin. Who writes 02:50..02:35 for a log that ends before that day will rather have swapped the two;
// 23:50..00:10 is a night.
bool ends_on_next_day(std::int64_t begin, std::int64_t end, const TimeContext& context) {
  if (begin > context.last) return true;
  TimeContext next = context;
  next.first = begin;
  next.last = saturated_sum(begin, kNsPerDay);
  const auto midnight = parse_time("0:00", next);
  return end - begin <= kNsPerDay / 2 || (midnight.ok() && context.last >= *midnight);
}

}  // namespace

Result<TimeSpan> parse_span(std::string_view since, std::string_view until, const TimeContext& context) {
  TimeSpan span;
  if (!since.empty()) {
    const auto from = parse_time(since, context);
    if (!from.ok()) return from.status();
    span.first = *from;
  }
  if (until.empty()) return span;
  const auto to = parse_point(until, context);
  if (!to.ok()) return to.status();
  std::int64_t end = to->ns;
  if (to->of_the_log && end < span.first) {  // 23:50..00:10
    TimeContext next = context;
    next.first = span.first;
    next.last = saturated_sum(span.first, kNsPerDay);
    const auto later = parse_point(until, next);
    if (later.ok() && later->ns >= span.first) {
      if (!ends_on_next_day(span.first, later->ns, context)) {
        return Status(StatusCode::kInvalidArgument, "'" + std::string(until) + "' is before '" + std::string(since) +
                                                        "', and the log has no records of the day after");
      }
      end = later->ns;
    }
  }
  span.last = end == INT64_MIN ? end : end - 1;
  return span;
}

bool is_range(std::string_view text) {
  return !halves_of(trim(text)).between.empty();
}

Result<TimeSpan> parse_range(std::string_view text, const TimeContext& context) {
  const Halves halves = halves_of(trim(text));
  if (halves.between.empty() || (halves.since.empty() && halves.until.empty())) return bad_range(text, context);
  const bool plus = halves.between == "+" || halves.until.starts_with('+');
  const auto length = parse_duration(halves.until.substr(halves.until.starts_with('+') ? 1 : 0));
  if (!length.ok() || halves.since.empty() || (!plus && is_before_now(halves.since))) {
    return parse_span(halves.since, halves.until, context);
  }
  if (halves.between == " - ") return bad_range(text, context);  // less so much, or until so long ago?
  return parse_length(halves.since, *length, context);
}

}  // namespace steno::query
