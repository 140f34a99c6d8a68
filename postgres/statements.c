// A record for each statement that ends, however it does.
//
// What runs is in a list, innermost first: executions of plans, which may outlive the calls that run them (cursors),
// and commands. A plan's entry is freed with its memory; one that is thrown away unfinished (a cursor at the end of its
// transaction) writes its record then, and what a FATAL error finds running does when the process ends.
#include "statement.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "executor/executor.h"
#include "jit/jit.h"
#include "optimizer/planner.h"
#include "storage/ipc.h"
#include "tcop/cmdtag.h"
#include "tcop/utility.h"

static planner_hook_type next_planner;
static ExecutorStart_hook_type next_executor_start;
static ExecutorRun_hook_type next_executor_run;
static ExecutorFinish_hook_type next_executor_finish;
static ExecutorEnd_hook_type next_executor_end;
static ProcessUtility_hook_type next_utility;

static Execution* running;
static int nesting;          // how many statements enclose the current one
static bool is_in_sample;    // the outermost one
static uint64 written;       // records so far
static bool at_exit_is_set;  // in this process

// What was planned last, for the execution that follows.
static struct {
  uint64 query_id;
  uint64 duration_ns;
} planned;

static bool is_wanted(Node* statement) {
  if (!steno_is_running || steno_log_statement == LOGSTMT_NONE || IsParallelWorker()) return false;
  if (nesting == 0) is_in_sample = steno_sample_rate >= 1 || pg_prng_double(&pg_global_prng_state) < steno_sample_rate;
  if (!is_in_sample || (nesting > 0 && !steno_log_nested)) return false;
  return steno_log_statement == LOGSTMT_ALL || GetCommandLogLevel(statement) <= (LogStmtLevel)steno_log_statement;
}

static void add_buffers(BufferUsage* sum, const BufferUsage* before) {
  const BufferUsage* const now = &pgBufferUsage;
  sum->shared_blks_hit += now->shared_blks_hit - before->shared_blks_hit;
  sum->shared_blks_read += now->shared_blks_read - before->shared_blks_read;
  sum->shared_blks_dirtied += now->shared_blks_dirtied - before->shared_blks_dirtied;
  sum->shared_blks_written += now->shared_blks_written - before->shared_blks_written;
  sum->local_blks_hit += now->local_blks_hit - before->local_blks_hit;
  sum->local_blks_read += now->local_blks_read - before->local_blks_read;
  sum->local_blks_dirtied += now->local_blks_dirtied - before->local_blks_dirtied;
  sum->local_blks_written += now->local_blks_written - before->local_blks_written;
  sum->temp_blks_read += now->temp_blks_read - before->temp_blks_read;
  sum->temp_blks_written += now->temp_blks_written - before->temp_blks_written;
}

static void begin_call(Execution* e) {
  e->buffers_before = pgBufferUsage;
  e->wal_before = pgWalUsage.wal_bytes;
  e->is_called = true;
  INSTR_TIME_SET_CURRENT(e->begin);
}

static void end_call(Execution* e) {
  instr_time now;
  if (!e->is_called) return;
  e->is_called = false;
  INSTR_TIME_SET_CURRENT(now);
  INSTR_TIME_SUBTRACT(now, e->begin);
  e->duration_ns += (uint64)now.tv_sec * 1000000000 + (uint64)now.tv_nsec;
  add_buffers(&e->buffers, &e->buffers_before);
  e->wal_bytes += pgWalUsage.wal_bytes - e->wal_before;
}

static uint64 jit_time(const QueryDesc* plan) {
  uint64 ns = 0;
  if (plan != NULL && plan->estate != NULL && plan->estate->es_jit != NULL) {
    const JitInstrumentation* const jit = &plan->estate->es_jit->instr;
    const instr_time parts[] = {jit->generation_counter, jit->inlining_counter, jit->optimization_counter,
                                jit->emission_counter};
    for (int i = 0; i < (int)lengthof(parts); ++i) {
      ns += (uint64)parts[i].tv_sec * 1000000000 + (uint64)parts[i].tv_nsec;
    }
  }
  return ns;
}

// Throws nothing, and allocates nothing of PostgreSQL's: it is called while errors are handled, too.
static void write_record(const Execution* e, int error) {
  if (error == 0 && e->duration_ns < (uint64)steno_min_duration * 1000000) return;
  steno_write_statement(e, error);
  ++written;
}

static void leave(Execution* e) {
  for (Execution** at = &running; *at != NULL; at = &(*at)->outer) {
    if (*at != e) continue;
    *at = e->outer;
    return;
  }
}

// In PG_CATCH(), where the error is still there.
static void end_with_error(Execution* e) {
  end_call(e);
  leave(e);
  write_record(e, geterrcode());
}

// Its memory goes, and nobody has ended it.
static void when_freed(void* execution) {
  Execution* const e = execution;
  bool found = false;
  for (Execution* at = running; at != NULL; at = at->outer) found = found || at == e;
  if (!found) return;
  leave(e);
  e->source = NULL;  // may have gone before
  e->source_size = 0;
  write_record(e, 0);
}

