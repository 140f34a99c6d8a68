// Statements in C within a context, for a test in C++ to run.
#pragma once

#include "steno/c.h"

#ifdef __cplusplus
extern "C" {
#endif

void c_log_in_context(void);
void c_log_in_each_type(void);

#ifdef __cplusplus
}
#endif
