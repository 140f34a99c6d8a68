// Plans of statements (plans.c).
#pragma once

#include "statement.h"

// Logs the plan of a statement that took as long as steno.log_plans says, unless one of its shape has been not long
// ago. The id of its shape, 0 if it took less. May throw, as EXPLAIN does.
int64 steno_log_plan(const Execution* e, QueryDesc* query);
