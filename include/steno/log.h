// steno's log statements. Include this where you log; <steno/session.h> where you start, stop and configure.
//
//   STENO_INFO("filled {qty} @ {price:.2f} for {client}", qty, price, client);   // brace syntax, as {fmt} prints it
//   STENO_INFOF("took %0.1lf ms, %d retries", ms, retries);                      // printf syntax, as glibc prints it
//   STENO_LOG(NOTICE, "..."), STENO_LOGF(NOTICE, "...")                          // level as an argument
//   STENO_LOG_TO(logger, WARN, "..."), STENO_LOGF_TO(logger, WARN, "...")        // to a steno::Logger
//
// Levels: TRACE DEBUG INFO NOTICE WARN ERROR CRITICAL.
//
// Guarantees
//   - The format is a string literal, checked against the arguments at compile time, for disabled and stripped
//     statements too.
//   - Arguments are evaluated once, in order, and not at all when the statement is disabled.
//   - When the call has returned, the record is in shared memory: it survives the process.
//   - Any thread, at any time: before start, after stop, in static constructors and destructors.
//   - In signal handlers, once the process has called steno::start(), Session::open() or steno::prepare_thread(), or
//     has logged; in a forked child, once the child has. (That first call creates shared memory and may start the
//     scribe's thread, which a handler must not do.) A record that a handler logs while its thread is writing another
//     record is refused and counted. If its thread is waiting for room, it waits or is dropped too, as its level says.
//   - In constexpr functions, from C++17 on. During constant evaluation nothing is logged and no argument is evaluated.
//   - Never throws. Allocates only on a thread's first call.
// Cost: one read of the clock (about 10 ns; under 2 ns with the coarse clock). A disabled statement costs a load and a
// branch. Strings cost a copy. If the ring is full, the call waits or drops the record, as the session's options say.
// Names in braces ({qty}) take the arguments in order and name the columns of the log; a name used twice is one
// argument.
//
// With TRY in their names, these statements are expressions of type bool that say whether a record was accepted.
//
//   if (!STENO_TRY_INFO("paid {amount} to {account}", amount, account)) ++unlogged;
//   STENO_TRY_LOG(NOTICE, …), STENO_TRY_LOGF, STENO_TRY_LOG_TO(logger, WARN, …), STENO_TRY_LOGF_TO
//
// True: the record is in shared memory, or the statement is disabled (by its level or a rule) or stripped, which is not
// a failure. False: the record was not logged, because the ring was full and the session's policy is to drop, there was
// no memory for a ring, this thread was writing another record, or the logger's session has ended. They cost the same
// as the statements. They can be used only in functions, and not in constant expressions.
//
// STENO_MIN_LEVEL: define it as the number of a level (0 TRACE .. 6 CRITICAL, 7 none) before including this header, and
// statements below that level are not compiled into the binary.
#pragma once

#include "steno/detail/statement.h"
#include "steno/level.h"
#include "steno/logger.h"

#ifndef STENO_MIN_LEVEL
// The lowest level that is compiled: 0 TRACE .. 6 CRITICAL, 7 none.
#define STENO_MIN_LEVEL 0
#endif

// The general forms. `level` is a word, TRACE to CRITICAL. The forms with F take printf syntax; those with TO take a
// steno::Logger first.
#define STENO_LOG(level, ...) STENO_DETAIL_LOG(STENO_DETAIL_BRACE, #level, __VA_ARGS__)
#define STENO_LOGF(level, ...) STENO_DETAIL_LOG(STENO_DETAIL_PRINTF, #level, __VA_ARGS__)
#define STENO_LOG_TO(logger, level, ...) STENO_DETAIL_LOG_TO(STENO_DETAIL_BRACE, logger, #level, __VA_ARGS__)
#define STENO_LOGF_TO(logger, level, ...) STENO_DETAIL_LOG_TO(STENO_DETAIL_PRINTF, logger, #level, __VA_ARGS__)

