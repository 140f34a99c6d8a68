// Spans: how long something took, and what it was part of. A span begins here and ends with the scope.
//
//   void compact(int level) {
//     STENO_SPAN("compact {level}", level);        // INFO
//     ...
//   }                                              // also by return or an exception
//
//   STENO_SPAN_AT(DEBUG, "...", ...)               // level as an argument
//   STENO_SPAN_TO(logger, DEBUG, "...", ...)       // to a steno::Logger
//
// Each span is two records, of two statements of that level and place:
//
//   compact 3: begin
//   compact 3: end, 1048576 ns
//
// Both have the arguments, and two fields that are not part of the message, as those of contexts: `span`, a number that
// no other span has, and `parent`, that of the span in which the thread was, or 0. The end's `duration` is in ns.
// All are columns:
//
//   steno agg app.steno "compact {level}: end" --arg duration --op p99
//   steno cat app.steno --where 'duration > 1000000'
//   steno pair app.steno --spans                    // and those that began and did not end
//
// Guarantees
//   - Arguments are evaluated once, when the span begins, and not at all when it is disabled. What they were then is in
//     both records. Strings are copied: up to 512 bytes of them all; longer ones are cut, and say so.
//   - Whether it is logged is decided when it begins, as for a statement. One that began ends, whatever levels say by
//     then; one that was disabled does not. (Nor does one whose logger's session has ended.)
//   - Spans nest: those of a thread end in reverse order. They belong to the thread that made them: no coroutine that
//     goes on in another thread may have one. A child that is forked in a span ends it as well, in its own log.
//   - Where the ring is full, each record is dropped as those of statements are: a span may lack its begin or its end.
//   - The format is a literal in brace syntax, checked as a statement's. It numbers no arguments ({0}), for one more
//     comes after it, and has none called duration. One span a line.
// Cost: two log calls. A disabled one is a load and a branch, and below STENO_MIN_LEVEL nothing in optimised code. Not
// for signal handlers, nor for constexpr functions.
//
// spec/file.md §5 says what a span is in the log.
#pragma once

#include "steno/detail/span.h"
#include "steno/log.h"

// A span from here to the end of the scope: at INFO; at a level; to a steno::Logger at a level.
#define STENO_SPAN(...) STENO_SPAN_AT(INFO, __VA_ARGS__)
#define STENO_SPAN_AT(level, ...) STENO_DETAIL_SPAN(__LINE__, #level, __VA_ARGS__)
#define STENO_SPAN_TO(logger, level, ...) STENO_DETAIL_SPAN_TO(__LINE__, logger, #level, __VA_ARGS__)
