// Levels and errors of the C API.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Levels, as numbers in functions; statements say TRACE, DEBUG and so on.
typedef enum steno_level {
  STENO_LEVEL_TRACE = 0,
  STENO_LEVEL_DEBUG = 1,
  STENO_LEVEL_INFO = 2,
  STENO_LEVEL_NOTICE = 3,
  STENO_LEVEL_WARN = 4,
  STENO_LEVEL_ERROR = 5,
  STENO_LEVEL_CRITICAL = 6,
  STENO_LEVEL_OFF = 7  // above every level
} steno_level;

// The outcome of a function: STENO_OK, or the kind of its error (status.h).
typedef enum steno_code {
  STENO_OK = 0,
  STENO_INVALID_ARGUMENT = 1,
  STENO_NOT_FOUND = 2,
  STENO_PERMISSION_DENIED = 3,
  STENO_IO_ERROR = 4,
  STENO_CORRUPT = 5,
  STENO_UNSUPPORTED = 6,
  STENO_EXHAUSTED = 7,
  STENO_FAILED_PRECONDITION = 8
} steno_code;

// Filled in where a function takes one that is not NULL; "" and 0 if it succeeds.
typedef struct steno_error {
  steno_code code;
  char text[508];  // a sentence, cut if it is longer
} steno_error;

#ifdef __cplusplus
}
#endif
