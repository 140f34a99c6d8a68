// A log read in C, for a test in C++ to look at.
#pragma once

#include "steno/c_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads a log in C: a line a record, "LEVEL logger message name=value ...". The caller frees it; NULL: `error` says why
// not.
char* c_read_log(const char* path, steno_error* error);
// Returns the sum of an int64 column of a statement; -1: `error` says why not.
int64_t c_sum_column(const char* path, const char* statement, const char* column, const char* where,
                     steno_error* error);

#ifdef __cplusplus
}
#endif
