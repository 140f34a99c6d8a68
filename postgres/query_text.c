// Texts of statements: logged once in a while for each query id, without their constants.
#include "client_message.h"
#include "elapsed.h"
#include "statement_source.h"

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "parser/analyze.h"
#include "parser/scanner.h"
#include "port/atomics.h"
#include "storage/shmem.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/timestamp.h"
#include STENO_QUERY_ID_HEADER

enum { kTexts = 1 << 14, kProbes = 4 };
// Files are removed, and not all readers have the first one.
static const uint64 kSayAgain = 3600 * UINT64CONST(1000000);

// A query, or plan, whose text is in the log. `state`: when that was, in microseconds, and in the lowest bit whether it
// has constants; 0: not yet. Backends race for entries: what they lose is that a text is logged once more.
typedef struct Text {
  pg_atomic_uint64 query_id;
  pg_atomic_uint64 state;
} Text;

typedef struct Texts {
  pg_atomic_uint64 file_since;  // since when the log has been in its file: what was logged before may be in another
  Text texts[kTexts];
} Texts;

static Texts* shared;
static Text* texts;

Size steno_texts_size(void) {
  return sizeof(Texts);
}

void steno_attach_texts(void) {
  bool found;
  shared = ShmemInitStruct("steno texts", steno_texts_size(), &found);
  texts = shared->texts;
  if (found) return;
  pg_atomic_init_u64(&shared->file_since, 0);
  for (int i = 0; i < kTexts; ++i) {
    pg_atomic_init_u64(&texts[i].query_id, 0);
    pg_atomic_init_u64(&texts[i].state, 0);
  }
}

// The state of this query's entry, 0 if it has none.
static uint64 look_up(uint64 query_id) {
  for (int i = 0; i < kProbes; ++i) {
    Text* const text = &texts[(query_id + i) % kTexts];
    if (pg_atomic_read_u64(&text->query_id) == query_id) {
      const uint64 state = pg_atomic_read_u64(&text->state);
      pg_read_barrier();
      return pg_atomic_read_u64(&text->query_id) == query_id ? state : 0;
    }
  }
  return 0;
}

static void remember(uint64 query_id, uint64 state) {
  Text* chosen = &texts[query_id % kTexts];
  for (int i = 0; i < kProbes; ++i) {
    Text* const text = &texts[(query_id + i) % kTexts];
    if (pg_atomic_read_u64(&text->query_id) == query_id) {
      chosen = text;
      break;
    }
    if (pg_atomic_read_u64(&text->state) < pg_atomic_read_u64(&chosen->state)) chosen = text;  // the oldest
  }
  pg_atomic_write_u64(&chosen->state, 0);
  pg_write_barrier();
  pg_atomic_write_u64(&chosen->query_id, query_id);
  pg_write_barrier();
  pg_atomic_write_u64(&chosen->state, state);
}

static uint64 statement_time(void) {
  return (uint64)GetCurrentStatementStartTimestamp();
}

static bool is_recent(uint64 state, uint64 now) {
  return state != 0 && (state >> 1) + kSayAgain >= now && state >> 1 > pg_atomic_read_u64(&shared->file_since);
}

void steno_log_texts_again(void) {
  pg_atomic_write_u64(&shared->file_since, (uint64)GetCurrentTimestamp());
}

bool steno_is_logged_lately(uint64 id) {
  const uint64 now = statement_time();
  if (is_recent(look_up(id), now)) return true;
  remember(id, now << 1);
  return false;
}

// The codes that scanner.h promises.
enum { kFirstConstant = 260, kLastStringConstant = 264, kIntegerConstant = 266, kParameter = 267 };

static bool is_constant(int token) {
  return (token >= kFirstConstant && token <= kLastStringConstant) || token == kIntegerConstant;
}

// Where PostgreSQL has found constants, of a command also names that it takes for such: offsets in its text.
typedef struct Constants {
  const LocationLen* at;
  int count;
  int begin;  // of the text, in what they are offsets of
} Constants;

static bool is_among(const Constants* constants, int at, int token) {
  for (int i = 0; i < constants->count; ++i) {
    if (constants->at[i].location == constants->begin + at) return token != '-';  // the number after it is one
  }
  return false;
}

// Appends `text` with $n for each of its constants, n beyond those of its parameters. Returns how many there are.
static int append_without_constants(StringInfo out, char* text, const Constants* known) {
  core_yy_extra_type extra;
  core_YYSTYPE value;
  YYLTYPE at;
  int token;
  int constants = 0;
  int last_parameter = 0;
  int done = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const core_yyscan_t scanner = scanner_init(text, &extra, &ScanKeywords, ScanKeywordTokens);
    STENO_SILENCE_SCANNER(&extra);
    while ((token = core_yylex(&value, &at, scanner)) != 0) {
      if (token == kParameter) last_parameter = Max(last_parameter, value.ival);
      if (pass == 0 || !(is_constant(token) || is_among(known, at, token))) continue;
      appendBinaryStringInfo(out, text + done, at - done);
      appendStringInfo(out, "$%d", last_parameter + ++constants);
      done = at + (int)strlen(extra.scanbuf + at);  // the scanner has put a NUL after the token
    }
    scanner_finish(scanner);
  }
  appendStringInfoString(out, text + done);
  return constants;
}

