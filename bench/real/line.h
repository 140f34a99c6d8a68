// A line of a generated log, once as a log statement and once as text: both from one format.
#pragma once

#include <fmt/format.h>
#include <steno/log.h>

#include <iterator>
#include <string>
#include <string_view>

namespace steno::bench {

// "{name:x}" without the name: "{:x}", as fmt wants it.
std::string without_names(std::string_view format);

template <class... T>
void append_line(std::string* text, const std::string& format, const T&... arguments) {
  fmt::vformat_to(std::back_inserter(*text), format, fmt::make_format_args(arguments...));
  text->push_back('\n');
}

}  // namespace steno::bench

// Logs the line; or, if `text` is not nullptr, appends its message there instead.
#define BENCH_LINE(text, level, format, ...)                                         \
  do {                                                                               \
    if ((text) == nullptr) {                                                         \
      STENO_##level(format __VA_OPT__(, ) __VA_ARGS__);                              \
    } else {                                                                         \
      static const std::string plain_format = ::steno::bench::without_names(format); \
      ::steno::bench::append_line(text, plain_format __VA_OPT__(, ) __VA_ARGS__);    \
    }                                                                                \
  } while (false)
