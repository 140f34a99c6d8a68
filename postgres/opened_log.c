#include "opened_log.h"

#include "log_files.h"

#include "utils/memutils.h"

// The log that was opened last for a query. Four states:
//   nothing is kept: `reader` NULL, all else without meaning
//   in use: `query` goes on, `users` is how many have it open
//   kept: `query` goes on, `users` is 0; the next one of the query is given it, one of another query replaces it
//   over: `query` NULL, it has ended while `users` were left, as where it failed: the last of them closes it
static struct {
  steno_reader* reader;
  char* name;  // of its files
  MemoryContext query;
  int users;
} kept;

void steno_fail_reading(const char* why) {
  ereport(ERROR, (errmsg("could not read the log: %s", why)));
}

static void close_reader(steno_reader* reader) {
  const sigset_t before = steno_block_signals();
  steno_reader_close(reader);
  steno_allow_signals(&before);
}

static void close_kept(void) {
  close_reader(kept.reader);
  free(kept.name);
  kept.reader = NULL;
  kept.name = NULL;
}

static void when_over(void* query) {
  if (kept.reader == NULL || kept.query != query) return;
  kept.query = NULL;
  if (kept.users == 0) close_kept();
}

// Unless another one is in use.
static void keep(steno_reader* reader, const char* name, MemoryContext query) {
  MemoryContextCallback* callback;
  char* copy;
  if (kept.reader != NULL && kept.users != 0) return;
  copy = strdup(name);
  if (copy == NULL) return;
  callback = MemoryContextAllocExtended(query, sizeof *callback, MCXT_ALLOC_NO_OOM);
  if (callback == NULL) {
    free(copy);
    return;
  }
  if (kept.reader != NULL) close_kept();
  kept.reader = reader;
  kept.name = copy;
  kept.query = query;
  kept.users = 1;
  callback->func = when_over;
  callback->arg = query;
  MemoryContextRegisterResetCallback(query, callback);
}

// NULL: they cannot be opened, and `error` says why.
static steno_reader* open_files(const LogFiles* files, steno_error* error) {
  const sigset_t before = steno_block_signals();
  steno_reader* const reader = steno_reader_open((const char* const*)files->paths, (size_t)files->count, error);
  steno_allow_signals(&before);
  return reader;
}

steno_reader* steno_open_log(const char* path, const TimestampTz* since, MemoryContext query) {
  enum { kTries = 5 };
  LogFiles files = steno_find_log_files(path, since);
  steno_reader* reader;
  steno_error error;
  if (query != NULL && kept.reader != NULL && kept.query == query && strcmp(kept.name, files.name) == 0) {
    ++kept.users;
    return kept.reader;
  }
  reader = open_files(&files, &error);
  // One may have been removed since it was found.
  for (int i = 1; i < kTries && reader == NULL && files.count > 1; ++i) {
    files = steno_find_log_files(path, since);
    reader = open_files(&files, &error);
  }
  if (reader == NULL) steno_fail_reading(error.text);
  if (query != NULL) keep(reader, files.name, query);
  return reader;
}

void steno_close_log(steno_reader* reader) {
  if (reader == NULL) return;
  if (reader != kept.reader) {
    close_reader(reader);
  } else if (--kept.users == 0 && kept.query == NULL) {
    close_kept();
  }
}
