// The executions that run, what they cost, and their records.
//
// They are in a list, innermost first: executions of plans, which may outlive the calls that run them (cursors), and
// commands. There may be thousands of cursors, so that none is looked for there. A plan's entry is freed with its
// memory.
#include "statement.h"

#include "client_message.h"
#include "elapsed.h"
#include "statement_record.h"

#include "access/xact.h"
#include "nodes/memnodes.h"
#include "utils/memutils.h"

int steno_nesting;
uint64 steno_written;
int steno_fatal_error;

static Execution* running;
static Execution first;  // of a plan, which is most often the only one
static bool first_is_used;

// The counts of blocks, one after the other.
StaticAssertDecl(offsetof(BufferUsage, shared_blks_hit) == 0 &&
                     sizeof(((BufferUsage*)NULL)->shared_blks_hit) == sizeof(int64) &&
                     offsetof(BufferUsage, temp_blks_written) == (kBlockCounts - 1) * sizeof(int64),
                 "a BufferUsage begins with other counts");

static void begin_call_at(Execution* e, uint64 now) {
  const int64* const counts = &pgBufferUsage.shared_blks_hit;
  for (int i = 0; i < kBlockCounts; ++i) e->blocks[i] -= counts[i];
  e->wal_bytes -= pgWalUsage.wal_bytes;
  e->is_called = true;
  e->message = GetCurrentStatementStartTimestamp();
  e->duration_ns -= now;
  if (e->began_ns == 0) e->began_ns = now;
}

void steno_begin_call(Execution* e) {
  begin_call_at(e, steno_now_ns());
}

void steno_go_on_with_call(Execution* e) {
  begin_call_at(e,
                e->ended_ns != 0 && e->message == GetCurrentStatementStartTimestamp() ? e->ended_ns : steno_now_ns());
}

void steno_end_call(Execution* e) {
  const int64* const counts = &pgBufferUsage.shared_blks_hit;
  if (!e->is_called) return;
  e->ended_ns = steno_now_ns();
  e->duration_ns += e->ended_ns;
  e->is_called = false;
  for (int i = 0; i < kBlockCounts; ++i) e->blocks[i] += counts[i];
  e->wal_bytes += pgWalUsage.wal_bytes;
}

// Throws nothing, and allocates nothing of PostgreSQL's: it is called while errors are handled, too.
void steno_write_ended(const Execution* e, int error) {
  if (error != 0 && e->nesting == 0) steno_note_recorded();
  if (error == 0 && e->elapsed_ns < (uint64)steno_min_duration * 1000000) return;
  steno_write_statement(e, error);
  ++steno_written;
}

void steno_leave(Execution* e) {
  if (!e->is_listed) return;
  e->is_listed = false;
  if (e->outer != NULL) e->outer->inner = e->inner;
  if (e->inner != NULL) {
    e->inner->outer = e->outer;
  } else {
    running = e->outer;
  }
}

void steno_list(Execution* e) {
  e->inner = NULL;
  e->outer = running;
  if (running != NULL) running->inner = e;
  running = e;
  e->is_listed = true;
}

Execution* steno_innermost(void) {
  return running;
}

// Its memory goes, and nobody has ended it.
static void when_freed(void* execution) {
  Execution* const e = execution;
  MemoryContext const memory = e->memory;
  if (e->is_listed) {
    steno_leave(e);
    e->source = NULL;  // may have gone before
    e->source_size = 0;
    if (!e->is_waiting) {
      steno_measure(e);
      steno_write_ended(e, 0);
    }
  }
  if (e == &first) first_is_used = false;
  if (memory != NULL) MemoryContextDelete(memory);
}

Execution* steno_begin_execution(Execution* local) {
  Execution* const e = first_is_used ? local : &first;
  first_is_used = true;
  memset(e, 0, sizeof *e);
  return e;
}

void steno_forget_execution(Execution* e) {
  if (e == &first) first_is_used = false;
}

void steno_keep_execution(Execution* e, MemoryContext memory) {
  Execution* const kept = e != &first ? MemoryContextAlloc(memory, sizeof *kept) : &first;
  if (kept != e) {
    *kept = *e;
    if (kept->outer != NULL) kept->outer->inner = kept;
    if (kept->inner != NULL) {
      kept->inner->outer = kept;
    } else {
      running = kept;
    }
  }
  kept->when_freed.func = when_freed;
  kept->when_freed.arg = kept;
  MemoryContextRegisterResetCallback(memory, &kept->when_freed);
}

bool steno_is_first(const Execution* e) {
  return e == &first;
}

// Callbacks of a plan's memory are those of what is in it: few.
Execution* steno_find_execution(const QueryDesc* plan) {
  if (plan->estate == NULL) return NULL;
  for (const MemoryContextCallback* at = plan->estate->es_query_cxt->reset_cbs; at != NULL; at = at->next) {
    if (at->func == when_freed && ((Execution*)at->arg)->is_listed) return at->arg;
  }
  return NULL;
}
