// Spans: how long something took, and what it was part of. A span begins at the macro and ends with the scope.
//
//   void compact(int level) {
//     STENO_SPAN("compact {level}", level);        // INFO
//     ...
//   }                                              // also on return or an exception
//
//   STENO_SPAN_AT(DEBUG, "...", ...)               // level as an argument
//   STENO_SPAN_TO(logger, DEBUG, "...", ...)       // to a steno::Logger
//
// Each span logs two records, of two statements with its level and place:
//
//   compact 3: begin
//   compact 3: end, 1048576 ns
//
// Both have the arguments, and two fields that are not part of the message, like those of a context: `span`, a unique
// number, and `parent`, the number of the enclosing span of the thread, or 0. The `duration` of the end is in ns. All
// of them are columns:
//
//   steno agg app.steno "compact {level}: end" --arg duration --op p99
//   steno cat app.steno --where 'duration > 1000000'
//   steno pair app.steno --spans                    // also shows spans without an end
//
// Guarantees
//   - Arguments are evaluated once, when the span begins, and not at all when it is disabled. Both records have these
//     values. Strings are copied, up to 512 bytes in total; longer ones are truncated and marked.
//   - Whether a span is logged is decided when it begins, as for a statement. If its begin was logged, so is its end,
//     whatever the levels are then; otherwise neither is. (No end is logged after the logger's session has ended.)
//   - Spans nest: those of a thread end in reverse order. A span belongs to its thread: a coroutine that may resume in
//     another thread must not hold one across a suspension. A child forked within a span ends it too, in its own log.
//   - If the ring is full, either record may be dropped, as for statements: a span may lack its begin or its end.
//   - The format is a literal in brace syntax, checked like that of a statement. It must not number its arguments
//     ({0}), because one more is added, nor name one `duration`. At most one span per source line.
// Cost: two log calls. A disabled span costs a load and a branch; below STENO_MIN_LEVEL it costs nothing in optimised
// code. Not for signal handlers or constexpr functions.
//
// spec/file.md §5 specifies how a span is stored.
#pragma once

#include "steno/detail/span.h"
#include "steno/log.h"

// A span from here to the end of the scope: at INFO; at a given level; to a steno::Logger at a given level.
#define STENO_SPAN(...) STENO_SPAN_AT(INFO, __VA_ARGS__)
#define STENO_SPAN_AT(level, ...) STENO_DETAIL_SPAN(__LINE__, #level, __VA_ARGS__)
#define STENO_SPAN_TO(logger, level, ...) STENO_DETAIL_SPAN_TO(__LINE__, logger, #level, __VA_ARGS__)
