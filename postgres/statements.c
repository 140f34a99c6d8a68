// Where PostgreSQL says what statements do: the hooks of its planner, its executor and its commands.
#include "client_message.h"
#include "elapsed.h"
#include "executions.h"
#include "plans.h"
#include "transactions.h"

#include "executor/executor.h"
#include "jit/jit.h"
#include "optimizer/planner.h"
#include "tcop/cmdtag.h"
#include "tcop/utility.h"

static planner_hook_type next_planner;
static ExecutorStart_hook_type next_executor_start;
static ExecutorRun_hook_type next_executor_run;
static ExecutorFinish_hook_type next_executor_finish;
static ExecutorEnd_hook_type next_executor_end;
static ProcessUtility_hook_type next_utility;

// The statement that was planned last, for the execution that follows.
static struct {
  uint64 query_id;
  uint64 duration_ns;
} planned;

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

static PlannedStmt* run_planner(Query* query, const char* source, int options,
                                ParamListInfo parameters STENO_PLANNER_MORE) {
  return next_planner != NULL ? next_planner(query, source, options, parameters STENO_PASS_PLANNER_MORE)
                              : standard_planner(query, source, options, parameters STENO_PASS_PLANNER_MORE);
}

static PlannedStmt* plan(Query* query, const char* source, int options, ParamListInfo parameters STENO_PLANNER_MORE) {
  PlannedStmt* result;
  instr_time begin;
  instr_time end;
  INSTR_TIME_SET_CURRENT(begin);
  ++steno_nesting;  // functions of constants are called now
  PG_TRY();
  { result = run_planner(query, source, options, parameters STENO_PASS_PLANNER_MORE); }
  PG_CATCH();
  {
    --steno_nesting;
    if (steno_is_wanted((Node*)query)) {
      steno_write_unplanned(command_of(query->commandType), query->queryId, source, Max(query->stmt_location, 0),
                            query->stmt_len, parameters);
    } else if (steno_depth() == 0) {
      steno_note_recorded();
    }
    PG_RE_THROW();
  }
  PG_END_TRY();
  --steno_nesting;
  INSTR_TIME_SET_CURRENT(end);
  INSTR_TIME_SUBTRACT(end, begin);
  planned.query_id = query->queryId;
  planned.duration_ns = steno_clock_ns(end);
  return result;
}

static void start_plan(QueryDesc* query, int flags) {
  if (next_executor_start != NULL) {
    next_executor_start(query, flags);
  } else {
    standard_ExecutorStart(query, flags);
  }
}

// The id of the query in a command that runs, until it is executed; 0: not known, or PostgreSQL has computed it.
static uint64 inner_id;

// The facts about a plan's statement that are known before it is started.
static void describe(Execution* e, const QueryDesc* query) {
  e->command = command_of(query->operation);
  e->query_id = (int64)query->plannedstmt->queryId;
  if (e->query_id == 0) {
    e->query_id = (int64)inner_id;
    inner_id = 0;
  }
  if (planned.query_id == query->plannedstmt->queryId) {
    e->planning_ns = planned.duration_ns;
    planned.query_id = 0;
    planned.duration_ns = 0;
  }
}

static void enter_plan(Execution* e, const QueryDesc* query) {
  // A client's own has a portal, which ends with it; within functions memory may stay for many.
  MemoryContext before = CurrentMemoryContext;
  if (steno_nesting > 0) {
    e->memory = AllocSetContextCreate(before, "steno statement", ALLOCSET_SMALL_SIZES);
    (void)MemoryContextSwitchTo(e->memory);
  }
  steno_enter(e, query->sourceText, Max(query->plannedstmt->stmt_location, 0), query->plannedstmt->stmt_len, false,
              query->params);
  (void)MemoryContextSwitchTo(before);
}

// Rights are checked when a plan is started.
static void executor_start(QueryDesc* query, int flags) {
  Execution local;
  Execution* e;
  steno_introduce();
  if ((flags & EXEC_FLAG_EXPLAIN_ONLY) != 0 || !steno_is_wanted((Node*)query->plannedstmt)) {
    if (steno_depth() == 0) steno_note_begun();
    start_plan(query, flags);
    return;
  }
  e = steno_begin_execution(&local);
  PG_TRY();
  {
    describe(e, query);
    enter_plan(e, query);
    start_plan(query, flags);
  }
  PG_CATCH();
  {
    steno_end_with_error(e);
    steno_forget_execution(e);
    PG_RE_THROW();
  }
  PG_END_TRY();
  e->is_waiting = true;
  steno_keep_execution(e, query->estate->es_query_cxt);
}

static void run_plan(QueryDesc* query, ScanDirection direction, uint64 count STENO_RUN_MORE) {
  if (next_executor_run != NULL) {
    next_executor_run(query, direction, count STENO_PASS_RUN_MORE);
  } else {
    standard_ExecutorRun(query, direction, count STENO_PASS_RUN_MORE);
  }
}

