// How long a client waits for a statement: from its message to the end, with waiting for locks, parsing, planning and,
// of a transaction by itself, the commit.
//
// PostgreSQL keeps when a message came by a clock that may be set, in microseconds; what statements take is measured by
// one that is not. How far the two are apart is looked up ten times a second at most. A transaction begins with the
// first message that is of it, so that a statement which is one by itself has waited since then, whether it came in one
// message or in several (Parse, Bind, Execute). In a block, and where it was parsed in a transaction of its own, only
// messages count, not the client's time between them.
#include "elapsed.h"

#include "client_message.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

// The benchmark measures what all this costs beside a library without it.
#ifdef STENO_WITHOUT_ELAPSED
enum { kFollowsClients = 0 };
#else
enum { kFollowsClients = 1 };
#endif
enum { kNsInUs = 1000 };
static const int64 kLookAgainNs = 100 * 1000 * 1000;

static TimestampTz last_end;  // of a client's statement
static bool is_later;         // than another one in the transaction, which has not ended

static struct {
  uint64 query_id;
  TimestampTz message;
  int64 us;
} analysed;

uint64 steno_now_ns(void) {
  instr_time now;
  INSTR_TIME_SET_CURRENT(now);
  return steno_clock_ns(now);
}

// The time of the clock that may be set, at one of the other's that is not long ago.
static TimestampTz time_at(uint64 ns) {
  static uint64 looked_at;
  static TimestampTz time_then;
  if (looked_at == 0 || (int64)(ns - looked_at) > kLookAgainNs) {
    time_then = GetCurrentTimestamp();
    looked_at = steno_now_ns();
  }
  return time_then + ((int64)(ns - looked_at) / kNsInUs);
}

// Returns whether the time since the transaction's beginning is the statement's.
static bool is_first(void) {
  return !is_later && !steno_is_in_block();
}

static uint64 whole(int64 us) {
  return us > 0 ? (uint64)us * kNsInUs : 0;
}

void steno_begin_elapsed(Execution* e) {
  const TimestampTz message = GetCurrentStatementStartTimestamp();
  if (!kFollowsClients || MyProcPort == NULL) return;
  e->begin = Max(is_first() ? Min(message, GetCurrentTransactionStartTimestamp()) : message, last_end);
  if (analysed.query_id == (uint64)e->query_id && analysed.message < Min(message, e->begin)) {
    e->earlier_ns = whole(analysed.us);
  }
  analysed.query_id = 0;
}

void steno_note_analysis(uint64 query_id) {
  if (!kFollowsClients || MyProcPort == NULL) return;
  analysed.query_id = query_id;
  analysed.message = GetCurrentStatementStartTimestamp();
  analysed.us = time_at(steno_now_ns()) - Max(analysed.message, last_end);
}

void steno_measure(Execution* e) {
  const uint64 parts = e->planning_ns + e->duration_ns;
  e->parsing_ns = 0;
  e->elapsed_ns = (parts + kNsInUs - 1) / kNsInUs * kNsInUs;
  if (e->begin == 0 || e->nesting > 0) return;
  // A statement that failed before it ran has no call that began or ended.
  if (e->ended_ns == 0) e->ended_ns = steno_now_ns();
  if (e->began_ns == 0) e->began_ns = e->ended_ns;
  last_end = time_at(e->ended_ns);
  is_later = true;
  e->parsing_ns = whole(time_at(e->began_ns) - e->begin - (int64)(e->planning_ns / kNsInUs));
  e->parsing_ns += e->earlier_ns;
  e->elapsed_ns =
      Max(e->elapsed_ns, e->parsing_ns + whole((int64)((e->planning_ns + e->ended_ns - e->began_ns) / kNsInUs)));
}

void steno_note_end(void) {
  if (!kFollowsClients) return;
  last_end = time_at(steno_now_ns());
  is_later = true;
}

void steno_note_transaction_end(void) {
  is_later = false;
}

uint64 steno_commit_time(uint64 ended_ns) {
  uint64 now;
  if (!kFollowsClients) return 0;
  now = steno_now_ns();
  last_end = time_at(now);
  return whole((int64)((now - ended_ns) / kNsInUs));
}
