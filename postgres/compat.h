// The differences between the versions of PostgreSQL, 15 to 19: here, so that the other files need not ask for one.
#pragma once

#include "postgres.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "steno works with PostgreSQL 15 to 19: give make the PG_CONFIG of one of these"
#endif

#include "portability/instr_time.h"

// Nanoseconds of a clock, or of a difference.
static inline uint64 steno_clock_ns(instr_time time) {
#if PG_VERSION_NUM >= 160000
  return (uint64)INSTR_TIME_GET_NANOSEC(time);
#else
  return (uint64)time.tv_sec * 1000000000 + (uint64)time.tv_nsec;
#endif
}

// How PostgreSQL names a library that it has loaded.
#if PG_VERSION_NUM >= 180000
#define STENO_MODULE_MAGIC(library) PG_MODULE_MAGIC_EXT(.name = (library), .version = NULL)
#else
#define STENO_MODULE_MAGIC(library) PG_MODULE_MAGIC
#endif

// The handler that resets a signal, as pqsignal() takes it.
#if PG_VERSION_NUM < 190000
#define PG_SIG_DFL SIG_DFL
#endif

// The state in which a hook learns of a statement's constants.
#if PG_VERSION_NUM >= 190000
#define STENO_JUMBLE const JumbleState
#else
#define STENO_JUMBLE JumbleState
#endif

// Hooks' arguments that some versions have, and how they are passed on.
#if PG_VERSION_NUM >= 190000
#define STENO_PLANNER_MORE , struct ExplainState* explain
#define STENO_PASS_PLANNER_MORE , explain
#else
#define STENO_PLANNER_MORE
#define STENO_PASS_PLANNER_MORE
#endif
#if PG_VERSION_NUM >= 180000
#define STENO_RUN_MORE
#define STENO_PASS_RUN_MORE
#else
#define STENO_RUN_MORE , bool execute_once
#define STENO_PASS_RUN_MORE , execute_once
#endif

// The number of a process among those of a virtual transaction, as pg_locks has it, and that of its transaction. The
// numbers begin at 1, from 17 on at 0; -1: it has none.
#if PG_VERSION_NUM >= 170000
#define STENO_VXID_BACKEND(process) ((int32)(process)->vxid.procNumber)
#define STENO_VXID_LOCAL(process) ((process)->vxid.lxid)
#else
#define STENO_VXID_BACKEND(process) ((int32)(process)->backendId)
#define STENO_VXID_LOCAL(process) ((process)->lxid)
#endif

// True: a statement's location is that of its first word; else it is where the statement in front of it ends, and
// comments between the two belong to it.
#define STENO_COMMENTS_ARE_LEFT_OUT (PG_VERSION_NUM >= 180000)

// Arguments of create_foreignscan_path() in front of its costs, and at its end.
#if PG_VERSION_NUM >= 180000
#define STENO_FOREIGN_DISABLED_NODES 0,
#else
#define STENO_FOREIGN_DISABLED_NODES
#endif
#if PG_VERSION_NUM >= 170000
#define STENO_FOREIGN_RESTRICTIONS NIL,
#else
#define STENO_FOREIGN_RESTRICTIONS
#endif

// EXPLAIN's output.
#if PG_VERSION_NUM >= 180000
#define STENO_EXPLAIN_HEADER "commands/explain_format.h"
#define STENO_EXPLAIN_STATE_HEADER "commands/explain_state.h"
#else
#define STENO_EXPLAIN_HEADER "commands/explain.h"
#define STENO_EXPLAIN_STATE_HEADER "commands/explain.h"
#endif

// The meaning of an operator to indexes that have an order. The number is that of a strategy of B-trees; 6: unequal.
#if PG_VERSION_NUM >= 180000
#define STENO_OPERATOR_MEANING OpIndexInterpretation
#define STENO_OPERATOR_MEANINGS(operator_oid) get_op_index_interpretation(operator_oid)
#define STENO_STRATEGY_OF(meaning) ((int)(meaning)->cmptype)
#else
#define STENO_OPERATOR_MEANING OpBtreeInterpretation
#define STENO_OPERATOR_MEANINGS(operator_oid) get_op_btree_interpretation(operator_oid)
#define STENO_STRATEGY_OF(meaning) ((meaning)->strategy)
#endif

// The C library's name of an encoding; NULL: it has none. Wants "mb/pg_wchar.h".
#if PG_VERSION_NUM >= 170000
#define STENO_NAME_OF_ENCODING(encoding) pg_enc2gettext_tbl[encoding]
#else
#define STENO_NAME_OF_ENCODING(encoding) steno_name_in(pg_enc2gettext_tbl, encoding)
#define steno_name_in(table, of)                                                \
  __extension__({                                                               \
    const pg_enc2gettext* steno_at_ = (table);                                  \
    while (steno_at_->name != NULL && steno_at_->encoding != (of)) ++steno_at_; \
    steno_at_->name;                                                            \
  })
#endif

// Functions that do not return, before what else they are declared with.
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

// The scanner's warnings of backslashes in strings, which do not concern a text that has been scanned before.
#if PG_VERSION_NUM < 190000
#define STENO_SILENCE_SCANNER(extra) ((extra)->escape_string_warning = false)
#else
#define STENO_SILENCE_SCANNER(extra) ((void)(extra))
#endif

// True: PostgreSQL computes ids of queries in commands: a cursor's, and that of CREATE TABLE AS.
#define STENO_INNER_QUERIES_HAVE_IDS (PG_VERSION_NUM >= 180000)

// get_database_name().
#if PG_VERSION_NUM >= 190000
#define STENO_DATABASE_NAME_HEADER "utils/lsyscache.h"
#else
#define STENO_DATABASE_NAME_HEADER "commands/dbcommands.h"
#endif

// Computing query ids.
#if PG_VERSION_NUM >= 160000
#define STENO_QUERY_ID_HEADER "nodes/queryjumble.h"
#define STENO_JUMBLE_QUERY(query, source) JumbleQuery(query)
#else
#define STENO_QUERY_ID_HEADER "utils/queryjumble.h"
#define STENO_JUMBLE_QUERY(query, source) JumbleQuery(query, source)
#endif
