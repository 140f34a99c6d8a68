// The records of some statements of the log, as columns, in one pass: batches of one statement each, in the order of
// the file's blocks, within a block statement by statement.
//
// The reader is C++. No error of PostgreSQL's passes it, as it calls nothing of PostgreSQL's; its own are codes. It
// reads batches in the backend's own thread, but has threads to open large files that have no index: signals are
// blocked while it runs, for they would inherit what handles them. Between blocks interrupts are served.
#pragma once

#include "steno_pg.h"

#include <steno/c_reader.h>

#include "datatype/timestamp.h"

// Of the memory context that it was opened in, whose end closes it.
typedef struct LogBatches {
  MemoryContextCallback when_freed;
  steno_reader* reader;
  steno_batches* batches;  // NULL: not started
  int site_count;
  steno_site_facts* sites;  // the statements that were asked for
} LogBatches;

// The file's absolute path; an error where neither says it. `given` NULL: that of steno.path.
char* steno_find_log(const char* given);
// An error of PostgreSQL's, if it cannot be opened. `path` as above.
steno_reader* steno_open_log(const char* path);
void steno_close_log(steno_reader* reader);

// Of all statements with this part in their formats.
LogBatches* steno_open_batches(const char* path, const char* statement);
// From the first batch on; again, with other options or choices, without opening the file again.
void steno_start_batches(LogBatches* log, const steno_stream_options* options, const steno_batch_choice* choices,
                         int choice_count);
// Of one of the choices. Valid until they are started again.
const struct ArrowSchema* steno_choice_schema(LogBatches* log, int choice);
// False: there are no more. What it gives is valid until the next call.
bool steno_next_batch(LogBatches* log, steno_batch* batch);
void steno_close_batches(LogBatches* log);

// Since 1970, as the reader has times, and back; infinite times, and those that it cannot have, are the least or the
// greatest.
int64 steno_nanoseconds(TimestampTz time);
TimestampTz steno_timestamp(int64 nanoseconds);
