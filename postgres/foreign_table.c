// The log as foreign tables: scans that skip by their conditions (pushdown.h). For reading only.
#include "log_batches.h"
#include "log_files.h"
#include "pushdown.h"

#include <sys/stat.h>

#include "access/reloptions.h"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_authid_d.h"
#include "catalog/pg_foreign_server_d.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_type_d.h"
#include "commands/defrem.h"
#include STENO_EXPLAIN_HEADER
#include STENO_EXPLAIN_STATE_HEADER
#include "executor/executor.h"
#include "fmgr.h"
#include "foreign/fdwapi.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(steno_fdw_handler);
PG_FUNCTION_INFO_V1(steno_fdw_validator);

LogTable* steno_describe_table(Oid oid) {
  LogTable* const table = palloc0(sizeof *table);
  const Relation relation = table_open(oid, AccessShareLock);
  const TupleDesc row = RelationGetDescr(relation);
  ListCell* cell;
  table->statement = "";
  table->column_count = row->natts;
  table->fields = palloc0(row->natts * sizeof *table->fields);
  table->types = palloc0(row->natts * sizeof *table->types);
  foreach (cell, GetForeignTable(oid)->options) {
    DefElem* const option = lfirst(cell);
    if (strcmp(option->defname, "path") == 0) table->path = defGetString(option);
    if (strcmp(option->defname, "statement") == 0) table->statement = defGetString(option);
  }
  for (int i = 0; i < row->natts; ++i) {
    const Form_pg_attribute column = TupleDescAttr(row, i);
    if (column->attisdropped) continue;
    table->fields[i] = pstrdup(NameStr(column->attname));
    table->types[i] = column->atttypid;
    foreach (cell, GetForeignColumnOptions(oid, column->attnum)) {
      table->fields[i] = defGetString(lfirst(cell));
    }
  }
  table_close(relation, AccessShareLock);
  return table;
}

// No part of a log's file is read to plan: a record of it takes about so many bytes.
enum { kBytesOfRecord = 20 };

static double file_size(const LogTable* table) {
  struct stat found;
  const LogFiles files = steno_find_log_files(table->path, NULL);
  double size = 0;
  for (int i = 0; i < files.count; ++i) size += stat(files.paths[i], &found) == 0 ? (double)found.st_size : 0;
  return size;
}

static void estimate_size(PlannerInfo* root, RelOptInfo* relation, Oid oid) {
  LogTable* const table = steno_describe_table(oid);
  const double size = file_size(table);
  relation->fdw_private = table;
  relation->pages = (BlockNumber)Min(size / BLCKSZ + 1, (double)MaxBlockNumber);
  relation->tuples = size / kBytesOfRecord;
  relation->rows =
      clamp_row_est(relation->tuples * clauselist_selectivity(root, relation->baserestrictinfo, 0, JOIN_INNER, NULL));
}

static void add_paths(PlannerInfo* root, RelOptInfo* relation, Oid oid) {
  const double per_row = cpu_tuple_cost + relation->baserestrictcost.per_tuple;
  const Cost startup = 100 + relation->baserestrictcost.startup;  // of opening it
  const Cost run = seq_page_cost * relation->pages + per_row * relation->tuples;
  add_path(relation,
           (Path*)create_foreignscan_path(root, relation, NULL, relation->rows, STENO_FOREIGN_DISABLED_NODES startup,
                                          startup + run, NIL, NULL, NULL, STENO_FOREIGN_RESTRICTIONS NIL));
}

// The facts that a plan keeps.
enum { kTree, kAttributes, kDescription };

static ForeignScan* make_plan(PlannerInfo* root, RelOptInfo* relation, Oid oid, ForeignPath* path, List* targets,
                              List* clauses, Plan* outer) {
  const LogTable* const table = relation->fdw_private;
  List* tree = NIL;
  List* expressions = NIL;
  List* attributes = NIL;
  Bitmapset* used = NULL;
  ListCell* cell;
  clauses = extract_actual_clauses(clauses, false);
  foreach (cell, clauses) {
    (void)steno_push_clause(lfirst(cell), relation->relid, table, &tree, &expressions);
  }
  pull_varattnos((Node*)relation->reltarget->exprs, relation->relid, &used);
  pull_varattnos((Node*)clauses, relation->relid, &used);
  for (int i = 1; i <= table->column_count; ++i) {
    const bool is_whole_row = bms_is_member(-FirstLowInvalidHeapAttributeNumber, used);
    if (table->fields[i - 1] == NULL) continue;
    if (is_whole_row || bms_is_member(i - FirstLowInvalidHeapAttributeNumber, used)) {
      attributes = lappend_int(attributes, i);
    }
  }
  return make_foreignscan(targets, clauses, relation->relid, expressions,
                          list_make3(tree, attributes, makeString(steno_describe_clauses(tree, expressions, table))),
                          NIL, NIL, outer);
}

