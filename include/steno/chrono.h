// std::chrono in log statements: durations with their unit, times of the system clock in UTC.
//
//   STENO_INFO("took {time}", std::chrono::milliseconds(15));           // took 15ms
//   STENO_INFO("expires {at}", std::chrono::system_clock::now());       // expires 2026-11-22 20:00:00.123456789Z
//
// They are logged as numbers with a unit (spec/types.md): `--where 'time > 5ms'` finds them, and `agg` computes with
// them; in JSON a duration is a number. Units: ns, us, ms, s, min, h, d; others print as [60/1]s. A field with fill,
// width and alignment prints the text; with any other spec, such as `{:d}`, only the number. Times in other units are
// converted to ns. Costs a store. In printf statements (%s) and contexts they are text; so are durations of long
// double.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ratio>
#include <type_traits>

#include "steno/detail/short_text.h"
#include "steno/loggable.h"

#include "steno/detail/begin.h"

namespace steno {
namespace detail {

// "[60/1]s", for units without a name.
template <class Period>
struct RatioText {
  struct Text {
    char of[48];
  };
  static constexpr Text make() {
    Text text{};
    char* p = text.of;
    *p++ = '[';
    p = put(Period::num, p);
    *p++ = '/';
    p = put(Period::den, p);
    *p++ = ']';
    *p++ = 's';
    return text;
  }
  static constexpr char* put(std::intmax_t number, char* p) {
    std::intmax_t unit = 1;
    while (number / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) *p++ = static_cast<char>('0' + number / unit % 10);
    return p;
  }
  static constexpr Text kText = make();
};

template <class Period>
constexpr const char* unit_of() {
  if (std::is_same_v<Period, std::nano>) return "ns";
  if (std::is_same_v<Period, std::micro>) return "us";
  if (std::is_same_v<Period, std::milli>) return "ms";
  if (std::is_same_v<Period, std::ratio<1>>) return "s";
  if (std::is_same_v<Period, std::ratio<60>>) return "min";
  if (std::is_same_v<Period, std::ratio<3600>>) return "h";
  if (std::is_same_v<Period, std::ratio<86400>>) return "d";
  return RatioText<Period>::kText.of;
}

// The unit in which times of a clock with this period are logged.
template <class Rep, class Period>
constexpr const char* time_unit_of() {
  if (!std::is_integral_v<Rep> || sizeof(Rep) > 8) return "@ns";
  if (std::is_same_v<Period, std::micro>) return "@us";
  if (std::is_same_v<Period, std::milli>) return "@ms";
  if (std::is_same_v<Period, std::ratio<1>>) return "@s";
  if (std::is_same_v<Period, std::ratio<60>>) return "@min";
  if (std::is_same_v<Period, std::ratio<3600>>) return "@h";
  if (std::is_same_v<Period, std::ratio<86400>>) return "@d";
  return "@ns";
}

// The type that counts of a duration are logged as; void: they are text. Characters and bool are no numbers to a
// reader.
template <class Rep>
struct CountType {
  static constexpr bool kInteger = std::is_integral_v<Rep> && sizeof(Rep) <= 8;
  static constexpr bool kCharacter =
      sizeof(Rep) < 8 && (std::is_same_v<Rep, bool> || std::is_same_v<Rep, char> || std::is_same_v<Rep, wchar_t> ||
                          std::is_same_v<Rep, char16_t> || std::is_same_v<Rep, char32_t>);
  static constexpr bool kNumber = kInteger || std::is_same_v<Rep, float> || std::is_same_v<Rep, double>;
  using Type = std::conditional_t<kCharacter, long long, std::conditional_t<kNumber, Rep, void>>;
};

// Days since the epoch to year, month and day of the Gregorian calendar, in which years begin in March and eras of 400
// years are alike.
struct Date {
  long long year;
  unsigned month;
  unsigned day;
};
constexpr Date date_of(long long days) {
  days += 719468;  // since 0000-03-01
  const long long era = (days >= 0 ? days : days - 146096) / 146097;
  const auto of_era = static_cast<unsigned>(days - era * 146097);
  const unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
  const unsigned month = (5 * of_year + 2) / 153;
  return {year + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9,
          of_year - (153 * month + 2) / 5 + 1};
}

}  // namespace detail

template <class Rep, class Period>
struct Loggable<std::chrono::duration<Rep, Period>> {
  static_assert(std::is_arithmetic_v<Rep>);
  using Count = typename detail::CountType<Rep>::Type;