// What a FATAL error found running, and what a client left open.
static void at_exit(int code, Datum argument) {
  while (running != NULL) {
    Execution* const e = running;
    running = e->outer;
    end_call(e);
    write_record(e, code == 0 ? 0 : steno_fatal_error);
  }
}

static void enter(Execution* e, const char* source, int location, int length, bool is_utility,
                  ParamListInfo parameters) {
  bool has_constants;
  if (!at_exit_is_set) {
    before_shmem_exit(at_exit, 0);
    at_exit_is_set = true;
  }
  // PostgreSQL computes none where compute_query_id is off.
  if (e->query_id == 0) {
    e->query_id = (int64)hash_bytes_extended((const unsigned char*)source + location,
                                             length > 0 ? length : (int)strlen(source + location), 0);
  }
  has_constants = steno_log_text(e->query_id, source, location, length, is_utility);
  if (steno_log_parameters && !steno_redact_parameters) {
    if (has_constants) {
      e->source = source + location;
      e->source_size = length > 0 ? length : (int)strlen(e->source);
    }
    if (parameters != NULL && parameters->numParams > 0 && parameters->paramFetch == NULL) {
      e->parameters = steno_take_parameters(parameters);
    }
  }
  e->nesting = nesting;
  e->outer = running;
  running = e;
}

static const char* command_of(CmdType type) {
  switch (type) {
    case CMD_SELECT:
      return "SELECT";
    case CMD_INSERT:
      return "INSERT";
    case CMD_UPDATE:
      return "UPDATE";
    case CMD_DELETE:
      return "DELETE";
    case CMD_MERGE:
      return "MERGE";
    default:
      return "";
  }
}

static PlannedStmt* run_planner(Query* query, const char* source, int options, ParamListInfo parameters) {
  return next_planner != NULL ? next_planner(query, source, options, parameters)
                              : standard_planner(query, source, options, parameters);
}

// What fails before it is executed; in PG_CATCH().
static void write_refused(CmdType type, uint64 query_id) {
  Execution e;
  memset(&e, 0, sizeof e);
  e.command = command_of(type);
  e.query_id = (int64)query_id;
  e.nesting = nesting;
  write_record(&e, geterrcode());
}

static PlannedStmt* plan(Query* query, const char* source, int options, ParamListInfo parameters) {
  PlannedStmt* result;
  instr_time begin;
  instr_time end;
  INSTR_TIME_SET_CURRENT(begin);
  ++nesting;  // functions of constants are called now
  PG_TRY();
  { result = run_planner(query, source, options, parameters); }
  PG_CATCH();
  {
    --nesting;
    // Else what this is a part of is the statement.
    if (nesting == 0 && running == NULL && is_wanted((Node*)query)) write_refused(query->commandType, query->queryId);
    PG_RE_THROW();
  }
  PG_END_TRY();
  --nesting;
  INSTR_TIME_SET_CURRENT(end);
  INSTR_TIME_SUBTRACT(end, begin);
  planned.query_id = query->queryId;
  planned.duration_ns = (uint64)end.tv_sec * 1000000000 + (uint64)end.tv_nsec;
  return result;
}

static Execution* find(const QueryDesc* plan_of) {
  for (Execution* e = running; e != NULL; e = e->outer) {
    if (e->plan == plan_of) return e;
  }
  return NULL;
}

static void start_plan(QueryDesc* query, int flags) {
  if (next_executor_start != NULL) {
    next_executor_start(query, flags);
  } else {
    standard_ExecutorStart(query, flags);
  }
}

// What of a plan's statement is known before it is started.
static void describe(Execution* e, const QueryDesc* query) {
  e->plan = query;
  e->command = command_of(query->operation);
  e->query_id = (int64)query->plannedstmt->queryId;
  if (planned.query_id == query->plannedstmt->queryId) {
    e->planning_ns = planned.duration_ns;
    planned.query_id = 0;
    planned.duration_ns = 0;
  }
}

static void enter_plan(Execution* e, const QueryDesc* query) {
  enter(e, query->sourceText, Max(query->plannedstmt->stmt_location, 0), query->plannedstmt->stmt_len, false,
        query->params);
}

static void executor_start(QueryDesc* query, int flags) {
  MemoryContext before;
  Execution* e;
  if ((flags & EXEC_FLAG_EXPLAIN_ONLY) != 0 || !is_wanted((Node*)query->plannedstmt)) {
    start_plan(query, flags);
    return;
  }
  PG_TRY();
  { start_plan(query, flags); }
  PG_CATCH();
  {
    write_refused(query->operation, query->plannedstmt->queryId);
    PG_RE_THROW();
  }
  PG_END_TRY();
  before = MemoryContextSwitchTo(query->estate->es_query_cxt);
  e = palloc0(sizeof *e);
  describe(e, query);
  e->when_freed.func = when_freed;
  e->when_freed.arg = e;
  MemoryContextRegisterResetCallback(query->estate->es_query_cxt, &e->when_freed);
  enter_plan(e, query);
  MemoryContextSwitchTo(before);
}

