// Hot loops for several kinds of x86-64 machines in one library that runs on all of them.
//
//   STENO_MULTIVERSION(void, add, (const int* values, int* sums), (values, sums)) {
//     ...
//   }
// defines add(values, sums), compiled for each kind; each call goes to the version for this machine: for plain loops
// that compilers vectorise, long enough that a branch or two are nothing. Lambdas in it must be STENO_INLINE_LAMBDA.
//
// STENO_WITH_AVX2 before a function, and have_avx2() in the one that chooses between it and its baseline: for loops in
// terms of the compiler's vector type, whose size has to follow the machine's (a larger one is taken apart into
// scalars).
//
// Helpers that either calls must be STENO_INLINE, or they stay what the baseline allows.
//
// Not the compilers' target_clones: clang 14 emits only the first version where a plain declaration came before, and
// chooses wrongly between architecture levels; and it needs ifunc, which musl and programs under sanitizers have not.
// scripts/check_builds holds the archives against this: outside functions named *_avx2 and *_avx512 is no instruction
// that the baseline lacks.
#pragma once

#include <cstddef>

#define STENO_INLINE [[gnu::always_inline]] inline
#define STENO_INLINE_LAMBDA __attribute__((always_inline))

// The features that a version is compiled for, and that are asked for before it is called: the same list twice.
#if defined(__x86_64__)
#define STENO_WITH_AVX2 __attribute__((target("avx2,bmi,bmi2,fma")))
#define STENO_WITH_AVX512 __attribute__((target("avx2,bmi,bmi2,fma,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))
#else
#define STENO_WITH_AVX2
#endif

namespace steno::format {

inline constexpr std::size_t kBaselineVector = 16;  // bytes: SSE2, NEON
inline constexpr std::size_t kWideVector = 32;      // bytes: AVX2

enum class Machine : unsigned char { kBaseline, kAvx2, kAvx512 };

// Tests set it, to run what lesser machines run.
inline Machine best_machine = Machine::kAvx512;

// Before libgcc's own initialisation (priority 101), the baseline.
inline bool have_avx2() {
#if defined(__x86_64__)
  return best_machine >= Machine::kAvx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

inline bool have_avx512() {
#if defined(__x86_64__)
  return best_machine >= Machine::kAvx512 && have_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace steno::format

#if defined(__x86_64__)
#define STENO_MULTIVERSION(result, name, parameters, arguments)        \
  STENO_INLINE result name##_loop parameters;                          \
  STENO_WITH_AVX512 static result name##_avx512 parameters {           \
    return name##_loop arguments;                                      \
  }                                                                    \
  STENO_WITH_AVX2 static result name##_avx2 parameters {               \
    return name##_loop arguments;                                      \
  }                                                                    \
  static result name##_baseline parameters {                           \
    return name##_loop arguments;                                      \
  }                                                                    \
  result name parameters {                                             \
    return ::steno::format::have_avx512() ? name##_avx512 arguments    \
           : ::steno::format::have_avx2() ? name##_avx2 arguments      \
                                          : name##_baseline arguments; \
  }                                                                    \
  STENO_INLINE result name##_loop parameters
#else
#define STENO_MULTIVERSION(result, name, parameters, arguments) result name parameters
#endif
