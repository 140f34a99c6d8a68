// The server's messages: what it would write to its log becomes a record.
#include "message_format.h"
#include "record.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"

int steno_fatal_error = 0;

static emit_log_hook_type next_emit_log;
static bool is_inside;

// A message may hold what a parameter did; its format cannot.
static const char* unless_redacted(const char* text) {
  return !steno_redact_parameters ? text : NULL;
}

// What each record has besides the message, before and after it.
#define FORMAT "{error_severity}: "
#define FORMAT_END                                                                                      \
  " (SQLSTATE {sqlstate}, xid {xid}, query {query_id}, {source_file}:{source_line} {source_function}, " \
  "{message_id}) {detail} {hint} {where} {internal_query} {statement} {cursor}"
#define TYPES_END "SjlSiSSSSSSSi"
enum { kMostSites = 256, kLevels = STENO_LEVEL_CRITICAL + 1, kLongestFormat = 2000 };
// Formats that have been guessed from texts, at most: those of which a second text has come.
enum { kMostGuessed = 64, kLongestGuessed = 500, kCandidates = 256 };

// A format of messages, at one level, and its statement. Without values it is that of messages as text.
typedef struct MessageSite {
  const char* message_id;  // NULL: of none
  uint64 hash;
  steno_level level;
  bool is_text;  // its format cannot be one of a statement
  MessageFormat format;
  RecordSite record;
} MessageSite;

static MessageSite* sites[2 * kMostSites];  // by hash, linear probing
static int site_count;
static RecordSite text_sites[kLevels];

static steno_level level_of(int elevel) {
  if (elevel <= DEBUG2) return STENO_LEVEL_TRACE;
  if (elevel <= DEBUG1) return STENO_LEVEL_DEBUG;
  if (elevel <= INFO) return STENO_LEVEL_INFO;
  if (elevel <= NOTICE) return STENO_LEVEL_NOTICE;
  if (elevel <= WARNING_CLIENT_ONLY) return STENO_LEVEL_WARN;
  return elevel <= ERROR ? STENO_LEVEL_ERROR : STENO_LEVEL_CRITICAL;
}

static void register_site(RecordSite* site, const char* format, const char* types, steno_level level) {
  steno_register_site(site, format, types, false, __FILE__, "log_message", __LINE__, level);
}

static const RecordSite* text_site(steno_level level) {
  RecordSite* const site = &text_sites[level];
  if (site->state.word == 0) register_site(site, FORMAT "{primary_message}" FORMAT_END, "SS" TYPES_END, level);
  return site;
}

// Of its own memory; `is_text` where there is none.
static void describe(MessageSite* made) {
  size_t most;
  char* text;
  char* end;
  made->is_text = true;
  if (!steno_parse_message_format(made->message_id, &made->format)) return;
  most = sizeof FORMAT FORMAT_END TYPES_END + 2 * strlen(made->message_id) + 18 * kMessageValues;
  text = most <= kLongestFormat ? malloc(most) : NULL;
  if (text == NULL) {
    free(made->format.literals);
    return;
  }
  end = stpcpy(text, FORMAT);
  end += steno_print_message_format(&made->format, end);
  end = stpcpy(end, FORMAT_END) + 1;
  {
    char* const types = end;
    *end++ = 'S';
    for (int i = 0; i < made->format.values; ++i) *end++ = steno_message_letter(&made->format.pieces[i]);
    strcpy(end, TYPES_END);
    register_site(&made->record, text, types, made->level);
  }
  made->is_text = false;
}

static uint64 hash_of(const char* format, steno_level level) {
  return hash_bytes_extended((const unsigned char*)format, (int)strlen(format), level);
}

// Where the entry of this format is, or would be.
static MessageSite** place_of(const char* format, steno_level level, uint64 hash) {
  size_t at = hash % lengthof(sites);
  for (; sites[at] != NULL; at = (at + 1) % lengthof(sites)) {
    if (sites[at]->hash == hash && sites[at]->level == level && strcmp(sites[at]->message_id, format) == 0) break;
  }
  return &sites[at];
}

// NULL: there is no room.
static MessageSite* make_site(const char* format, steno_level level, uint64 hash) {
  MessageSite* made;
  if (site_count == kMostSites) return NULL;
  made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->message_id = strdup(format);
  if (made->message_id == NULL) {
    free(made);
    return NULL;
  }
  made->hash = hash;
  made->level = level;
  describe(made);
  ++site_count;
  return made;
}

// The entry of this format; NULL: there is no room.
static const MessageSite* look_up(const char* message_id, steno_level level) {
  const uint64 hash = hash_of(message_id, level);
  MessageSite** const place = place_of(message_id, level, hash);
  if (*place == NULL) *place = make_site(message_id, level, hash);
  return *place;
}

