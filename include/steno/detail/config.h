// Compiler facts that the hot headers need.
#pragma once

#if !defined(__GNUC__)
#error "steno needs GCC or Clang"
#endif

#define STENO_LIKELY(x) __builtin_expect(!!(x), 1)
#define STENO_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define STENO_ALWAYS_INLINE inline __attribute__((always_inline))
#define STENO_COLD __attribute__((noinline, cold))
// Symbols of statements stay in their own library: a template's static member with default visibility would become
// STB_GNU_UNIQUE and pin the library for ever.
#define STENO_HIDDEN __attribute__((visibility("hidden")))
#define STENO_EXPORT __attribute__((visibility("default")))
