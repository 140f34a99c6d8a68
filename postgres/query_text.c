// Texts of statements: logged once in a while for each query id, without their constants.
#include "steno_pg.h"

#include <steno/c.h>

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "parser/scanner.h"
#include "port/atomics.h"
#include "storage/shmem.h"

enum { kTexts = 1 << 14, kProbes = 4 };
// The log may have gone on in a new file, and the old one be removed.
static const uint64 kSayAgainSeconds = 3600;

// A query, or plan, whose text is in the log. `state`: the second when that was, and in the lowest bit whether it has
// constants; 0: not yet. Backends race for entries: what they lose is that a text is logged once more.
typedef struct Text {
  pg_atomic_uint64 query_id;
  pg_atomic_uint64 state;
} Text;

static Text* texts;

Size steno_texts_size(void) {
  return kTexts * sizeof(Text);
}

void steno_attach_texts(void) {
  bool found;
  texts = ShmemInitStruct("steno texts", steno_texts_size(), &found);
  if (found) return;
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

static uint64 seconds_now(void) {
  return (uint64)(GetCurrentStatementStartTimestamp() / USECS_PER_SEC);
}

static bool is_recent(uint64 state, uint64 now) {
  return state != 0 && (state >> 1) + kSayAgainSeconds >= now;
}

bool steno_is_logged_lately(uint64 id) {
  const uint64 now = seconds_now();
  if (is_recent(look_up(id), now)) return true;
  remember(id, now << 1);
  return false;
}

// The codes that scanner.h promises.
enum { kFirstConstant = 260, kLastStringConstant = 264, kIntegerConstant = 266, kParameter = 267 };

static bool is_constant(int token) {
  return (token >= kFirstConstant && token <= kLastStringConstant) || token == kIntegerConstant;
}

// Appends `text` with $n for each of its constants, n beyond those of its parameters. Returns how many there are.
static int append_without_constants(StringInfo out, char* text) {
  core_yy_extra_type extra;
  core_YYSTYPE value;
  YYLTYPE at;
  int token;
  int constants = 0;
  int last_parameter = 0;
  int done = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const core_yyscan_t scanner = scanner_init(text, &extra, &ScanKeywords, ScanKeywordTokens);
    extra.escape_string_warning = false;
    while ((token = core_yylex(&value, &at, scanner)) != 0) {
      if (token == kParameter) last_parameter = Max(last_parameter, value.ival);
      if (pass == 0 || !is_constant(token)) continue;
      appendBinaryStringInfo(out, text + done, at - done);
      appendStringInfo(out, "$%d", last_parameter + ++constants);
      done = at + (int)strlen(extra.scanbuf + at);  // the scanner has put a NUL after the token
    }
    scanner_finish(scanner);
  }
  appendStringInfoString(out, text + done);
  return constants;
}

bool steno_log_text(int64 query_id, const char* source, int location, int length, bool is_utility) {
  const uint64 now = seconds_now();
  uint64 state = look_up((uint64)query_id);
  if (!is_recent(state, now)) {
    StringInfoData text;
    char* copy;
    int constants = 0;
    source += location;
    copy = pnstrdup(source, length > 0 ? (size_t)length : strlen(source));
    initStringInfo(&text);
    // What only commands have (lengths of types, file names) is part of what they are.
    if (is_utility && !steno_redact_parameters) {
      appendStringInfoString(&text, copy);
    } else {
      constants = append_without_constants(&text, copy);
    }
    steno_update_identity();
    steno_begin_texts();
    STENO_INFO("query {query_id}: {query}", query_id, steno_utf8(text.data, (size_t)text.len));
    state = now << 1 | (constants != 0);
    remember((uint64)query_id, state);
    pfree(text.data);
    pfree(copy);
  }
  return (state & 1) != 0;
}
