// Between its FATAL error and its end a process takes much longer than a scribe that was asked to write would wait, as
// on a busy machine. Preloaded after steno.
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

PG_MODULE_MAGIC;

static emit_log_hook_type next_emit_log;

static void emit_log(ErrorData* edata) {
  if (next_emit_log != NULL) next_emit_log(edata);
  if (edata->elevel == FATAL) pg_usleep(40000);
}

void _PG_init(void) {
  next_emit_log = emit_log_hook;
  emit_log_hook = emit_log;
}
