// The server's messages: what it would write to its log becomes a record.
#include "message_sites.h"
#include "refused.h"
#include "statement.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/ps_status.h"

static emit_log_hook_type next_emit_log;
static bool is_inside;

// A message may hold what a parameter did; its format cannot.
static const char* unless_redacted(const char* text) {
  return !steno_redact_parameters ? text : NULL;
}

static steno_level level_of(int elevel) {
  if (elevel <= DEBUG2) return STENO_LEVEL_TRACE;
  if (elevel <= DEBUG1) return STENO_LEVEL_DEBUG;
  if (elevel <= INFO) return STENO_LEVEL_INFO;
  if (elevel <= NOTICE) return STENO_LEVEL_NOTICE;
  if (elevel <= WARNING_CLIENT_ONLY) return STENO_LEVEL_WARN;
  return elevel <= ERROR ? STENO_LEVEL_ERROR : STENO_LEVEL_CRITICAL;
}

static void put_bytes(RecordValues* values, const char* data, size_t size) {
  const struct steno_text utf8 = steno_utf8(data, size);
  steno_put_text(values, utf8.data, utf8.size);
}

static void put_text(RecordValues* values, const char* text) {
  if (text == NULL) {
    steno_put_text(values, "", 0);
  } else {
    put_bytes(values, text, strlen(text));
  }
}

static void put_int32(RecordValues* values, int32 number) {
  steno_put_number(values, &number, sizeof number);
}

static void put_int64(RecordValues* values, int64 number) {
  steno_put_number(values, &number, sizeof number);
}

// Microseconds since 1970.
static void put_time(RecordValues* values, TimestampTz time) {
  put_int64(values, time + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY);
}

static void put_values(RecordValues* values, const MessageFormat* format, const MessageValue* found) {
  for (int i = 0; i < format->values; ++i) {
    const MessagePiece* const piece = &format->pieces[i];
    if (piece->kind == kMessageText) {
      put_bytes(values, found[i].text.data, found[i].text.size);
    } else if (piece->kind == kMessageDecimal || piece->is_wide) {
      put_int64(values, found[i].number);  // a double's bytes
    } else {
      put_int32(values, (int32)found[i].number);
    }
  }
}

// The values of the message, where it is of its format or seems to be of one; else itself. Returns the record's
// statement. `own`: the format of its own, NULL: not known.
static const RecordSite* put_message(RecordValues* values, const char* message, steno_level level,
                                     const MessageSite* own) {
  const size_t size = strlen(message);
  const MessageSite* site = own;
  MessageValue found[kMessageValues];
  if (steno_redact_parameters) site = NULL;
  if (site == NULL || !steno_match_message(&site->format, message, size, found)) {
    site = !steno_redact_parameters ? steno_guess_message_site(message, level) : NULL;
    if (site == NULL || !steno_match_message(&site->format, message, size, found)) {
      put_bytes(values, message, size);
      return steno_text_message_site(level);
    }
  }
  put_values(values, &site->format, found);
  return &site->record;
}

// Counts the lines of this process.
static uint32 count_line(void) {
  static uint32 lines;
  static pid_t of;
  if (of != MyProcPid) lines = 0;
  of = MyProcPid;
  return ++lines;
}

// Puts the facts about the process that jsonlog has, beyond the context of all records: who it is and what it is at.
static void put_process(RecordValues* values) {
  const PGPROC* const leader = MyProc != NULL ? MyProc->lockGroupLeader : NULL;
  int size = 0;
  const char* const display = MyProcPort != NULL ? get_ps_display(&size) : "";
  put_bytes(values, display, (size_t)size);
  put_int32(values, (int32)count_line());
  put_time(values, MyStartTimestamp);
  put_int32(values, MyProc != NULL ? STENO_VXID_BACKEND(MyProc) : -1);
  put_int32(values, MyProc != NULL ? (int32)STENO_VXID_LOCAL(MyProc) : 0);
  put_int32(values, leader != NULL && leader->pid != MyProcPid ? leader->pid : 0);
}

static void log_message(const ErrorData* edata) {
  const steno_level level = level_of(edata->elevel);
  const MessageSite* const own = edata->message_id != NULL ? steno_find_message_site(edata->message_id, level) : NULL;
  const char* const message = steno_redact_parameters ? edata->message_id : edata->message;
  const char* const internal_query = unless_redacted(edata->internalquery);
  char sqlstate[6] = "";
  const RecordSite* site;
  RecordValues values;
  values.number_bytes = 0;
  values.text_count = 0;
  for (int i = 0, code = edata->sqlerrcode; i < 5; ++i, code >>= 6) sqlstate[i] = PGUNSIXBIT(code);
  steno_update_identity();
  steno_begin_texts();
  put_text(&values, error_severity(edata->elevel));
  site = put_message(&values, message != NULL ? message : "", level, own);
  steno_put_text(&values, sqlstate, 5);
  put_int32(&values, (int32)GetTopTransactionIdIfAny());
  put_int64(&values, (int64)pgstat_get_my_query_id());
  put_text(&values, edata->filename);
  put_int32(&values, edata->lineno);
  put_text(&values, edata->funcname);
  if (own != NULL) {
    steno_put_text(&values, own->message_id, own->message_id_size);  // which is ASCII
  } else {
    put_text(&values, edata->message_id);
  }
  put_text(&values, unless_redacted(edata->detail_log != NULL ? edata->detail_log : edata->detail));
  put_text(&values, edata->hint);
  put_text(&values, edata->hide_ctx ? NULL : unless_redacted(edata->context));
  put_text(&values, internal_query);
  put_text(&values, check_log_of_query((ErrorData*)edata) ? unless_redacted(debug_query_string) : NULL);
  put_int32(&values, edata->cursorpos);
  put_int32(&values, internal_query != NULL ? edata->internalpos : 0);
  put_process(&values);
  steno_write_record(site, values.numbers, values.number_bytes, values.texts, values.text_count);
  // By FATAL the process ends, and then the scribe writes all of it: if it wrote a part before, however soon the end
  // came, it could not pack the session.
  if (edata->elevel >= ERROR && edata->elevel != FATAL) steno_write_soon();
}

static void emit_log(ErrorData* edata) {
  if (edata->elevel >= FATAL) steno_fatal_error = edata->sqlerrcode;
  if (steno_is_running && !is_inside) {
    const int saved = errno;
    is_inside = true;
    steno_write_unanalysed(edata);
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
