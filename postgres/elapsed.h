// How long a client waits for a statement.
#pragma once

#include "statement.h"

// Nanoseconds of a clock that is not set.
uint64 steno_now_ns(void);
// A statement begins: takes when the message came that the client waits for: a transaction's first one, or one
// after what has ended before. Without a client it does nothing.
void steno_begin_elapsed(Execution* e);
// A query has been analysed, in a message of its own perhaps: what that took belongs to the execution that follows.
void steno_note_analysis(uint64 query_id);
// Into the statement's parts: what it took so far. To be called when it has ended; a client's next one begins now.
void steno_measure(Execution* e);
// A client's statement has ended that is not logged.
void steno_note_end(void);
// A transaction has ended.
void steno_note_transaction_end(void);
// The time since the statement ended, whose transaction ends now, in whole microseconds.
uint64 steno_commit_time(uint64 ended_ns);
