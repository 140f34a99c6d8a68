// A statement in C with a string and nothing else (c_statement.h): its record is written by one function of the file.
#pragma once

#ifndef __cplusplus

#include "steno/detail/c_record.h"
#include "steno/detail/c_values.h"
#include "steno/detail/string_bytes.h"

// A statement with a string and nothing else, whatever its size. Returns whether it is accepted. Bits 62 and 63 of
// `word` are clear, and it has no size yet.
__attribute__((noinline, unused)) static bool steno_detail_log_any_string(const struct steno_detail_site* site,
                                                                          const struct steno_logger* logger,
                                                                          uint64_t word,
                                                                          struct steno_detail_bytes string) {
  const struct steno_detail_target target = {logger};
  const size_t bytes = (16 + 4 + steno_detail_payload(string) + 7) & ~(size_t)7;
  struct steno_detail_record record;
  struct steno_detail_value values[2];
  if (bytes <= 2048) {
    char* const p = steno_detail_open(&record, target, steno_detail_with_size(word, bytes), bytes, true);
    if (STENO_LIKELY(p != NULL)) {
      (void)steno_detail_copy(steno_detail_put_length(p, string), string.data, string.size);
      steno_detail_close(&record, target, site->level);
      return true;
    }
  }
  values[0].of.string = string;
  values[1].of.string.size = 0;  // one more, for errno
  return steno_detail_log(site, logger, values);
}

// Logs such a statement as fast as it can be if its string is short: write_short_string() in write_record.h.
STENO_DETAIL_INLINE bool steno_detail_log_short_string(const struct steno_detail_site* site,
                                                       struct steno_detail_target target, uint64_t word,
                                                       struct steno_detail_bytes string) {
  STENO_DETAIL_HIDE(string.data);
  if (string.size == SIZE_MAX - 1) string.size = steno_detail_text_length((const char*)string.data);
  if (STENO_LIKELY(string.size <= STENO_DETAIL_SHORT_STRING)) {
    const size_t bytes = (16 + 4 + string.size + 7) & ~(size_t)7;
    struct steno_detail_record record;
    char* const p = steno_detail_open(&record, target, steno_detail_with_size(word, bytes), bytes, false);
    if (STENO_LIKELY(p != NULL)) {
      steno_detail_copy_short(steno_detail_put_length(p, string), (const char*)string.data, string.size);
      steno_detail_close(&record, target, site->level);
      return true;
    }
  }
  return steno_detail_log_any_string(site, target.logger, word, string);
}
__attribute__((noinline, unused)) static bool steno_detail_log_string(const struct steno_detail_site* site,
                                                                      uint64_t word, struct steno_detail_bytes string) {
  const struct steno_detail_target target = {NULL};
  return steno_detail_log_short_string(site, target, word, string);
}
__attribute__((noinline, unused)) static bool steno_detail_log_string_to(const struct steno_detail_site* site,
                                                                         const struct steno_logger* logger,
                                                                         uint64_t word,
                                                                         struct steno_detail_bytes string) {
  const struct steno_detail_target target = {logger};
  return steno_detail_log_short_string(site, target, word, string);
}

#endif  // __cplusplus
