// Statements that fail where no hook is (refused.c).
#pragma once

#include "steno_pg.h"

#include "utils/elog.h"

// An error that is written to the server's log. If it ended a client's statement that has no record, it gets one.
// Allocates nothing, and throws nothing.
void steno_write_unanalysed(const ErrorData* error);
