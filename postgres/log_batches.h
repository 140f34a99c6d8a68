// The records of some statements of the log, as columns, in one pass: batches of one statement each, in the order of
// the file's blocks, within a block statement by statement.
// Between blocks interrupts are served.
#pragma once

#include "opened_log.h"

// It belongs to the memory context that it was opened in, whose end closes it.
typedef struct LogBatches {
  MemoryContextCallback when_freed;
  steno_reader* reader;
  steno_batches* batches;  // NULL: not started
  int site_count;
  steno_site_facts* sites;  // the statements that were asked for
} LogBatches;

// Starts the batches of all statements with this part in their formats. `path`, `since`, `query` as steno_open_log()
// takes them.
LogBatches* steno_open_batches(const char* path, const TimestampTz* since, const char* statement, MemoryContext query);
// From the first batch on; again, with other options or choices, without opening the file again.
void steno_start_batches(LogBatches* log, const steno_stream_options* options, const steno_batch_choice* choices,
                         int choice_count);
// The schema of one of the choices. Valid until they are started again.
const struct ArrowSchema* steno_choice_schema(LogBatches* log, int choice);
// False: there are no more. What it gives is valid until the next call.
bool steno_next_batch(LogBatches* log, steno_batch* batch);
void steno_close_batches(LogBatches* log);