typedef struct LogScanState {
  LogTable* table;
  List* attributes;
  List* expressions;
  PushedClauses clauses;
  TimestampTz since;
  TimestampTz until;
  LogScanOptions options;
  TimestampTz opened_since;  // what the scan's files are chosen by
  MemoryContext of_scan;
  MemoryContext of_pass;  // from rescan to rescan
  LogScan* scan;          // NULL: the log has not been opened
  enum { kNotStarted, kStarted, kAtEnd } pass;
  Datum* values;
  bool* nulls;
} LogScanState;

static void explain(ForeignScanState* node, ExplainState* out) {
  const char* const pushed = strVal(list_nth(((ForeignScan*)node->ss.ps.plan)->fdw_private, kDescription));
  if (*pushed != '\0') ExplainPropertyText("Steno Condition", pushed, out);
}

static void begin(ForeignScanState* node, int flags) {
  ForeignScan* const plan = (ForeignScan*)node->ss.ps.plan;
  LogScanState* state;
  const char** fields;
  Oid* types;
  int count = 0;
  ListCell* cell;
  if ((flags & EXEC_FLAG_EXPLAIN_ONLY) != 0) return;
  state = node->fdw_state = palloc0(sizeof *state);
  state->table = steno_describe_table(RelationGetRelid(node->ss.ss_currentRelation));
  state->attributes = list_nth(plan->fdw_private, kAttributes);
  state->expressions = ExecInitExprList(plan->fdw_exprs, (PlanState*)node);
  state->clauses.table = state->table;
  state->clauses.tree = list_nth(plan->fdw_private, kTree);
  state->clauses.value_count = list_length(plan->fdw_exprs);
  state->clauses.values = palloc(Max(state->clauses.value_count, 1) * sizeof(Datum));
  state->clauses.nulls = palloc(Max(state->clauses.value_count, 1) * sizeof(bool));
  state->clauses.types = palloc(Max(state->clauses.value_count, 1) * sizeof(Oid));
  foreach (cell, plan->fdw_exprs) {
    state->clauses.types[foreach_current_index(cell)] = exprType(lfirst(cell));
  }
  fields = palloc((list_length(state->attributes) + 1) * sizeof *fields);
  types = palloc((list_length(state->attributes) + 1) * sizeof *types);
  foreach (cell, state->attributes) {
    fields[count] = state->table->fields[lfirst_int(cell) - 1];
    types[count++] = state->table->types[lfirst_int(cell) - 1];
  }
  if (count == 0) {  // rows are counted
    fields[count] = "session";
    types[count++] = INT8OID;
  }
  state->options.query = node->ss.ps.state->es_query_cxt;
  state->options.path = state->table->path;
  state->options.statement = state->table->statement;
  state->options.column_count = count;
  state->options.columns = fields;
  state->options.types = types;
  state->options.condition = state->clauses.tree != NIL ? steno_pushed_condition : NULL;
  state->options.condition_context = &state->clauses;
  state->values = palloc(count * sizeof *state->values);
  state->nulls = palloc(count * sizeof *state->nulls);
  state->of_scan = AllocSetContextCreate(CurrentMemoryContext, "steno scan", ALLOCSET_DEFAULT_SIZES);
  state->of_pass = AllocSetContextCreate(state->of_scan, "steno pass", ALLOCSET_DEFAULT_SIZES);
}

static void start(ForeignScanState* node) {
  LogScanState* const state = node->fdw_state;
  const MemoryContext before = MemoryContextSwitchTo(state->of_pass);
  ListCell* cell;
  foreach (cell, state->expressions) {
    const int i = foreach_current_index(cell);
    state->clauses.values[i] = ExecEvalExpr(lfirst(cell), node->ss.ps.ps_ExprContext, &state->clauses.nulls[i]);
  }
  if (steno_pushed_times(&state->clauses, &state->since, &state->until)) {
    state->options.since = &state->since;
    state->options.files_since = state->since > kLeastTime ? &state->since : NULL;
    state->options.until = &state->until;
    // Closed files are left out that were written before.
    if (state->scan != NULL && state->since < state->opened_since) {
      steno_end_scan(state->scan);
      state->scan = NULL;
    }
    if (state->scan == NULL) {
      state->opened_since = state->since;
      MemoryContextSwitchTo(state->of_scan);
      state->scan = steno_make_scan(&state->options);
      MemoryContextSwitchTo(state->of_pass);
    }
    steno_start_scan(state->scan);
    state->pass = kStarted;
  } else {
    state->pass = kAtEnd;
  }
  MemoryContextSwitchTo(before);
}

static TupleTableSlot* next(ForeignScanState* node) {
  LogScanState* const state = node->fdw_state;
  TupleTableSlot* const slot = node->ss.ss_ScanTupleSlot;
  int count = 0;
  ListCell* cell;
  ExecClearTuple(slot);
  if (state->pass == kNotStarted) start(node);
  if (state->pass == kAtEnd) return slot;
  if (!steno_next_row(state->scan, state->values, state->nulls)) {
    state->pass = kAtEnd;
    return slot;
  }
  memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof *slot->tts_isnull);
  foreach (cell, state->attributes) {
    slot->tts_values[lfirst_int(cell) - 1] = state->values[count];
    slot->tts_isnull[lfirst_int(cell) - 1] = state->nulls[count++];
  }
  return ExecStoreVirtualTuple(slot);
}