  static auto capture(const std::chrono::duration<Rep, Period>& time) {
    if constexpr (std::is_void_v<Count>) {
      return text(time);
    } else {
      return static_cast<Count>(time.count());
    }
  }
  static constexpr const char* meaning() { return std::is_void_v<Count> ? "" : detail::unit_of<Period>(); }
  static detail::ShortText<96> text(const std::chrono::duration<Rep, Period>& time) {
    detail::ShortText<96> text;
    if constexpr (std::is_floating_point_v<Rep>) {
      char number[48];
      std::snprintf(number, sizeof number, "%.6g", static_cast<double>(time.count()));
      for (char* p = number; *p != '\0'; ++p) text.append(*p == ',' ? '.' : *p);  // whatever the locale
    } else {
      text.append_signed(static_cast<long long>(time.count()));
    }
    text.append(detail::unit_of<Period>());
    return text;
  }
};

template <class Duration>
struct Loggable<std::chrono::time_point<std::chrono::system_clock, Duration>> {
  static constexpr const char* meaning() {
    return detail::time_unit_of<typename Duration::rep, typename Duration::period>();
  }
  static long long capture(const std::chrono::time_point<std::chrono::system_clock, Duration>& time) {
    const char* const unit = meaning();
    using Nanoseconds = std::chrono::duration<long long, std::nano>;
    if (unit[1] == 'n') return std::chrono::duration_cast<Nanoseconds>(time.time_since_epoch()).count();
    return static_cast<long long>(time.time_since_epoch().count());
  }
  // With as many digits of the second as Duration has: 0, 3, 6 or 9.
  static detail::ShortText<48> text(const std::chrono::time_point<std::chrono::system_clock, Duration>& time) {
    using Seconds = std::chrono::duration<long long>;
    const auto seconds = std::chrono::floor<Seconds>(time.time_since_epoch());
    const auto days = std::chrono::floor<std::chrono::duration<long long, std::ratio<86400>>>(seconds);
    const detail::Date date = detail::date_of(days.count());
    const auto of_day = static_cast<unsigned>((seconds - days).count());
    detail::ShortText<48> text;
    if (date.year < 0) text.append('-');
    text.append(static_cast<unsigned long long>(date.year < 0 ? -date.year : date.year), 4);
    text.append('-');
    text.append(date.month, 2);
    text.append('-');
    text.append(date.day, 2);
    text.append(' ');
    text.append(of_day / 3600, 2);
    text.append(':');
    text.append(of_day / 60 % 60, 2);
    text.append(':');
    text.append(of_day % 60, 2);
    using Period = typename Duration::period;
    constexpr int kDigits = std::ratio_greater_equal_v<Period, std::ratio<1>> ? 0
                            : std::ratio_greater_equal_v<Period, std::milli>  ? 3
                            : std::ratio_greater_equal_v<Period, std::micro>  ? 6
                                                                              : 9;
    if constexpr (kDigits != 0) {
      const auto ns =
          std::chrono::duration_cast<std::chrono::duration<long long, std::nano>>(time.time_since_epoch() - seconds);
      text.append('.');
      text.append(static_cast<unsigned long long>(ns.count()) / (kDigits == 3   ? 1000000
                                                                 : kDigits == 6 ? 1000
                                                                                : 1),
                  kDigits);
    }
    text.append('Z');
    return text;
  }
};

}  // namespace steno

#include "steno/detail/end.h"
