// From statuses and exceptions to codes and texts: no exception leaves a function of the C API.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "steno/c_error.h"
#include "steno/status.h"

namespace steno::capi {

// Returns the status as a code, and stores it in `error`, if that is not null.
steno_code report(const Status& status, steno_error* error) noexcept;
steno_code report(steno_code code, const char* text, steno_error* error) noexcept;

// Runs f, which returns a Status.
template <class F>
steno_code guarded(steno_error* error, F f) noexcept {
  try {
    return report(f(), error);
  } catch (const std::bad_alloc&) {
    return report(STENO_EXHAUSTED, "out of memory", error);
  } catch (const std::exception& problem) {
    return report(STENO_IO_ERROR, problem.what(), error);
  }
}

// Runs f; what it throws is `otherwise`.
template <class T, class F>
T guarded_or(T otherwise, F f) noexcept {
  try {
    return f();
  } catch (const std::exception&) {
    return otherwise;
  }
}

// Copies as much of a structure as the program knows; members that only the program knows are 0.
template <class T>
void hand_out(const T& from, T* to, std::size_t size) {
  std::memset(static_cast<void*>(to), 0, size);
  std::memcpy(static_cast<void*>(to), &from, std::min(size, sizeof from));
}

// Structures of options, which come with their size: as much of the defaults as the program knows.
template <class T>
void options_init(const T& defaults, T* options, std::size_t size) {
  hand_out(defaults, options, size);
  options->size = size;
}

// Copies the program's values over the defaults that are there; null: it gave none. `macro` sets the size right.
template <class T>
Status read_options(const T* given, T* options, const char* macro) {
  if (given == nullptr) return {};
  if (given->size < sizeof given->size || given->size > 65536) {
    return {StatusCode::kInvalidArgument,
            std::string("the size of the options is wrong: set it with ") + macro + "(&options)"};
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof *options; i < given->size; ++i) {
    if (bytes[i] != 0) {
      return {StatusCode::kUnsupported, "the options have fields that this version of steno does not know"};
    }
  }
  std::memcpy(static_cast<void*>(options), given, std::min(given->size, sizeof *options));
  return {};
}

}  // namespace steno::capi
