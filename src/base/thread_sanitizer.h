// Tells a program's ThreadSanitizer what orders memory in an archive that was compiled without.
//
// It sees the program's own accesses, and of ours the calls of the C library; the atomics that make them safe it does
// not see, and would report races that are none. Beside the few that order plain data between threads stands a call.
// Without a sanitizer it is a test of an address that is known when the program is linked; where the archive is
// instrumented itself, nothing.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define STENO_SEEN_BY_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STENO_SEEN_BY_TSAN 1
#endif
#endif

#if !defined(STENO_SEEN_BY_TSAN)
extern "C" {
void __tsan_acquire(void* address) __attribute__((weak));  // the runtime's names
void __tsan_release(void* address) __attribute__((weak));
}
#endif

namespace steno {

// After an acquire load, and before the release store that it pairs with.
inline void acquired([[maybe_unused]] const void* address) {
#if !defined(STENO_SEEN_BY_TSAN)
  if (__tsan_acquire != nullptr) __tsan_acquire(const_cast<void*>(address));
#endif
}
inline void releasing([[maybe_unused]] const void* address) {
#if !defined(STENO_SEEN_BY_TSAN)
  if (__tsan_release != nullptr) __tsan_release(const_cast<void*>(address));
#endif
}

}  // namespace steno
