#include "log_batches.h"

#include "miscadmin.h"
#include "utils/memutils.h"

void steno_close_batches(LogBatches* log) {
  const sigset_t before = steno_block_signals();
  steno_batches_close(log->batches);
  steno_allow_signals(&before);
  steno_close_log(log->reader);
  log->batches = NULL;
  log->reader = NULL;
}

static void close_freed(void* of_log) {
  steno_close_batches(of_log);
}

static bool find_site(LogBatches* log, size_t number, steno_site_facts* site) {
  const sigset_t before = steno_block_signals();
  const bool found = steno_reader_site(log->reader, number, site, sizeof *site);
  steno_allow_signals(&before);
  return found;
}

LogBatches* steno_open_batches(const char* path, const TimestampTz* since, const char* statement, MemoryContext query) {
  LogBatches* const log = palloc0(sizeof *log);
  int room = 16;
  log->when_freed.func = close_freed;
  log->when_freed.arg = log;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, &log->when_freed);
  log->reader = steno_open_log(path, since, query);
  log->sites = palloc(room * sizeof *log->sites);
  for (size_t i = 0; find_site(log, i, &log->sites[log->site_count]); ++i) {
    if (strstr(log->sites[log->site_count].format, statement) == NULL) continue;
    if (++log->site_count < room) continue;
    room *= 2;
    log->sites = repalloc(log->sites, room * sizeof *log->sites);
  }
  return log;
}

void steno_start_batches(LogBatches* log, const steno_stream_options* options, const steno_batch_choice* choices,
                         int choice_count) {
  steno_error error;
  const sigset_t before = steno_block_signals();
  steno_batches_close(log->batches);
  log->batches = choice_count > 0 ? steno_reader_batches(log->reader, options, choices, choice_count, &error) : NULL;
  steno_allow_signals(&before);
  if (log->batches == NULL && choice_count > 0) steno_fail_reading(error.text);
}

const struct ArrowSchema* steno_choice_schema(LogBatches* log, int choice) {
  const sigset_t before = steno_block_signals();
  const struct ArrowSchema* const schema = steno_batches_schema(log->batches, choice);
  steno_allow_signals(&before);
  if (schema == NULL) steno_fail_reading("out of memory");
  return schema;
}

bool steno_next_batch(LogBatches* log, steno_batch* batch) {
  int found = STENO_BATCH_NOTHING;
  steno_error error;
  if (log->batches == NULL) return false;
  while (found == STENO_BATCH_NOTHING) {
    sigset_t before;
    CHECK_FOR_INTERRUPTS();
    before = steno_block_signals();
    found = steno_batches_next(log->batches, batch, sizeof *batch, &error);
    steno_allow_signals(&before);
  }
  if (found < 0) steno_fail_reading(error.text);
  return found != 0;
}
