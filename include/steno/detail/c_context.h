// How steno_context_set() and STENO_CONTEXT() of <steno/c.h> find the function for a value, in C. No C++ here:
// <steno/context.h> has what does the same for it.
#pragma once

#ifndef __cplusplus

#include "steno/c.h"
#include "steno/detail/c_macros.h"
#include "steno/detail/c_statement.h"

STENO_DETAIL_INLINE steno_context_scope steno_detail_context_set_text(const char* name, struct steno_text text) {
  return steno_context_set_bytes(name, text.data, text.size);
}
STENO_DETAIL_INLINE void steno_detail_end_context(const steno_context_scope* scope) {
  steno_context_clear(*scope);
}

// Other types do not compile.
#define STENO_DETAIL_CONTEXT_SETTER(a) \
  __extension__ _Generic(((void)0, (a)),                       \
      _Bool: steno_context_set_bool,                           \
      char: steno_context_set_integer,                         \
      signed char: steno_context_set_integer,                  \
      short: steno_context_set_integer,                        \
      int: steno_context_set_integer,                          \
      long: steno_context_set_integer,                         \
      long long: steno_context_set_integer,                    \
      unsigned char: steno_context_set_unsigned,               \
      unsigned short: steno_context_set_unsigned,              \
      unsigned: steno_context_set_unsigned,                    \
      unsigned long: steno_context_set_unsigned,               \
      unsigned long long: steno_context_set_unsigned,          \
      float: steno_context_set_real,                           \
      double: steno_context_set_real,                          \
      char*: steno_context_set_string,                         \
      const char*: steno_context_set_string,                   \
      struct steno_text: steno_detail_context_set_text)

#endif  // __cplusplus
