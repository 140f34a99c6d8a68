// How statements begin and end (executions.c).
#pragma once

#include "statement.h"

// Returns whether a statement that begins now is to be logged.
bool steno_is_wanted(Node* statement);
// How many enclose one that begins now, a commit that runs triggers included.
int steno_depth(void);
// While EXECUTE executes a statement, points to whether EXECUTE is the last of the message's statements: that statement
// is then, too. Else NULL.
extern const bool* steno_execute_is_last;
// From here on it runs. Logs its text, takes its parameters in the current memory context; may throw.
void steno_enter(Execution* e, const char* source, int location, int length, bool is_utility, ParamListInfo parameters);
// Write its record and end it; these throw nothing. With an error: in PG_CATCH(), where that is still there. A plan
// that was not executed ends without a record, if it has no error.
void steno_end(Execution* e);
void steno_end_with_error(Execution* e);
// The record of a query whose planning failed; in PG_CATCH().
void steno_write_unplanned(const char* command, uint64 query_id, const char* source, int location, int length,
                           ParamListInfo parameters);
