// Whether a statement's format is a string literal, by its spelling, and its text; whether it is a logger.
#pragma once

#include <cstddef>

#include "steno/logger.h"

namespace steno::detail {

// Whether the format as it is spelled, macros replaced, is a literal: "…", several of them, R"(…)".
template <std::size_t kSize>
constexpr bool is_literal(const char (&spelling)[kSize]) {
  if constexpr (kSize < 3) {
    return false;
  } else {
    return spelling[kSize - 2] == '"' && (spelling[0] == '"' || (spelling[0] == 'R' && spelling[1] == '"'));
  }
}

// Anything else is none: taken by reference, and left alone.
template <std::size_t kSize>
constexpr const char* text_of(const char (&text)[kSize]) {
  return text;
}
template <class... T>
constexpr const char* text_of(const T&...) {
  return nullptr;
}
template <std::size_t kSize>
constexpr std::size_t text_size(const char (&)[kSize]) {
  return kSize - 1;
}
template <class... T>
constexpr std::size_t text_size(const T&...) {
  return 0;
}

// Whether an expression is a logger, by the size of the result; never called.
char logger_as_format(...);
char (&logger_as_format(const Logger&))[2];

}  // namespace steno::detail
