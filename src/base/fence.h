// Fences between atomics, also where ThreadSanitizer is on.
//
// It knows no fences, and GCC warns of each; but it knows atomics, and nothing here orders anything else within one
// process: what lies between two fences is read by other processes only, or read again.
#pragma once

namespace steno {

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif

// kOrder: __ATOMIC_ACQUIRE, __ATOMIC_RELEASE or __ATOMIC_SEQ_CST.
template <int kOrder>
[[gnu::always_inline]] inline void fence() {
  __atomic_thread_fence(kOrder);
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic pop
#endif

}  // namespace steno
