// How a statement in C writes its record: writer.h and write_record.h once more, for a language without templates.
// Both share the writer and the site, in one layout, which src/capi/layout.cc checks.
//
// C gives each argument a letter by _Generic, and one function stores values of that type. What has to be known of a
// format before its arguments can be taken is what no constant expression of C can tell: such statements (%p of a
// string, %.*s, %m, %ls, formats that are wrong) go the long way, which the site's word says.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "steno/detail/config.h"

#ifdef __cplusplus
extern "C" {
#endif

// detail::Writer.
struct steno_detail_writer {
  uint64_t limit;
  uint64_t* tail;
  const uint64_t* window;
  uint64_t base;
  const uint64_t* clock_line;
  uint64_t granted;
  uint8_t notify_level;
};

// detail::LoggerState; what `steno_logger*` points at.
struct steno_logger {
  uint8_t threshold;
  bool closed;
  uint16_t id;
  uint32_t slot;
};

// The part of a statement that changes.
struct steno_detail_state {
  uint64_t word;     // 0: not registered yet; else as in site.h, and kLongWay
  const void* plan;  // of a statement that goes the long way
};

// detail::SiteEntry; but after the NUL of `types` there may also be a byte 1 and a mark for each argument, '!' for a
// secret, 'a' or 'h' for a list of such numbers, in place of meanings. `described`: whether there is one, or a meaning.
struct steno_detail_site {
  struct steno_detail_state* state;  // its word comes first
  const void* library;
  const char* format;
  const char* file;
  const char* function;
  const char* types;
  uint32_t line;
  uint16_t size8;
  uint8_t level;
  uint8_t style;
  bool to_logger;
  bool long_way;
  bool span;
  bool described;
  uint8_t fields;  // 0: statements in C have none
};

// detail::Bytes: a string. SIZE_MAX: a null pointer; SIZE_MAX - 1: to be measured, up to its NUL.
struct steno_detail_bytes {
  const void* data;
  size_t size;
};

// detail::Wire.
struct steno_detail_value {
  union {
    char number[16];
    struct steno_detail_bytes string;
  } of;
};

// Registers the statements of a program or library, or forgets them.
STENO_EXPORT STENO_COLD void steno_detail_register(const struct steno_detail_site* const* begin,
                                                   const struct steno_detail_site* const* end);
STENO_EXPORT STENO_COLD void steno_detail_withdraw(const void* library);
// The long way of a statement: registers it if need be, and writes its record if it is enabled. NULL: no logger named.
// False: it was to be logged and is not.
STENO_EXPORT STENO_COLD bool steno_detail_log(const struct steno_detail_site* site, const struct steno_logger* logger,
                                              const struct steno_detail_value* values);
// detail::call_clock(), notify(), copy_payload().
STENO_EXPORT STENO_COLD uint64_t steno_detail_call_clock(uint32_t slot);
STENO_EXPORT STENO_COLD void steno_detail_notify(uint32_t slot);
STENO_EXPORT char* steno_detail_copy(char* to, const void* data, size_t size);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus

#define STENO_DETAIL_INLINE static inline __attribute__((always_inline, unused))

// The writers of threads are C++ objects; their names are those that its ABI gives them.
extern struct steno_logger steno_detail_root_logger __asm__("_ZN5steno6detail11root_loggerE") STENO_EXPORT;
#if (!defined(__PIC__) || defined(__PIE__)) && !defined(STENO_SHARED)
extern __thread struct steno_detail_writer steno_detail_own_writer __asm__("_ZN5steno6detail14program_writerE")
    __attribute__((tls_model("local-exec")));
extern __thread struct steno_detail_writer** steno_detail_own_writers __asm__("_ZN5steno6detail15program_writersE")
    __attribute__((tls_model("local-exec")));
#else
extern __thread struct steno_detail_writer steno_detail_own_writer __asm__("_ZN5steno6detail10tls_writerE") STENO_EXPORT
    __attribute__((tls_model("initial-exec")));
extern __thread struct steno_detail_writer** steno_detail_own_writers __asm__("_ZN5steno6detail11tls_writersE")
    STENO_EXPORT __attribute__((tls_model("initial-exec")));
#endif

// Where a statement's records go; the default session's has no logger.
struct steno_detail_target {
  const struct steno_logger* logger;
};

STENO_DETAIL_INLINE uint32_t steno_detail_slot(struct steno_detail_target target) {
  return target.logger != NULL ? target.logger->slot : 0;
}
STENO_DETAIL_INLINE struct steno_detail_writer* steno_detail_writer(struct steno_detail_target target) {
  return target.logger != NULL ? steno_detail_own_writers[target.logger->slot] : &steno_detail_own_writer;
}
STENO_DETAIL_INLINE const struct steno_logger* steno_detail_logger(const struct steno_logger* logger) {
  return logger != NULL ? logger : &steno_detail_root_logger;
}
// detail::passes().
STENO_DETAIL_INLINE bool steno_detail_passes(const struct steno_logger* logger, unsigned level, uint64_t word) {
  return STENO_LIKELY(level >= __atomic_load_n(&logger->threshold, __ATOMIC_RELAXED)) ||
         ((word >> 61 & 1) != 0 && !__atomic_load_n(&logger->closed, __ATOMIC_RELAXED));
}

// A record that is being written (OpenRecord in writer.h).
struct steno_detail_record {
  uint64_t* tail;
  uint64_t position;
  uint64_t limit;
  uint64_t bytes;
};

// with_size(), clock_line() and read_counter() in writer.h.
STENO_DETAIL_INLINE uint64_t steno_detail_with_size(uint64_t word, size_t bytes) {
  return word | (uint64_t)bytes << 29;
}
STENO_DETAIL_INLINE uint64_t steno_detail_clock_line(const struct steno_detail_writer* w) {
#if defined(__clang__) || defined(__SANITIZE_THREAD__)
  const uint64_t* const line = __atomic_load_n(&w->clock_line, __ATOMIC_RELAXED);
#else
  const uint64_t* const line = *(const uint64_t* const volatile*)&w->clock_line;  // as in writer.h
#endif
  return __atomic_load_n(line, __ATOMIC_RELAXED);
}
STENO_DETAIL_INLINE uint64_t steno_detail_read_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

// Opens a record and writes its header and its time. Returns where its arguments go; NULL: nothing is open, for there
// is no room here, or the clock is one that is called, and this function is not to call it: so the call saves fewer
// registers. The statement then goes a longer way. `word` has the size in it.
STENO_DETAIL_INLINE char* steno_detail_open(struct steno_detail_record* record, struct steno_detail_target target,
                                            uint64_t word, size_t bytes, bool may_call) {
  struct steno_detail_writer* const w = steno_detail_writer(target);
  uint64_t now = 0;
  bool is_rare;
  char* p;
  record->bytes = bytes;
  record->limit = __atomic_load_n(&w->limit, __ATOMIC_RELAXED);
  __atomic_store_n(&w->limit, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  record->tail = w->tail;
  record->position = __atomic_load_n(record->tail, __ATOMIC_RELAXED);
  is_rare = record->limit - record->position - bytes >= *w->window;
  if (STENO_LIKELY(!is_rare)) {
    now = steno_detail_clock_line(w);
    if (STENO_LIKELY(now == 0)) {
      now = steno_detail_read_counter();
    } else if (STENO_UNLIKELY(now == 1) && may_call) {
      now = steno_detail_call_clock(steno_detail_slot(target));
      record->tail = steno_detail_writer(target)->tail;
    } else {
      is_rare = now == 1;
    }
  }
  if (STENO_UNLIKELY(is_rare)) {
    __atomic_store_n(&w->limit, record->limit, __ATOMIC_RELAXED);
    return NULL;
  }
  p = (char*)(record->position + steno_detail_writer(target)->base);
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(p[1024]));  // prefetch_room() in writer.h
#endif
  __builtin_memcpy(p, &word, 8);
  if (target.logger != NULL) __builtin_memcpy(p + 6, &target.logger->id, 2);
  __builtin_memcpy(p + 8, &now, 8);
  return p + 16;
}

STENO_DETAIL_INLINE void steno_detail_close(const struct steno_detail_record* record, struct steno_detail_target target,
                                            uint8_t level) {
  struct steno_detail_writer* const w = steno_detail_writer(target);
  // Release: pairs with the consumer's acquire load of tail; a plain store on x86.
  __atomic_store_n(record->tail, record->position + record->bytes, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&w->limit, record->limit, __ATOMIC_RELAXED);
  if (level >= 4 && STENO_UNLIKELY(level >= __atomic_load_n(&w->notify_level, __ATOMIC_RELAXED))) {
    steno_detail_notify(steno_detail_slot(target));
  }
}

#endif  // __cplusplus