// A statement of that level in brace syntax, to the default session's nameless logger.
#define STENO_TRACE(...) STENO_LOG(TRACE, __VA_ARGS__)
#define STENO_DEBUG(...) STENO_LOG(DEBUG, __VA_ARGS__)
#define STENO_INFO(...) STENO_LOG(INFO, __VA_ARGS__)
#define STENO_NOTICE(...) STENO_LOG(NOTICE, __VA_ARGS__)
#define STENO_WARN(...) STENO_LOG(WARN, __VA_ARGS__)
#define STENO_ERROR(...) STENO_LOG(ERROR, __VA_ARGS__)
#define STENO_CRITICAL(...) STENO_LOG(CRITICAL, __VA_ARGS__)

// A statement of that level in printf syntax, to the default session's nameless logger.
#define STENO_TRACEF(...) STENO_LOGF(TRACE, __VA_ARGS__)
#define STENO_DEBUGF(...) STENO_LOGF(DEBUG, __VA_ARGS__)
#define STENO_INFOF(...) STENO_LOGF(INFO, __VA_ARGS__)
#define STENO_NOTICEF(...) STENO_LOGF(NOTICE, __VA_ARGS__)
#define STENO_WARNF(...) STENO_LOGF(WARN, __VA_ARGS__)
#define STENO_ERRORF(...) STENO_LOGF(ERROR, __VA_ARGS__)
#define STENO_CRITICALF(...) STENO_LOGF(CRITICAL, __VA_ARGS__)

// The general forms as expressions: whether the record was accepted.
#define STENO_TRY_LOG(level, ...) STENO_DETAIL_TRY(STENO_DETAIL_BRACE, #level, __VA_ARGS__)
#define STENO_TRY_LOGF(level, ...) STENO_DETAIL_TRY(STENO_DETAIL_PRINTF, #level, __VA_ARGS__)
#define STENO_TRY_LOG_TO(logger, level, ...) STENO_DETAIL_TRY_TO(STENO_DETAIL_BRACE, logger, #level, __VA_ARGS__)
#define STENO_TRY_LOGF_TO(logger, level, ...) STENO_DETAIL_TRY_TO(STENO_DETAIL_PRINTF, logger, #level, __VA_ARGS__)

// STENO_TRACE and its like as expressions: whether the record was accepted.
#define STENO_TRY_TRACE(...) STENO_TRY_LOG(TRACE, __VA_ARGS__)
#define STENO_TRY_DEBUG(...) STENO_TRY_LOG(DEBUG, __VA_ARGS__)
#define STENO_TRY_INFO(...) STENO_TRY_LOG(INFO, __VA_ARGS__)
#define STENO_TRY_NOTICE(...) STENO_TRY_LOG(NOTICE, __VA_ARGS__)
#define STENO_TRY_WARN(...) STENO_TRY_LOG(WARN, __VA_ARGS__)
#define STENO_TRY_ERROR(...) STENO_TRY_LOG(ERROR, __VA_ARGS__)
#define STENO_TRY_CRITICAL(...) STENO_TRY_LOG(CRITICAL, __VA_ARGS__)

// STENO_TRACEF and its like as expressions: whether the record was accepted.
#define STENO_TRY_TRACEF(...) STENO_TRY_LOGF(TRACE, __VA_ARGS__)
#define STENO_TRY_DEBUGF(...) STENO_TRY_LOGF(DEBUG, __VA_ARGS__)
#define STENO_TRY_INFOF(...) STENO_TRY_LOGF(INFO, __VA_ARGS__)
#define STENO_TRY_NOTICEF(...) STENO_TRY_LOGF(NOTICE, __VA_ARGS__)
#define STENO_TRY_WARNF(...) STENO_TRY_LOGF(WARN, __VA_ARGS__)
#define STENO_TRY_ERRORF(...) STENO_TRY_LOGF(ERROR, __VA_ARGS__)
#define STENO_TRY_CRITICALF(...) STENO_TRY_LOGF(CRITICAL, __VA_ARGS__)
