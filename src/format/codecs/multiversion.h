// Hot loops for several x86-64 levels in one library that runs on all of them.
//
// STENO_MULTIVERSION before a function compiles it for each level and picks one when the program is loaded: for plain
// loops that compilers vectorise. Left out where sanitizers run (their runtime is not up when the choice is made) and
// where there is no ifunc.
//
// STENO_WITH_AVX2 before a function, and have_avx2() in the one that chooses between it and its baseline: for loops in
// terms of the compiler's vector type, whose size has to follow the machine's (a larger one is taken apart into
// scalars).
//
// Helpers that either calls must be STENO_INLINE, or they stay what the baseline allows.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define STENO_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STENO_SANITIZED 1
#endif

// GCC knows the architecture levels from 12 on, clang from 14 on.
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(STENO_SANITIZED) && \
    ((defined(__clang__) && __clang_major__ >= 14) || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 12))
#define STENO_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STENO_MULTIVERSION
#endif

#define STENO_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__)
#define STENO_WITH_AVX2 __attribute__((target("avx2")))
#else
#define STENO_WITH_AVX2
#endif

namespace steno::format {

inline constexpr std::size_t kBaselineVector = 16;  // bytes: SSE2, NEON
inline constexpr std::size_t kWideVector = 32;      // bytes: AVX2

// Tests set it, to run what machines without AVX2 run.
inline bool baseline_only = false;

inline bool have_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && !baseline_only;
#else
  return false;
#endif
}

}  // namespace steno::format
