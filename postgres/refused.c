// Statements that fail where no hook is: while they are parsed, analysed or rewritten, or as their transaction has
// failed before. PostgreSQL says it where it writes the error to its log; there their records are made. Each has its
// own part of the client's message, in which the statements in front of it have been analysed.
#include "refused.h"

#include "client_message.h"
#include "elapsed.h"
#include "statement_source.h"
#include "transactions.h"

#include "access/xact.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"

// Returns whether it has been decided already that the statement of this error has a record, or that it has none.
static bool is_settled(const ErrorData* error) {
  const ClientStatement* const last = steno_last_statement();
  const bool has_begun = last->message == GetCurrentStatementStartTimestamp() && last->state == kBegun;
  if (error->elevel == FATAL) return has_begun || steno_innermost() != NULL;
  return has_begun || steno_nesting > 0 || steno_is_recorded() || steno_waits_for_transaction();
}

// The part of the message that the statement is; false: there is none.
static bool find_text(Execution* e, const ErrorData* error) {
  const char* const source = debug_query_string;
  const ClientStatement* const last = steno_last_statement();
  const bool is_known = last->message == GetCurrentStatementStartTimestamp() && last->source == source;
  int begin = 0;
  int end;
  if (is_known && last->state == kAnalysed) {
    e->query_id = (int64)last->query_id;
    begin = STENO_COMMENTS_ARE_LEFT_OUT ? steno_source_begin(source, last->begin) : last->begin;
    end = last->end >= 0 ? last->end : (int)strlen(source);
  } else {
    if (is_known) {
      if (last->end < 0) return false;  // it was the last one
      begin = last->end + (source[last->end] == ';');
    }
    end = steno_source_end(source, begin);
    while (source[end] == ';' && steno_is_blank(source + begin, end - begin)) {
      begin = end + 1;
      end = steno_source_end(source, begin);
    }
    // A string that cannot be parsed cannot be divided.
    if (!is_known && error->sqlerrcode == ERRCODE_SYNTAX_ERROR) end = (int)strlen(source);
  }
  e->source = source + begin;
  e->source_size = end - begin;
  return !steno_is_blank(e->source, e->source_size);
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// How many bytes of the text these words are, whatever its blanks and cases; 0: it does not begin with them.
static int match_words(const char* text, const char* end, const char* words) {
  const char* at = text;
  for (; *words != '\0'; ++words) {
    if (*words == ' ') {
      if (at == end || !is_blank(*at)) return 0;
      while (at < end && is_blank(*at)) ++at;
    } else if (at == end || pg_toupper((unsigned char)*at++) != (unsigned char)*words) {
      return 0;
    }
  }
  return at == end || is_blank(*at) || strchr("(;*'\"", *at) != NULL ? (int)(at - text) : 0;
}

#define PG_CMDTAG(tag, name, ...) name,
static const char* const kCommands[] = {
#include "tcop/cmdtaglist.h"
};
#undef PG_CMDTAG

// Returns the command as PostgreSQL's tags of commands say it, as far as it can be seen by the first words; "": it
// cannot.
static const char* command_of(const char* text, const char* end) {
  const char* found = "";
  int most = 0;
  text = steno_skip_blank(text, end);
  while (text < end && *text == '(') text = steno_skip_blank(text + 1, end);
  if (match_words(text, end, "VALUES") > 0 || match_words(text, end, "TABLE") > 0) return "SELECT";
  for (int i = 0; i < (int)lengthof(kCommands); ++i) {
    const int size = match_words(text, end, kCommands[i]);
    if (size <= most) continue;
    most = size;
    found = kCommands[i];
  }
  return found;
}

// The name that steno.log_statement has for it; what is not known may change data.
static LogStmtLevel level_of(const char* text, const char* end) {
  static const char* const kDefining[] = {"CREATE", "ALTER",   "DROP",     "GRANT",
                                          "REVOKE", "COMMENT", "SECURITY", "IMPORT"};
  static const char* const kChanging[] = {"INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "COPY", "WITH"};
  text = steno_skip_blank(text, end);
  for (int i = 0; i < (int)lengthof(kDefining); ++i) {
    if (match_words(text, end, kDefining[i]) > 0) return LOGSTMT_DDL;
  }
  for (int i = 0; i < (int)lengthof(kChanging); ++i) {
    if (match_words(text, end, kChanging[i]) > 0) return LOGSTMT_MOD;
  }
  return LOGSTMT_ALL;
}

void steno_write_unanalysed(const ErrorData* error) {
  Execution e;
  if ((error->elevel != ERROR && error->elevel != FATAL) || MyProcPort == NULL || debug_query_string == NULL) return;
  if (steno_log_statement == LOGSTMT_NONE || is_settled(error)) return;
  memset(&e, 0, sizeof e);
  if (!find_text(&e, error)) return;
  if (steno_log_statement < level_of(e.source, e.source + e.source_size)) return;
  if (steno_sample_rate < 1 && pg_prng_double(&pg_global_prng_state) >= steno_sample_rate) return;
  e.command = command_of(e.source, e.source + e.source_size);
  if (!steno_log_parameters || steno_redact_parameters) e.source_size = 0;  // there may be constants
  steno_settle(0);
  steno_begin_elapsed(&e);
  steno_measure(&e);
  steno_write_ended(&e, error->sqlerrcode);
}