static void executor_run(QueryDesc* query, ScanDirection direction, uint64 count STENO_RUN_MORE) {
  Execution* const e = steno_find_execution(query);
  if (e != NULL) {
    e->is_waiting = false;
    steno_begin_call(e);
  } else if (steno_depth() == 0) {
    steno_note_begun();
  }
  ++steno_nesting;
  PG_TRY();
  { run_plan(query, direction, count STENO_PASS_RUN_MORE); }
  PG_CATCH();
  {
    --steno_nesting;
    if (e != NULL) steno_end_with_error(e);
    PG_RE_THROW();
  }
  PG_END_TRY();
  --steno_nesting;
  if (e == NULL) return;
  steno_end_call(e);
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
  e = steno_find_execution(query);
  if (e != NULL && e->is_waiting) e = NULL;  // nothing was executed, so that there is nothing to finish
  if (e != NULL) steno_go_on_with_call(e);
  ++steno_nesting;
  PG_TRY();
  { finish_plan(query); }
  PG_CATCH();
  {
    --steno_nesting;
    if (e != NULL) steno_end_with_error(e);
    PG_RE_THROW();
  }
  PG_END_TRY();
  --steno_nesting;
  if (e != NULL) steno_end_call(e);
}

static uint64 jit_time(const QueryDesc* plan) {
  uint64 ns = 0;
  if (plan != NULL && plan->estate != NULL && plan->estate->es_jit != NULL) {
    const JitInstrumentation* const jit = &plan->estate->es_jit->instr;
    const instr_time parts[] = {jit->generation_counter, jit->inlining_counter, jit->optimization_counter,
                                jit->emission_counter};
    for (int i = 0; i < (int)lengthof(parts); ++i) ns += steno_clock_ns(parts[i]);
  }
  return ns;
}

static void executor_end(QueryDesc* query) {
  Execution* const e = steno_find_execution(query);
  if (e != NULL) {
    if (!e->is_waiting) {
      e->plan_id = steno_log_plan(e, query);
      e->jit_ns = jit_time(query);
    }
    steno_end(e);
  } else if (steno_nesting == 0 && steno_log_statement != LOGSTMT_NONE) {
    steno_note_end();
  }
  if (steno_depth() == 0) steno_note_ended();
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

static bool is_commit(const Node* statement) {
  const TransactionStmt* const transaction = (const TransactionStmt*)statement;
  return IsA(statement, TransactionStmt) &&
         (transaction->kind == TRANS_STMT_COMMIT || transaction->kind == TRANS_STMT_PREPARE);
}

static void follow_blocks(const Node* statement) {
  const TransactionStmt* const transaction = (const TransactionStmt*)statement;
  if (!IsA(statement, TransactionStmt)) return;
  if (transaction->kind == TRANS_STMT_BEGIN || transaction->kind == TRANS_STMT_START) steno_begin_block();
  if (transaction->chain) steno_chain_block();
}

static void utility(PlannedStmt* statement, const char* source, bool read_only, ProcessUtilityContext context,
                    ParamListInfo parameters, QueryEnvironment* environment, DestReceiver* destination,
                    QueryCompletion* completion) {
  Execution e;
  // The statement of an EXECUTE, and so its record, is the one that it executes.
  const bool stands_for_another = IsA(statement->utilityStmt, ExecuteStmt);
  const uint64 written_before = steno_written;
  volatile int more = 0;
  QueryCompletion done;
  steno_introduce();
  // Parts of a command (CREATE SCHEMA … CREATE TABLE) are no statements.
  if (context == PROCESS_UTILITY_SUBCOMMAND || !steno_is_wanted(statement->utilityStmt)) {
    const bool is_clients = context != PROCESS_UTILITY_SUBCOMMAND && steno_depth() == 0;
    if (is_clients) steno_note_begun();
    more = context != PROCESS_UTILITY_SUBCOMMAND && !stands_for_another;
    steno_nesting += more;
    PG_TRY();
    { run_command(statement, source, read_only, context, parameters, environment, destination, completion); }
    PG_FINALLY();
    { steno_nesting -= more; }
    PG_END_TRY();
    if (is_clients) steno_note_ended();
    follow_blocks(statement->utilityStmt);
    return;
  }
  memset(&e, 0, sizeof e);
  e.command = GetCommandTagName(CreateCommandTag(statement->utilityStmt));
  e.query_id = (int64)statement->queryId;
  if (completion == NULL) {
    InitializeQueryCompletion(&done);
    completion = &done;
  }
  PG_TRY();
  {
    steno_begin_call(&e);
    if (e.query_id == 0) {
      e.query_id = (int64)steno_compute_command_id(statement->utilityStmt, source, statement->stmt_location,
                                                   statement->stmt_len);
    }
    steno_enter(&e, source, Max(statement->stmt_location, 0), statement->stmt_len, true, parameters);
    if (stands_for_another) {
      steno_leave(&e);
      steno_execute_is_last = &e.is_last;
    }
    inner_id = steno_log_nested ? steno_compute_inner_id(statement->utilityStmt, source) : 0;
    more = !stands_for_another;
    steno_nesting += more;
    run_command(statement, source, read_only, context, parameters, environment, destination, completion);
  }
  PG_CATCH();
  {
    steno_nesting -= more;
    steno_execute_is_last = NULL;
    if (!stands_for_another || steno_written == written_before) steno_end_with_error(&e);
    PG_RE_THROW();
  }
  PG_END_TRY();
  steno_nesting -= more;
  inner_id = 0;
  steno_execute_is_last = NULL;
  if (steno_depth() == 0) steno_note_ended();
  if (stands_for_another) return;
  follow_blocks(statement->utilityStmt);
  e.rows = completion->nprocessed;
  if (completion->commandTag == CMDTAG_ROLLBACK) e.command = "ROLLBACK";  // of a COMMIT, too
  if (is_commit(statement->utilityStmt) && completion->commandTag != CMDTAG_ROLLBACK) {
    steno_end_at_commit(&e);
  } else {
    steno_end(&e);
  }
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
  steno_follow_transactions();
  steno_follow_analysis();
}
