// The log, opened to be read.
//
// A query often reads it several times (a view of records, texts and plans), and to open one of thousands of sessions
// takes longer than to read some records of it. So what a query opens stays open until it ends, and is given to whoever
// asks for the same file in the same query, which sees the log as it was then. The next query opens it anew: records
// may have come to the rings, which no look at the file tells.
//
// The reader is C++. No error of PostgreSQL's passes it, as it calls nothing of PostgreSQL's; its own are codes. It
// reads in the backend's own thread, but has threads to open large files that have no index: signals are blocked while
// it runs, for they would inherit what handles them.
#pragma once

#include "steno_pg.h"

#include <signal.h>
#include <steno/c_reader.h>

#include "datatype/timestamp.h"

static inline sigset_t steno_block_signals(void) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  return before;
}

static inline void steno_allow_signals(const sigset_t* before) {
  (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

pg_noreturn void steno_fail_reading(const char* why);

// An error of PostgreSQL's, if it cannot be opened. `path`, `since`: as steno_find_log_files() takes them. `query`: the
// memory of the query that reads it (es_query_cxt), which may share it; NULL: nobody does. To be closed once.
steno_reader* steno_open_log(const char* path, const TimestampTz* since, MemoryContext query);
// Throws nothing. NULL: does nothing.
void steno_close_log(steno_reader* reader);
