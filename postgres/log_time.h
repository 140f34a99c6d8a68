// Times of the log and of PostgreSQL.
#pragma once

#include "steno_pg.h"

#include "datatype/timestamp.h"

// Since 1970, as the reader has times, and back; infinite times, and those that it cannot have, are the least or the
// greatest.
int64 steno_nanoseconds(TimestampTz time);
TimestampTz steno_timestamp(int64 nanoseconds);
