#include "opened_log.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

// What was opened last for a query. Four states:
//   nothing is kept: `reader` NULL, all else without meaning
//   in use: `query` goes on, `users` is how many have it open
//   kept: `query` goes on, `users` is 0; the next one of the query is given it, one of another query replaces it
//   over: `query` NULL, it has ended while `users` were left, as where it failed: the last of them closes it
static struct {
  steno_reader* reader;
  char* path;
  MemoryContext query;
  int users;
} kept;

void steno_fail_reading(const char* why) {
  ereport(ERROR, (errmsg("could not read the log: %s", why)));
}

char* steno_find_log(const char* given) {
  // Not as a setting, by its name: where the server has not preloaded steno, anybody may set a "steno.path".
  char** const setting = *find_rendezvous_variable(STENO_PATH_VARIABLE);
  const char* const path = given != NULL ? given : setting != NULL ? *setting : NULL;
  if (path == NULL || *path == '\0') {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no setting \"steno.path\""),
                    errhint("Add \"steno\" to shared_preload_libraries, or name a file.")));
  }
  return is_absolute_path(path) ? pstrdup(path) : psprintf("%s/%s", DataDir, path);
}

static void close_reader(steno_reader* reader) {
  const sigset_t before = steno_block_signals();
  steno_reader_close(reader);
  steno_allow_signals(&before);
}

static void close_kept(void) {
  close_reader(kept.reader);
  free(kept.path);
  kept.reader = NULL;
  kept.path = NULL;
}

static void when_over(void* query) {
  if (kept.reader == NULL || kept.query != query) return;
  kept.query = NULL;
  if (kept.users == 0) close_kept();
}

// Unless another one is in use.
static void keep(steno_reader* reader, const char* path, MemoryContext query) {
  MemoryContextCallback* callback;
  char* copy;
  if (kept.reader != NULL && kept.users != 0) return;
  copy = strdup(path);
  if (copy == NULL) return;
  callback = MemoryContextAllocExtended(query, sizeof *callback, MCXT_ALLOC_NO_OOM);
  if (callback == NULL) {
    free(copy);
    return;
  }
  if (kept.reader != NULL) close_kept();
  kept.reader = reader;
  kept.path = copy;
  kept.query = query;
  kept.users = 1;
  callback->func = when_over;
  callback->arg = query;
  MemoryContextRegisterResetCallback(query, callback);
}

steno_reader* steno_open_log(const char* path, MemoryContext query) {
  const char* const full = steno_find_log(path);
  steno_reader* reader;
  steno_error error;
  sigset_t before;
  if (query != NULL && kept.reader != NULL && kept.query == query && strcmp(kept.path, full) == 0) {
    ++kept.users;
    return kept.reader;
  }
  before = steno_block_signals();
  reader = steno_reader_open(&full, 1, &error);
  steno_allow_signals(&before);
  if (reader == NULL) steno_fail_reading(error.text);
  if (query != NULL) keep(reader, full, query);
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
