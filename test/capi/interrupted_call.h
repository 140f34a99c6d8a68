// Statements in C for interrupted_call_test.cc.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Logs "<number> <text>" by one of the kinds of statements. False: it was refused.
bool c_log_in_call(int number, const char* text);

#ifdef __cplusplus
}
#endif
