// Statements that fail where no hook is (refused.c).
#pragma once

#include "steno_pg.h"

#include "utils/elog.h"

// A client's query has been analysed, the text of which is this part
// of `source`; `length` <= 0: to its end.
void steno_note_analysed(const char* source, int location, int length, uint64 query_id);
// A client's statement begins to run, or ends without an error, whether it is logged or not.
void steno_note_begun(void);
void steno_note_ended(void);
// The record of a client's statement that failed has been written.
void steno_note_recorded(void);
// An error that is written to the server's log. If it ended a client's statement that has no record, it gets one.
// Allocates nothing, and throws nothing.
void steno_write_unanalysed(const ErrorData* error);