static void begin_again(ForeignScanState* node) {
  LogScanState* const state = node->fdw_state;
  MemoryContextReset(state->of_pass);
  state->pass = kNotStarted;
}

static void end(ForeignScanState* node) {
  LogScanState* const state = node->fdw_state;
  if (state != NULL) MemoryContextDelete(state->of_scan);
}

// The tables that IMPORT FOREIGN SCHEMA makes, the extension's own too.
static const char kLogColumns[] =
    "\"time\" timestamptz, pid bigint, session_id text, \"user\" text, role text, database text, application text, "
    "client text, client_port text, backend_type text, "
    "command text, query_id bigint, elapsed bigint, parsing bigint, planning bigint, duration bigint, commit bigint, "
    "rows bigint, sqlstate text, xid bigint, "
    "nesting bigint, shared_hit bigint, shared_read bigint, shared_dirtied bigint, shared_written bigint, "
    "local_hit bigint, local_read bigint, local_dirtied bigint, local_written bigint, temp_read bigint, "
    "temp_written bigint, wal_bytes bigint, jit bigint, plan_id bigint, p1 text, p2 text, p3 text, p4 text, p5 text, "
    "p6 text, p7 text, p8 text, parameters text, text text";
static const char kMessageColumns[] =
    "\"time\" timestamptz, level text, pid bigint, session_id text, \"user\" text, role text, database text, "
    "application text, client text, client_port text, backend_type text, severity text OPTIONS (field "
    "'error_severity'), sqlstate text, "
    "message text OPTIONS (field 'primary_message'), message_id text, detail text, hint text, \"where\" text, "
    "statement text, xid bigint, query_id bigint, source_file text, source_line bigint, source_function text, "
    "internal_query text, internal_position bigint, cursor bigint, ps text, line_num bigint, session_start "
    "timestamptz, "
    "vxid_backend bigint, vxid_local bigint, leader_pid bigint, m1 text, "
    "m2 text, m3 text, m4 text, m5 text, m6 text, m7 text, m8 text";

static char* definition_of(const char* name, const char* columns, const char* statement, const char* server,
                           const char* path) {
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfo(&out, "CREATE FOREIGN TABLE %s (%s) SERVER %s OPTIONS (statement %s", quote_identifier(name),
                   columns, quote_identifier(server), quote_literal_cstr(statement));
  if (path != NULL) appendStringInfo(&out, ", path %s", quote_literal_cstr(path));
  appendStringInfoChar(&out, ')');
  return out.data;
}

static List* import_schema(ImportForeignSchemaStmt* statement, Oid server_oid) {
  const char* const server = GetForeignServer(server_oid)->servername;
  const char* path = NULL;
  ListCell* cell;
  if (strcmp(statement->remote_schema, "steno") != 0) {
    ereport(ERROR, (errcode(ERRCODE_FDW_SCHEMA_NOT_FOUND),
                    errmsg("there is no foreign schema \"%s\"", statement->remote_schema),
                    errhint("The foreign schema is called \"steno\".")));
  }
  foreach (cell, statement->options) {
    DefElem* const option = lfirst(cell);
    if (strcmp(option->defname, "path") != 0) {
      ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_OPTION_NAME), errmsg("invalid option \"%s\"", option->defname),
                      errhint("Valid option: path.")));
    }
    path = defGetString(option);
  }
  return list_make2(definition_of("log", kLogColumns, "{command} {query_id}: {rows} rows in", server, path),
                    definition_of("messages", kMessageColumns,
                                  "(SQLSTATE {sqlstate}, xid {xid}, query {query_id}, {source_file}", server, path));
}

PGDLLEXPORT Datum steno_fdw_handler(PG_FUNCTION_ARGS) {
  FdwRoutine* const routine = makeNode(FdwRoutine);
  routine->GetForeignRelSize = estimate_size;
  routine->GetForeignPaths = add_paths;
  routine->GetForeignPlan = make_plan;
  routine->BeginForeignScan = begin;
  routine->IterateForeignScan = next;
  routine->ReScanForeignScan = begin_again;
  routine->EndForeignScan = end;
  routine->ExplainForeignScan = explain;
  routine->ImportForeignSchema = import_schema;
  PG_RETURN_POINTER(routine);
}

PGDLLEXPORT Datum steno_fdw_validator(PG_FUNCTION_ARGS) {
  const Oid of = PG_GETARG_OID(1);
  ListCell* cell;
  foreach (cell, untransformRelOptions(PG_GETARG_DATUM(0))) {
    const char* const name = ((DefElem*)lfirst(cell))->defname;
    const bool is_path = strcmp(name, "path") == 0;
    if (of == ForeignTableRelationId && (is_path || strcmp(name, "statement") == 0)) {
      if (!is_path || has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES)) continue;
      ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                      errmsg("only members of pg_read_server_files may name the file of a log")));
    }
    if (of == AttributeRelationId && strcmp(name, "field") == 0) continue;
    ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_OPTION_NAME), errmsg("invalid option \"%s\"", name),
                    errhint("Tables have the options path and statement, columns the option field.")));
  }
  PG_RETURN_VOID();
}
