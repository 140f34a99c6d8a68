// The server's messages: what it would write to its log becomes a record.
#include "steno_pg.h"

#include <steno/c.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"

int steno_fatal_error = 0;

static emit_log_hook_type next_emit_log;
static bool is_inside;

// A message may hold what a parameter did; its format cannot.
static const char* unless_redacted(const char* text) {
  return text != NULL && !steno_redact_parameters ? text : "";
}

static struct steno_text text_of(const char* text) {
  return text != NULL ? steno_utf8(text, strlen(text)) : steno_text("", 0);
}

// By the macro of a level, which is a statement's own; PostgreSQL has macros of the levels' names.
#define LOG_MESSAGE(LOG_AT)                                                                                        \
  LOG_AT(                                                                                                          \
      "{error_severity}: {primary_message} (SQLSTATE {sqlstate}, xid {xid}, query {query_id}, "                    \
      "{source_file}:{source_line} "                                                                               \
      "{source_function}, {message_id}) {detail} {hint} {where} {internal_query} {statement} {cursor}",            \
      error_severity(edata->elevel), message, (const char*)sqlstate, (uint32)GetTopTransactionIdIfAny(), query_id, \
      text_of(edata->filename), edata->lineno, text_of(edata->funcname), text_of(edata->message_id), detail, hint, \
      where, internal_query, statement, edata->cursorpos)

static void log_message(const ErrorData* edata) {
  char sqlstate[6] = "";
  struct steno_text message, detail, where, statement, hint, internal_query;
  const int64 query_id = (int64)pgstat_get_my_query_id();
  for (int i = 0, code = edata->sqlerrcode; i < 5; ++i, code >>= 6) sqlstate[i] = PGUNSIXBIT(code);
  steno_update_identity();
  steno_begin_texts();
  message = text_of(steno_redact_parameters ? edata->message_id : edata->message);
  detail = text_of(unless_redacted(edata->detail_log != NULL ? edata->detail_log : edata->detail));
  where = text_of(edata->hide_ctx ? NULL : unless_redacted(edata->context));
  statement = text_of(check_log_of_query((ErrorData*)edata) ? unless_redacted(debug_query_string) : NULL);
  hint = text_of(edata->hint);
  internal_query = text_of(unless_redacted(edata->internalquery));
  if (edata->elevel <= DEBUG2) {
    LOG_MESSAGE(STENO_TRACE);
  } else if (edata->elevel <= DEBUG1) {
    LOG_MESSAGE(STENO_DEBUG);
  } else if (edata->elevel <= INFO) {
    LOG_MESSAGE(STENO_INFO);
  } else if (edata->elevel <= NOTICE) {
    LOG_MESSAGE(STENO_NOTICE);
  } else if (edata->elevel <= WARNING_CLIENT_ONLY) {
    LOG_MESSAGE(STENO_WARN);
  } else if (edata->elevel <= ERROR) {
    LOG_MESSAGE(STENO_ERROR);
  } else {
    LOG_MESSAGE(STENO_CRITICAL);
  }
}

static void emit_log(ErrorData* edata) {
  if (edata->elevel >= FATAL) steno_fatal_error = edata->sqlerrcode;
  if (steno_is_running && !is_inside) {
    const int saved = errno;
    is_inside = true;
    log_message(edata);
    is_inside = false;
    errno = saved;
    if (steno_replace_log) edata->output_to_server = false;
  }
  if (next_emit_log != NULL) next_emit_log(edata);
}

void steno_install_log_hook(void) {
  next_emit_log = emit_log_hook;
  emit_log_hook = emit_log;
}