// The entry of the format that a text seems to have; NULL: it has none, or this is the first text of it.
static const MessageSite* guess(const char* text, steno_level level) {
  static uint64 candidates[kCandidates];
  static int guessed;
  char format[kLongestGuessed];
  uint64 hash;
  uint64* candidate;
  MessageSite** place;
  if (!steno_guess_message_format(text, format, sizeof format)) return NULL;
  hash = hash_of(format, level);
  place = place_of(format, level, hash);
  if (*place != NULL) return *place;
  candidate = &candidates[hash % kCandidates];
  if (*candidate == hash && guessed < kMostGuessed) {
    *place = make_site(format, level, hash);
    ++guessed;
    return *place;
  }
  *candidate = hash;
  return NULL;
}

// As look_up(), faster for formats that have come lately.
static const MessageSite* find_site(const char* message_id, steno_level level) {
  static const MessageSite* lately[16];  // by where the format lies, which need not stay the same
  const MessageSite** const known = &lately[((uintptr_t)message_id >> 3) % lengthof(lately)];
  if (*known == NULL || (*known)->level != level || strcmp((*known)->message_id, message_id) != 0) {
    *known = look_up(message_id, level);
  }
  return *known;
}

static void put_text(RecordValues* values, const char* text) {
  if (text == NULL || *text == '\0') {
    steno_put_text(values, "", 0);
  } else {
    const struct steno_text utf8 = steno_utf8(text, strlen(text));
    steno_put_text(values, utf8.data, utf8.size);
  }
}

static void put_int32(RecordValues* values, int32 number) {
  steno_put_number(values, &number, sizeof number);
}

static void put_int64(RecordValues* values, int64 number) {
  steno_put_number(values, &number, sizeof number);
}

static bool is_of(const MessageSite* site, const char* message, MessageValue* found) {
  if (site == NULL || site->is_text) return false;
  return steno_match_message(&site->format, message, strlen(message), found);
}

// The values of the message, where it is of its format or seems to be of one; else itself. Returns the record's
// statement.
static const RecordSite* put_message(RecordValues* values, const ErrorData* edata, const char* message) {
  const steno_level level = level_of(edata->elevel);
  const MessageSite* site =
      edata->message_id != NULL && !steno_redact_parameters ? find_site(edata->message_id, level) : NULL;
  MessageValue found[kMessageValues];
  if (!is_of(site, message, found)) {
    site = !steno_redact_parameters ? guess(message, level) : NULL;
    if (!is_of(site, message, found)) {
      put_text(values, message);
      return text_site(level);
    }
  }
  for (int i = 0; i < site->format.values; ++i) {
    const MessagePiece* const piece = &site->format.pieces[i];
    if (piece->kind == kMessageText) {
      const struct steno_text utf8 = steno_utf8(found[i].text.data, found[i].text.size);
      steno_put_text(values, utf8.data, utf8.size);
    } else if (piece->kind == kMessageDecimal || piece->is_wide) {
      put_int64(values, found[i].number);  // a double's bytes
    } else {
      put_int32(values, (int32)found[i].number);
    }
  }
  return &site->record;
}

static void log_message(const ErrorData* edata) {
  char sqlstate[6] = "";
  const char* const message = steno_redact_parameters ? edata->message_id : edata->message;
  const RecordSite* site;
  RecordValues values;
  values.number_bytes = 0;
  values.text_count = 0;
  for (int i = 0, code = edata->sqlerrcode; i < 5; ++i, code >>= 6) sqlstate[i] = PGUNSIXBIT(code);
  steno_update_identity();
  steno_begin_texts();
  put_text(&values, error_severity(edata->elevel));
  site = put_message(&values, edata, message != NULL ? message : "");
  put_text(&values, sqlstate);
  put_int32(&values, (int32)GetTopTransactionIdIfAny());
  put_int64(&values, (int64)pgstat_get_my_query_id());
  put_text(&values, edata->filename);
  put_int32(&values, edata->lineno);
  put_text(&values, edata->funcname);
  put_text(&values, edata->message_id);
  put_text(&values, unless_redacted(edata->detail_log != NULL ? edata->detail_log : edata->detail));
  put_text(&values, edata->hint);
  put_text(&values, edata->hide_ctx ? NULL : unless_redacted(edata->context));
  put_text(&values, unless_redacted(edata->internalquery));
  put_text(&values, check_log_of_query((ErrorData*)edata) ? unless_redacted(debug_query_string) : NULL);
  put_int32(&values, edata->cursorpos);
  steno_write_record(site, values.numbers, values.number_bytes, values.texts, values.text_count);
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
