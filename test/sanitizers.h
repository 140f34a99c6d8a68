// Tells which sanitizer the tests are compiled with: some tests cannot run with it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace steno::test {

#if defined(__has_feature)  // clang
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
inline constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#endif

// Returns how often a test repeats itself with other random values that would do so n times: a sanitizer makes each
// several times as slow, and its finds come early.
constexpr int sampled(int n) {
  const int part = kThreadSanitizer ? n / 10 : kAddressSanitizer ? n / 8 : n;
  return part > 0 ? part : 1;
}

// LeakSanitizer stops the threads of a process that ends, and hangs where signals come meanwhile, or says that it could
// not: children that are sent signals, or fork, do without it. Nor are calls named where they die of signals, which
// takes seconds.
inline void check_no_leaks_in_children() {
  if (!kAddressSanitizer) return;
  const char* const options = std::getenv("ASAN_OPTIONS");
  setenv("ASAN_OPTIONS",
         ((options != nullptr ? std::string(options) + ":" : "") + "detect_leaks=0:symbolize=0").c_str(), 1);
}

// Rests before a fork in a process whose scribe runs: AddressSanitizer's heap hangs in the child if another thread was
// in it just then. Tests whose other threads do not come to rest are left out instead.
inline void let_scribe_rest() {
  if (kAddressSanitizer) usleep(200'000);
}

}  // namespace steno::test
