// Plans of statements that took long: as JSON, once in a while for each shape.
#include "plans.h"

#include "commands/explain.h"
#include STENO_EXPLAIN_HEADER
#include STENO_EXPLAIN_STATE_HEADER
#include "common/hashfn.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"

// The parts that make a node what it is: not its costs, nor its constants.
static uint64 node_shape(const PlanState* state) {
  const Plan* const plan = state->plan;
  uint64 shape = hash_combine64((uint64)nodeTag(plan), plan->parallel_aware);
  Index relation = 0;
  Oid index = InvalidOid;
  switch (nodeTag(plan)) {
    case T_SeqScan:
    case T_SampleScan:
    case T_BitmapHeapScan:
    case T_TidScan:
    case T_TidRangeScan:
    case T_ForeignScan:
    case T_CustomScan:
      relation = ((const Scan*)plan)->scanrelid;
      break;
    case T_IndexScan:
      relation = ((const Scan*)plan)->scanrelid;
      index = ((const IndexScan*)plan)->indexid;
      break;
    case T_IndexOnlyScan:
      relation = ((const Scan*)plan)->scanrelid;
      index = ((const IndexOnlyScan*)plan)->indexid;
      break;
    case T_BitmapIndexScan:
      index = ((const BitmapIndexScan*)plan)->indexid;
      break;
    case T_NestLoop:
    case T_MergeJoin:
    case T_HashJoin:
      shape = hash_combine64(shape, (uint64)((const Join*)plan)->jointype);
      break;
    case T_Agg:
      shape = hash_combine64(shape, (uint64)((const Agg*)plan)->aggstrategy << 8 | ((const Agg*)plan)->aggsplit);
      break;
    default:
      break;
  }
  if (relation > 0) {
    const RangeTblEntry* const entry = list_nth(state->state->es_range_table, (int)relation - 1);
    shape = hash_combine64(shape, entry->relid);
  }
  return hash_combine64(shape, index);
}

static bool add_shape(PlanState* state, void* sum) {
  uint64* const shape = sum;
  *shape = hash_combine64(*shape, node_shape(state));
  (void)planstate_tree_walker(state, add_shape, sum);
  *shape = hash_combine64(*shape, 1);  // up again
  return false;
}

static void log_plan(int64 plan_id, int64 query_id, QueryDesc* query) {
  const MemoryContext before = MemoryContextSwitchTo(query->estate->es_query_cxt);
  ExplainState* const explain = NewExplainState();
  explain->format = EXPLAIN_FORMAT_JSON;
  explain->settings = true;
  ExplainBeginOutput(explain);
  ExplainPrintPlan(explain, query);
  ExplainEndOutput(explain);
  // An object, not a list of one.
  explain->str->data[0] = '{';
  explain->str->data[explain->str->len - 1] = '}';
  steno_update_identity();
  steno_begin_texts();
  STENO_INFO("plan {plan_id} of query {query_id}: {plan}", plan_id, query_id,
             steno_utf8(explain->str->data, (size_t)explain->str->len));
  MemoryContextSwitchTo(before);
}

int64 steno_log_plan(const Execution* e, QueryDesc* query) {
  uint64 shape = 0;
  // A plan has constants.
  if (steno_log_plans < 0 || !steno_log_parameters || steno_redact_parameters) return 0;
  if (e->duration_ns < (uint64)steno_log_plans * 1000000 || query->planstate == NULL) return 0;
  (void)add_shape(query->planstate, &shape);
  if (!steno_is_logged_lately(hash_combine64(shape, (uint64)e->query_id))) {
    log_plan((int64)shape, e->query_id, query);
  }
  return (int64)shape;
}
