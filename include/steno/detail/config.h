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

// Between these two, warnings that the code cannot do without: that statements register themselves before main, that
// members are not initialised twice, that a switch over all values of an enumeration has no default.
#if defined(__clang__)
#define STENO_DETAIL_BEGIN_QUIET                                                                 \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wglobal-constructors\"") \
      _Pragma("clang diagnostic ignored \"-Wexit-time-destructors\"")                            \
          _Pragma("clang diagnostic ignored \"-Wweak-vtables\"")                                 \
              _Pragma("clang diagnostic ignored \"-Wswitch-default\"")
#define STENO_DETAIL_END_QUIET _Pragma("clang diagnostic pop")
#else
#define STENO_DETAIL_BEGIN_QUIET                                                \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Weffc++\"") \
      _Pragma("GCC diagnostic ignored \"-Wswitch-default\"")
#define STENO_DETAIL_END_QUIET _Pragma("GCC diagnostic pop")
#endif
