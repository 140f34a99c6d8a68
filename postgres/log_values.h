// Values of batches as those of SQL, and in numbers.
#pragma once

#include "steno_pg.h"

#include <steno/arrow.h>

enum { kNoColumn = -1 };
int steno_find_column(const struct ArrowSchema* schema, const char* name);

// A Datum of int8, float8, text or timestamptz, in the current memory context.
Datum steno_datum(const struct ArrowSchema* schema, const struct ArrowArray* array, int64 row, Oid type, bool* is_null);
// The text of a message whose values are columns, by its record's format.
Datum steno_message_datum(const struct ArrowSchema* schema, const struct ArrowArray* batch, int64 row,
                          const char* format);

bool steno_is_integer(const char* format);
// Those of a column, from values[begin] on; unsigned ones of 64 bits as bigint has them.
void steno_read_integers(char format, const void* values, int64 begin, int count, int64* to);
