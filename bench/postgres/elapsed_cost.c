// Times what a backend does for a statement to know how long its client waits (postgres/elapsed.c): the calls that
// belong to the statement, a million in a row, for scripts/bench_postgres. Compiled once as it is, and once with
// STENO_WITHOUT_ELAPSED; the difference is the cost. The server's own part is played here. Whole servers differ by
// more than that from start to start, by where their memory lies.
#include "elapsed.h"

#include <stdio.h>

#include "access/xact.h"
#include "client_message.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#undef printf  // PostgreSQL's own, which the server has

enum { kStatements = 1000 * 1000, kNsInUs = 1000 };

static TimestampTz message;
static char client;
struct Port* MyProcPort = (struct Port*)&client;  // there is one

TimestampTz GetCurrentStatementStartTimestamp(void) {
  return message;
}

TimestampTz GetCurrentTransactionStartTimestamp(void) {
  return message;
}

TimestampTz GetCurrentTimestamp(void) {
  return (TimestampTz)(steno_now_ns() / kNsInUs);
}

bool steno_is_in_block(void) {
  return false;
}

// Returns the nanoseconds of a statement that is a transaction by itself; `writes`: its commit may take long.
static double time_statements(bool writes) {
  const uint64 begin = steno_now_ns();
  volatile uint64 elapsed = 0;
  for (int i = 0; i < kStatements; ++i) {
    const uint64 now = steno_now_ns();  // where its first call begins, as without elapsed
    Execution e;
    memset(&e, 0, sizeof e);
    message = (TimestampTz)(now / kNsInUs);
    steno_begin_elapsed(&e);
    e.began_ns = now;
    e.ended_ns = now + kNsInUs;
    e.duration_ns = kNsInUs;
    steno_measure(&e);
    if (writes) e.elapsed_ns += steno_commit_time(e.ended_ns);
    steno_note_transaction_end();
    elapsed += e.elapsed_ns;
  }
  return (double)(steno_now_ns() - begin) / kStatements;
}

int main(void) {
  (void)time_statements(true);
  printf("%f %f\n", time_statements(false), time_statements(true));
  return 0;
}
