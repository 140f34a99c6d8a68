// The parts that other loggers' interfaces have in common: arguments that {fmt} formats, formats that come with their
// place.
//
// Which types statements take themselves must be the same wherever as_argument() is used in a program, so the headers
// that say so for the standard library's are all included here.
#pragma once

#include <string_view>
#include <type_traits>

#include "steno/chrono.h"
#include "steno/containers.h"
#include "steno/detail/brace_call.h"
#include "steno/detail/capture.h"
#include "steno/logf.h"
#include "steno/std_types.h"

#if __has_include(<fmt/format.h>)
#if !defined(FMT_HEADER_ONLY) && !defined(FMT_VERSION)
#define FMT_HEADER_ONLY 1
#endif
#include <fmt/format.h>
#define STENO_DETAIL_HAS_FMT 1
#else
#define STENO_DETAIL_HAS_FMT 0
#endif

namespace steno::detail {

// Where a call is; nothing converts to it, which would take an argument for a file's name.
class CallPlace {
 public:
  static constexpr CallPlace current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                     const char* function = __builtin_FUNCTION()) {
    return CallPlace(file, line, function);
  }
  Origin origin(Level level) const { return {level, file_, static_cast<unsigned>(line_), function_}; }

 private:
  constexpr CallPlace(const char* file, int line, const char* function)
      : file_(file), line_(line), function_(function) {}

  const char* file_;
  int line_;
  const char* function_;
};

// A format and where the call is.
struct CallFormat {
  std::string_view text;
  Origin origin;

  template <class T, class = std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>>
  CallFormat(const T& format, const char* file = __builtin_FILE(), int line = __builtin_LINE(),
             const char* function = __builtin_FUNCTION())
      : text(format), origin(Level::kInfo, file, static_cast<unsigned>(line), function) {}
#if STENO_DETAIL_HAS_FMT
  CallFormat(decltype(fmt::runtime(std::string_view())) format, const char* file = __builtin_FILE(),
             int line = __builtin_LINE(), const char* function = __builtin_FUNCTION())
      : text(format.str.data(), format.str.size()), origin(Level::kInfo, file, static_cast<unsigned>(line), function) {}
#endif
};

// An argument as a statement takes it: what it does not take is formatted here.
template <class T>
decltype(auto) as_argument(const T& value) {
  if constexpr (letter_of<Bare<T>>() != '?') {
    return (value);
#if STENO_DETAIL_HAS_FMT
  } else if constexpr (fmt::is_formattable<T>::value) {
    return fmt::format("{}", value);
#endif
  } else {
    return formatted(value);
  }
}

}  // namespace steno::detail