static void run_plan(QueryDesc* query, ScanDirection direction, uint64 count, bool execute_once) {
  if (next_executor_run != NULL) {
    next_executor_run(query, direction, count, execute_once);
  } else {
    standard_ExecutorRun(query, direction, count, execute_once);
  }
}

static void executor_run(QueryDesc* query, ScanDirection direction, uint64 count, bool execute_once) {
  Execution* const e = find(query);
  if (e != NULL) begin_call(e);
  ++nesting;
  PG_TRY();
  { run_plan(query, direction, count, execute_once); }
  PG_CATCH();
  {
    --nesting;
    if (e != NULL) end_with_error(e);
    PG_RE_THROW();
  }
  PG_END_TRY();
  --nesting;
  if (e == NULL) return;
  end_call(e);
  e->rows += query->estate->es_processed;
}

static void finish_plan(QueryDesc* query) {
  if (next_executor_finish != NULL) {
    next_executor_finish(query);
  } else {
    standard_ExecutorFinish(query);
  }
}

static void executor_finish(QueryDesc* query) {
  Execution* e;
  // Triggers, and what a statement in WITH has left undone: a plain query has neither, and runs nothing now.
  if (query->operation == CMD_SELECT && !query->plannedstmt->hasModifyingCTE) {
    finish_plan(query);
    return;
  }
  e = find(query);
  if (e != NULL) begin_call(e);
  ++nesting;
  PG_TRY();
  { finish_plan(query); }
  PG_CATCH();
  {
    --nesting;
    if (e != NULL) end_with_error(e);
    PG_RE_THROW();
  }
  PG_END_TRY();
  --nesting;
  if (e != NULL) end_call(e);
}

static void executor_end(QueryDesc* query) {
  Execution* const e = find(query);
  if (e != NULL) {
    e->plan_id = steno_log_plan(e, query);
    leave(e);
    e->jit_ns = jit_time(query);
    write_record(e, 0);
  }
  if (next_executor_end != NULL) {
    next_executor_end(query);
  } else {
    standard_ExecutorEnd(query);
  }
}

static void run_command(PlannedStmt* statement, const char* source, bool read_only, ProcessUtilityContext context,
                        ParamListInfo parameters, QueryEnvironment* environment, DestReceiver* destination,
                        QueryCompletion* completion) {
  if (next_utility != NULL) {
    next_utility(statement, source, read_only, context, parameters, environment, destination, completion);
  } else {
    standard_ProcessUtility(statement, source, read_only, context, parameters, environment, destination, completion);
  }
}

static void utility(PlannedStmt* statement, const char* source, bool read_only, ProcessUtilityContext context,
                    ParamListInfo parameters, QueryEnvironment* environment, DestReceiver* destination,
                    QueryCompletion* completion) {
  Execution e;
  // What EXECUTE executes is the statement, and its record.
  const bool stands_for_another = IsA(statement->utilityStmt, ExecuteStmt);
  const uint64 written_before = written;
  QueryCompletion done;
  // Parts of a command (CREATE SCHEMA … CREATE TABLE) are no statements.
  if (context == PROCESS_UTILITY_SUBCOMMAND || !is_wanted(statement->utilityStmt)) {
    const int more = context != PROCESS_UTILITY_SUBCOMMAND && !stands_for_another;
    nesting += more;
    PG_TRY();
    { run_command(statement, source, read_only, context, parameters, environment, destination, completion); }
    PG_FINALLY();
    { nesting -= more; }
    PG_END_TRY();
    return;
  }
  memset(&e, 0, sizeof e);
  e.command = GetCommandTagName(CreateCommandTag(statement->utilityStmt));
  e.query_id = (int64)statement->queryId;
  begin_call(&e);
  enter(&e, source, Max(statement->stmt_location, 0), statement->stmt_len, true, parameters);
  if (stands_for_another) leave(&e);
  if (completion == NULL) {
    InitializeQueryCompletion(&done);
    completion = &done;
  }
  nesting += !stands_for_another;
  PG_TRY();
  { run_command(statement, source, read_only, context, parameters, environment, destination, completion); }
  PG_CATCH();
  {
    nesting -= !stands_for_another;
    if (!stands_for_another || written == written_before) end_with_error(&e);
    PG_RE_THROW();
  }
  PG_END_TRY();
  nesting -= !stands_for_another;
  if (stands_for_another) return;
  leave(&e);
  end_call(&e);
  e.rows = completion->nprocessed;
  write_record(&e, 0);
}

void steno_install_statement_hooks(void) {
  next_planner = planner_hook;
  planner_hook = plan;
  next_executor_start = ExecutorStart_hook;
  ExecutorStart_hook = executor_start;
  next_executor_run = ExecutorRun_hook;
  ExecutorRun_hook = executor_run;
  next_executor_finish = ExecutorFinish_hook;
  ExecutorFinish_hook = executor_finish;
  next_executor_end = ExecutorEnd_hook;
  ExecutorEnd_hook = executor_end;
  next_utility = ProcessUtility_hook;
  ProcessUtility_hook = utility;
}
