#include "log_files.h"

#include "log_time.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/xact.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/fd.h"

static const char kSpecial[] = "*?[]{},\\";
static const char kPattern[] = "*?[{\\";
enum { kTimeSize = 19 };  // 2026-11-28T23-05-00

char* steno_find_log(const char* given) {
  // Not as a setting, by its name: where the server has not preloaded steno, anybody may set a "steno.path".
  char** const setting = *find_rendezvous_variable(STENO_PATH_VARIABLE);
  const char* const path = given != NULL ? given : setting != NULL ? *setting : NULL;
  if (path == NULL || *path == '\0') {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no setting \"steno.path\""),
                    errhint("Add \"steno\" to shared_preload_libraries, or name a file.")));
  }
  return is_absolute_path(path) || strncmp(path, "{/", 2) == 0 ? pstrdup(path) : psprintf("%s/%s", DataDir, path);
}

static int in_order(const void* one, const void* other) {
  return strcmp(*(char* const*)one, *(char* const*)other);
}

static LogFiles in_one(List* paths) {
  LogFiles files;
  StringInfoData name;
  ListCell* cell;
  files.count = list_length(paths);
  files.paths = palloc(Max(files.count, 1) * sizeof *files.paths);
  foreach (cell, paths) files.paths[foreach_current_index(cell)] = lfirst(cell);
  qsort(files.paths, files.count, sizeof *files.paths, in_order);
  initStringInfo(&name);
  for (int i = 0; i < files.count; ++i) appendStringInfo(&name, "%s\n", files.paths[i]);
  files.name = name.data;
  return files;
}

static List* fitting(const char* pattern) {
  List* paths = NIL;
  glob_t found;
  const int result = glob(pattern, GLOB_BRACE, NULL, &found);
  for (size_t i = 0; result == 0 && i < found.gl_pathc; ++i) paths = lappend(paths, pstrdup(found.gl_pathv[i]));
  globfree(&found);
  if (paths == NIL) {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FILE), errmsg("no file fits the path \"%s\"", pattern)));
  }
  return paths;
}

// Returns whether the name is that of a closed file of a log, with the time when the log went on:
// "postgresql.2026-11-28T23-05-00.steno", "…-00_2.steno".
static bool is_closed_name(const char* name, const char* stem, int stem_size, const char* extension) {
  static const char kForm[] = "dddd-dd-ddTdd-dd-dd";
  const char* at = name + stem_size + 1;
  if (strncmp(name, stem, stem_size) != 0 || name[stem_size] != '.') return false;
  for (int i = 0; i < kTimeSize; ++i, ++at) {
    if (kForm[i] == 'd' ? !isdigit((unsigned char)*at) : *at != kForm[i]) return false;
  }
  if (*at == '_') {
    do ++at;
    while (isdigit((unsigned char)*at));
  }
  return strcmp(at, extension) == 0;
}

// Returns whether the file is a log, or may be one that has been packed.
static bool may_be_log(const char* path) {
  static const char* const kPacked[] = {".gz", ".zst", ".xz", ".bz2", ".lz4"};
  char begin[4];
  const size_t size = strlen(path);
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const bool is_log =
      file >= 0 && read(file, begin, sizeof begin) == sizeof begin && memcmp(begin, "STN1", sizeof begin) == 0;
  if (file >= 0) close(file);
  for (int i = 0; i < (int)lengthof(kPacked) && !is_log; ++i) {
    const size_t end = strlen(kPacked[i]);
    if (size > end && strcmp(path + size - end, kPacked[i]) == 0) return true;
  }
  return is_log;
}

// The closed files of the log that were written at the time or after it. `other`: one that is called otherwise.
static List* closed_since(const char* log, TimestampTz since, char** other) {
  List* paths = NIL;
  const char* const name = strrchr(log, '/') + 1;
  const char* const dot = strrchr(name, '.');
  const char* const extension = dot != NULL && dot != name ? dot : "";
  const int stem_size = (int)(strlen(name) - strlen(extension));
  char* const directory = pnstrdup(log, Max(name - 1 - log, 1));
  DIR* const entries = AllocateDir(directory);
  struct dirent* entry;
  *other = NULL;
  while (entries != NULL && (entry = ReadDirExtended(entries, directory, LOG)) != NULL) {
    char* const path = psprintf("%s/%s", directory, entry->d_name);
    struct stat file;
    if (strncmp(entry->d_name, name, stem_size) != 0 || strcmp(entry->d_name, name) == 0) continue;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) continue;
    if (steno_timestamp(file.st_mtim.tv_sec * INT64CONST(1000000000) + file.st_mtim.tv_nsec) < since) continue;
    if (is_closed_name(entry->d_name, name, stem_size, extension)) {
      paths = lappend(paths, path);
    } else if (may_be_log(path)) {
      *other = path;
    }
  }
  FreeDir(entries);
  return paths;
}

// A query may look for the files several times.
static bool is_first_notice(void) {
  static TimestampTz last;
  const TimestampTz now = GetCurrentStatementStartTimestamp();
  const bool is_first = now != last;
  last = now;
  return is_first;
}

LogFiles steno_find_log_files(const char* path, const TimestampTz* since) {
  char* const log = steno_find_log(path);
  struct stat found;
  char* other = NULL;
  List* paths = NIL;
  if (path != NULL && strpbrk(path, kPattern) != NULL && stat(log, &found) != 0) return in_one(fitting(log));
  if (path == NULL && since != NULL) paths = closed_since(log, *since, &other);
  if (other != NULL && is_first_notice()) {
    ereport(NOTICE, (errmsg("the log has files that are not read, such as \"%s\"", other),
                     errdetail("Closed files are found by the names that steno gives them."),
                     errhint("Name the files that are to be read by a path, which may be a pattern: 'log/*.steno*'.")));
  }
  return in_one(lappend(paths, log));
}

char* steno_path_of(const LogFiles* files) {
  StringInfoData path;
  if (files->count == 1) return pstrdup(files->paths[0]);
  initStringInfo(&path);
  for (int i = 0; i < files->count; ++i) {
    appendStringInfoChar(&path, i == 0 ? '{' : ',');
    for (const char* at = files->paths[i]; *at != '\0'; ++at) {
      if (strchr(kSpecial, *at) != NULL) appendStringInfoChar(&path, '\\');
      appendStringInfoChar(&path, *at);
    }
  }
  appendStringInfoChar(&path, '}');
  return path.data;
}
