// How statements begin and end, and when their records are written.
//
// An execution of a plan that is thrown away unfinished (a cursor at the end of its transaction) writes its record then
// (running.c); what a FATAL error finds running does when the process ends. A plan that is never executed has no
// record. A COMMIT's work is done after the command, so its record is written when the transaction has ended.
#include "executions.h"

#include "client_message.h"
#include "elapsed.h"
#include "statement_source.h"
#include "transactions.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "storage/ipc.h"
#include "tcop/utility.h"

const bool* steno_execute_is_last;

static bool is_in_sample;  // the outermost one
static Parameters first_parameters;

int steno_depth(void) {
  return steno_nesting + steno_is_in_commit();
}

bool steno_is_wanted(Node* statement) {
  const int level = steno_depth();
  if (!steno_is_running || steno_log_statement == LOGSTMT_NONE || IsParallelWorker()) return false;
  if (level == 0) is_in_sample = steno_sample_rate >= 1 || pg_prng_double(&pg_global_prng_state) < steno_sample_rate;
  if (!is_in_sample || (level > 0 && !steno_log_nested)) return false;
  return steno_log_statement == LOGSTMT_ALL || GetCommandLogLevel(statement) <= (LogStmtLevel)steno_log_statement;
}

void steno_end(Execution* e) {
  steno_end_call(e);
  steno_leave(e);
  if (e->is_waiting) return;
  steno_measure(e);
  if (steno_ends_with_transaction(e)) {
    ++steno_written;
  } else {
    steno_write_ended(e, 0);
  }
}

void steno_end_with_error(Execution* e) {
  steno_end_call(e);
  steno_leave(e);
  steno_measure(e);
  steno_write_ended(e, geterrcode());
}

// Ends the statements that a FATAL error found running, and those that a client left open.
static void at_exit(int code, Datum argument) {
  steno_settle(steno_fatal_error);
  for (Execution* e = steno_innermost(); e != NULL; e = steno_innermost()) {
    steno_end_call(e);
    steno_leave(e);
    if (e->is_waiting) continue;
    steno_measure(e);
    steno_write_ended(e, code == 0 ? 0 : steno_fatal_error);
  }
}

// Logs its text, and takes into it what the record has of that.
static void take_text(Execution* e, const char* source, int location, int length, bool is_utility) {
  bool has_constants;
  if (STENO_COMMENTS_ARE_LEFT_OUT && location > 0) {
    const int begin = steno_source_begin(source, location);
    if (length > 0) length += location - begin;
    location = begin;
  }
  // PostgreSQL computes none where compute_query_id is off.
  if (e->query_id == 0) {
    e->query_id = (int64)hash_bytes_extended((const unsigned char*)source + location,
                                             length > 0 ? length : (int)strlen(source + location), 0);
  }
  has_constants = steno_log_text(e->query_id, source, location, length, is_utility);
  if (has_constants && steno_log_parameters && !steno_redact_parameters) {
    e->source = source + location;
    e->source_size = length > 0 ? length : (int)strlen(e->source);
  }
}

static bool has_values(ParamListInfo parameters) {
  return steno_log_parameters && !steno_redact_parameters && parameters != NULL && parameters->numParams > 0 &&
         parameters->paramFetch == NULL;
}

void steno_enter(Execution* e, const char* source, int location, int length, bool is_utility,
                 ParamListInfo parameters) {
  static bool at_exit_is_set;
  const bool is_last =
      steno_execute_is_last != NULL ? *steno_execute_is_last : steno_is_last_source(source, location, length);
  if (!at_exit_is_set) {
    before_shmem_exit(at_exit, 0);
    at_exit_is_set = true;
  }
  e->nesting = steno_depth();
  if (e->nesting == 0) {
    steno_settle(0);
    e->is_last = is_last;
    steno_begin_elapsed(e);
    steno_note_begun();
  }
  take_text(e, source, location, length, is_utility);
  if (has_values(parameters))
    e->parameters = steno_take_parameters(parameters, steno_is_first(e) ? &first_parameters : NULL);
  steno_list(e);
}

void steno_write_unplanned(const char* command, uint64 query_id, const char* source, int location, int length,
                           ParamListInfo parameters) {
  Execution e;
  memset(&e, 0, sizeof e);
  e.command = command;
  e.query_id = (int64)query_id;
  take_text(&e, source, location, length, false);
  if (has_values(parameters)) e.parameters = steno_take_parameters_of_failed(parameters);
  e.nesting = steno_depth();
  if (e.nesting == 0) {
    steno_settle(0);
    steno_begin_elapsed(&e);
  }
  steno_measure(&e);
  steno_write_ended(&e, geterrcode());
}
