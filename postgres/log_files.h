// Which files a query reads: the log, and those that it went on from.
#pragma once

#include "steno_pg.h"

#include "datatype/timestamp.h"

typedef struct LogFiles {
  int count;
  char** paths;      // absolute, in order
  const char* name;  // of all of them together
} LogFiles;

// The file's absolute path, or a pattern of such paths; an error where neither says it. `given` NULL: that of
// steno.path.
char* steno_find_log(const char* given);
// Those that `path` names, or that fit it as a pattern (`*`, `?`, `[…]`, `{a,b}`); an error where there is none. NULL:
// the log of the server, with its closed files that were written at `since` or after it, as far as they have names of
// steno's own; a NOTICE names one that has another. `since` NULL: without closed files. In the current memory context.
LogFiles steno_find_log_files(const char* path, const TimestampTz* since);
// A path that names just these.
char* steno_path_of(const LogFiles* files);