// `known` NULL: the text as it is. Returns whether the text has constants that have been left out.
static bool log_text(uint64 query_id, const char* source, int length, const Constants* known) {
  char* const copy = pnstrdup(source, length > 0 ? (size_t)length : strlen(source));
  StringInfoData text;
  int constants = 0;
  initStringInfo(&text);
  if (known == NULL) {
    appendStringInfoString(&text, copy);
  } else {
    constants = append_without_constants(&text, copy, known);
  }
  steno_update_identity();
  steno_begin_texts();
  STENO_INFO("query {query_id}: {query}", (int64)query_id, steno_utf8(text.data, (size_t)text.len));
  pfree(text.data);
  pfree(copy);
  return constants != 0;
}

bool steno_log_text(int64 query_id, const char* source, int location, int length, bool is_utility) {
  static const Constants kNoneKnown;
  const uint64 now = statement_time();
  uint64 state = look_up((uint64)query_id);
  if (!is_recent(state, now)) {
    // The details that only commands have (lengths of types, file names) are part of what they are, unless their id
    // ignores them.
    const bool ignores_constants = (state & 1) != 0;
    const bool as_it_is = is_utility && !steno_redact_parameters && !ignores_constants;
    const bool has_constants =
        log_text((uint64)query_id, source + location, length, as_it_is ? NULL : &kNoneKnown) || ignores_constants;
    state = now << 1 | has_constants;
    remember((uint64)query_id, state);
  }
  return (state & 1) != 0;
}

// 0: PostgreSQL computes none.
static uint64 compute_id(Query* query, const char* source) {
  JumbleState* jumble;
  if (!IsQueryIdEnabled()) return 0;
  jumble = STENO_JUMBLE_QUERY(query, source);
  if (jumble != NULL) {
    pfree(jumble->clocations);
    pfree(jumble->jumble);
    pfree(jumble);
  }
  return (uint64)query->queryId;
}

uint64 steno_compute_command_id(Node* command, const char* source, int location, int length) {
  Query query;
  memset(&query, 0, sizeof query);
  query.type = T_Query;
  query.commandType = CMD_UTILITY;
  query.utilityStmt = command;
  query.stmt_location = location;
  query.stmt_len = length;
  return compute_id(&query, source);
}

uint64 steno_compute_inner_id(Node* command, const char* source) {
  const Node* inner = NULL;
  Query copy;
  if (STENO_INNER_QUERIES_HAVE_IDS) return 0;
  if (IsA(command, DeclareCursorStmt)) inner = ((DeclareCursorStmt*)command)->query;
  if (IsA(command, CreateTableAsStmt)) inner = ((CreateTableAsStmt*)command)->query;
  if (inner == NULL || !IsA(inner, Query)) return 0;
  copy = *(const Query*)inner;  // pg_stat_statements is to find none in it
  if (copy.commandType == CMD_UTILITY || copy.queryId != 0) return 0;
  return compute_id(&copy, source);
}

static post_parse_analyze_hook_type next_analysis;

// Returns whether the analysis looks at tables, and may wait for their locks: that of a command does only if it has a
// query.
static bool takes_time(const Query* query) {
  const Node* const command = query->utilityStmt;
  return command == NULL || IsA(command, ExplainStmt) || IsA(command, CreateTableAsStmt) ||
         IsA(command, DeclareCursorStmt) || IsA(command, CallStmt);
}

// A command has been analysed. From 17 on the ids of some (CALL, SAVEPOINT, …) do not depend on constants and names:
// only now is known which, for PostgreSQL forgets it.
static void analysed(ParseState* state, Query* query, STENO_JUMBLE* jumble) {
  uint64 now;
  uint64 query_id;
  Constants constants;
  int begin;
  int length;
  if (next_analysis != NULL) next_analysis(state, query, jumble);
  if (steno_nesting == 0) {
    if (takes_time(query)) steno_note_analysis((uint64)query->queryId);
    steno_note_analysed(state->p_sourcetext, query->stmt_location, query->stmt_len, (uint64)query->queryId);
  }
  if (query->utilityStmt == NULL || jumble == NULL || jumble->clocations_count == 0) return;
  if (!steno_is_running || steno_log_statement == LOGSTMT_NONE || (steno_nesting > 0 && !steno_log_nested)) return;
  if (steno_log_statement != LOGSTMT_ALL &&
      GetCommandLogLevel(query->utilityStmt) > (LogStmtLevel)steno_log_statement) {
    return;
  }
  query_id = (uint64)query->queryId;
  if (query_id == 0) {
    query_id = steno_compute_command_id(query->utilityStmt, state->p_sourcetext, query->stmt_location, query->stmt_len);
  }
  now = statement_time();
  if (query_id == 0 || is_recent(look_up(query_id), now)) return;
  begin = Max(query->stmt_location, 0);
  length = query->stmt_len;
  if (STENO_COMMENTS_ARE_LEFT_OUT && begin > 0) {
    const int first_word = begin;
    begin = steno_source_begin(state->p_sourcetext, first_word);
    if (length > 0) length += first_word - begin;
  }
  constants.at = jumble->clocations;
  constants.count = jumble->clocations_count;
  constants.begin = begin;
  (void)log_text(query_id, state->p_sourcetext + begin, length, &constants);
  remember(query_id, now << 1 | 1);
}

void steno_follow_analysis(void) {
  next_analysis = post_parse_analyze_hook;
  post_parse_analyze_hook = analysed;
}
