// From statuses and exceptions to codes and texts: no exception leaves a function of the C API.
#pragma once

#include <exception>
#include <new>

#include "steno/c.h"
#include "steno/status.h"

namespace steno::capi {

// Also into `error`, if that is not null.
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

}  // namespace steno::capi
