// Tells by the spelling of a statement's format whether it is a string literal, and its text; and whether it is a
// logger.
#pragma once

#include <cstddef>

#include "steno/logger.h"

namespace steno::detail {

// Returns whether the format as it is spelled, macros replaced, is a literal: "…", several of them, R"(…)".
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

// The size of the result tells whether an expression is a logger; never called.
char logger_as_format(...);
char (&logger_as_format(const Logger&))[2];

}  // namespace steno::detail
