// Records of statements that end with their transaction.
//
// The work of a COMMIT is done after the command, and that of a statement which is a transaction by itself ends with
// its commit, which may fail: a constraint that is checked then, a serialization failure. Their records are written
// when the transaction has ended. A statement's is made before, for what it is about may be gone then; if another
// statement of the client's comes first (in a pipeline), it has ended without an error.
#include "transactions.h"

#include "client_message.h"
#include "elapsed.h"
#include "statement_record.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "tcop/pquery.h"

static Execution committing;  // a COMMIT
static bool is_committing;
static bool is_kept;              // a statement's record (statement_record.c)
static TimestampTz kept_message;  // in which it ran
static uint64 kept_elapsed_ns;    // but for the commit
static uint64 kept_ended_ns;

bool steno_is_in_commit(void) {
  if (!is_committing && !is_kept) return false;
  // Triggers that run now are no statement of the client's: such a one would have a portal, or a message of its own.
  return ActivePortal == NULL && (is_committing || kept_message == GetCurrentStatementStartTimestamp());
}

bool steno_waits_for_transaction(void) {
  return is_committing || (is_kept && kept_message == GetCurrentStatementStartTimestamp());
}

bool steno_ends_with_transaction(const Execution* e) {
  if (e->nesting > 0 || !e->is_last || steno_is_in_block() || MyProcPort == NULL || !IsTransactionState()) return false;
  steno_settle(0);
  is_kept = steno_keep_statement(e);
  kept_message = e->message;
  kept_elapsed_ns = e->elapsed_ns;
  kept_ended_ns = e->ended_ns;
  return is_kept;
}

void steno_end_at_commit(Execution* e) {
  steno_leave(e);
  committing = *e;
  is_committing = true;
  committing.source = NULL;  // which may go sooner; of a command there is none but with its query
  committing.source_size = 0;
}

// Returns whether the end of the transaction may take long: it writes, or there is something to do for it.
static bool has_work_at_end(void) {
  return TransactionIdIsValid(GetTopTransactionIdIfAny()) || MyXactFlags != 0;
}

static void settle(int error, bool ends_now) {
  if (is_committing) {
    is_committing = false;
    steno_end_call(&committing);
    steno_measure(&committing);
    steno_write_ended(&committing, error);
  }
  if (is_kept) {
    // If another statement has begun, this one has ended before.
    const uint64 commit_ns = ends_now ? steno_commit_time(kept_ended_ns) : 0;
    is_kept = false;
    if (error != 0 || kept_elapsed_ns + commit_ns >= (uint64)steno_min_duration * 1000000) {
      steno_write_kept_statement(error, commit_ns);
    }
  }
}

void steno_settle(int error) {
  settle(error, false);
}

// The error that is being handled; 0: none.
static int current_error(void) {
  volatile int code = 0;
  if (proc_exit_inprogress) return steno_fatal_error;
  PG_TRY();
  { code = geterrcode(); }  // throws where there is none
  PG_CATCH();
  {
    FlushErrorState();
    code = 0;
  }
  PG_END_TRY();
  return code;
}

static void when_transaction_ends(XactEvent event, void* argument) {
  if (event == XACT_EVENT_PRE_COMMIT) steno_learn_who();
  if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_PREPARE && event != XACT_EVENT_ABORT) return;
  steno_end_block();
  steno_note_transaction_end();
  if (!is_committing && !is_kept) return;
  // Where a transaction is aborted that was to be committed, it is by an error; where another message has come
  // meanwhile, by one of that.
  if (event == XACT_EVENT_ABORT && (is_committing || kept_message == GetCurrentStatementStartTimestamp())) {
    settle(current_error(), true);
  } else {
    settle(0, event != XACT_EVENT_ABORT && has_work_at_end());
  }
}

void steno_follow_transactions(void) {
  RegisterXactCallback(when_transaction_ends, NULL);
}
