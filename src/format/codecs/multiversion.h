// STENO_MULTIVERSION before a function compiles it for several x86-64 levels and picks one when the program is loaded, so that
// a library built for every machine still packs with AVX2 or AVX-512 where there is one.
//
// The loops behind it are plain C++ that compilers vectorise; helpers that they call must be STENO_INLINE, or they stay what the
// baseline allows. Left out where sanitizers run (their runtime is not up when the choice is made) and where there is no ifunc.
#pragma once

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
