// Codes of the types in which parameters' values are logged: a letter of <spec/types.md>, or one of these.
#pragma once

#include "postgres.h"

enum { kNullCode = 'N', kTimeCode = 'T' };

// The letter of a type's code; 0: NULL, which has no value.
static inline char steno_letter_of(unsigned char code) {
  return code == kNullCode ? 0 : code == kTimeCode ? 'l' : (char)code;
}

static inline bool steno_is_time(unsigned char code) {
  return code == kTimeCode;
}
