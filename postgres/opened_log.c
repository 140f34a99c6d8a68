#include "opened_log.h"

#include <sys/stat.h>

#include "miscadmin.h"
#include "utils/memutils.h"

// What was opened last, of which there is one.
static struct {
  steno_reader* reader;  // NULL: none
  char* path;
  struct stat file;  // as it was before it was opened
  int users;
  bool is_over;  // its transaction has ended: it goes with the last user
  MemoryContextCallback when_over;
  bool is_registered;
} kept;

void steno_fail_reading(const char* why) {
  ereport(ERROR, (errmsg("could not read the log: %s", why)));
}

char* steno_find_log(const char* given) {
  // Not by name: where the server has not loaded this first, anybody may set a "steno.path".
  const char* const path = given != NULL ? given : steno_path;
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

static void when_over(void* nothing) {
  kept.is_registered = false;
  kept.is_over = true;
  if (kept.reader != NULL && kept.users == 0) close_kept();
}

static bool is_kept(const char* path, const struct stat* file) {
  return kept.reader != NULL && !kept.is_over && strcmp(kept.path, path) == 0 && kept.file.st_dev == file->st_dev &&
         kept.file.st_ino == file->st_ino && kept.file.st_size == file->st_size &&
         kept.file.st_mtim.tv_sec == file->st_mtim.tv_sec && kept.file.st_mtim.tv_nsec == file->st_mtim.tv_nsec;
}

// Unless another one is in use.
static void keep(steno_reader* reader, const char* path, const struct stat* file) {
  char* copy;
  if (kept.reader != NULL && kept.users != 0) return;
  copy = strdup(path);
  if (copy == NULL) return;
  if (kept.reader != NULL) close_kept();
  kept.reader = reader;
  kept.path = copy;
  kept.file = *file;
  kept.users = 1;
  kept.is_over = false;
  if (kept.is_registered) return;
  kept.when_over.func = when_over;
  MemoryContextRegisterResetCallback(TopTransactionContext, &kept.when_over);
  kept.is_registered = true;
}

steno_reader* steno_open_log(const char* path) {
  const char* const full = steno_find_log(path);
  struct stat file;
  const bool is_there = stat(full, &file) == 0;
  steno_reader* reader;
  steno_error error;
  sigset_t before;
  if (is_there && is_kept(full, &file)) {
    ++kept.users;
    return kept.reader;
  }
  before = steno_block_signals();
  reader = steno_reader_open(&full, 1, &error);
  steno_allow_signals(&before);
  if (reader == NULL) steno_fail_reading(error.text);
  if (is_there) keep(reader, full, &file);
  return reader;
}

void steno_close_log(steno_reader* reader) {
  if (reader == NULL) return;
  if (reader != kept.reader) {
    close_reader(reader);
  } else if (--kept.users == 0 && kept.is_over) {
    close_kept();
  }
}
