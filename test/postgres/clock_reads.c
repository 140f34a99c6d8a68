// Counts how often a process reads the clock that is not set: preloaded, and a function of SQL.
#define _GNU_SOURCE
#include "postgres.h"

#include <dlfcn.h>
#include <time.h>

#include "fmgr.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(clock_reads);

static int64 reads;

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*next)(clockid_t, struct timespec*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "clock_gettime");
  reads += clock == CLOCK_MONOTONIC;
  return next(clock, time);
}

PGDLLEXPORT Datum clock_reads(PG_FUNCTION_ARGS) {
  return Int64GetDatum(reads);
}
