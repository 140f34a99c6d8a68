// Statements in C, for a test in C++ to run.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "steno/c.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wformat-truncation"  // of what is expected
#endif

// The texts that snprintf printed for the printf statements below, in their order.
extern char c_expected[2000][256];
extern size_t c_expected_count;
char* c_next_expected(void);

void c_log_generated(void);  // by generate_statements.py
void c_log_special(void);    // those that go the long way
// Logs each type with braces; returns the texts that are expected, ended by NULL.
const char* const* c_log_types(void);
void c_log_many_arguments(void);
// Returns how often an argument was evaluated.
int c_log_evaluations(void);
void c_log_wrong_formats(void);
void c_log_levels(steno_logger* logger);
void c_log_loop(int times);
// The statement number i % 4 of both syntaxes and both lengths of a text: whether it was accepted.
bool c_try(int i, const char* text);
// Logs the same to a logger.
bool c_try_to(steno_logger* logger, int i);
// Returns how often an argument of a TRY statement that is not logged was evaluated, or -1 if one was not disabled.
int c_try_disabled(steno_logger* quiet);
void c_log_large(const char* text, size_t size);
// The text four times, alone: as a C string and as a text of that size, to the default session and to a logger; then
// between numbers.
void c_log_text(steno_logger* logger, const char* text, size_t size);
void c_log_errno(void);
void c_log_secrets(const char* card, int pin);
void c_log_at_run_time(steno_logger* logger, const char* format, ...);
bool c_run_once(bool run);
// Defined in a C++ file that includes <steno/c.h>.
void cxx_log_loop(int times);

#ifdef __cplusplus
}
#endif
