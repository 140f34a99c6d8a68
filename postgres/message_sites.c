#include "message_sites.h"

#include "common/hashfn.h"

// The values of each record besides the message, before and after it.
#define FORMAT "{error_severity}: "
#define FORMAT_END                                                                                        \
  " (SQLSTATE {sqlstate}, xid {xid}, query {query_id}, {source_file}:{source_line} {source_function}, "   \
  "{message_id}) {detail} {hint} {where} {internal_query} {statement} {cursor} {internal_position} {ps} " \
  "line {line_num} since {session_start}, vxid {vxid_backend}/{vxid_local}, leader {leader_pid}"
#define TYPES_TO_START "SjlSiSSSSSSSiiSj"
#define TYPES_FROM_START "liji"
enum { kTypesEnd = sizeof TYPES_TO_START TYPES_FROM_START - 1 };
// Types, and a NUL after them; a NUL for each that has no meaning.
enum { kMostTypes = 2 * (1 + kMessageValues + kTypesEnd) + sizeof "@us" };
enum { kMostSites = 256, kLevels = STENO_LEVEL_CRITICAL + 1, kLongestFormat = 2000 };
// Formats that have been guessed from texts, at most: those of which a second text has come.
enum { kMostGuessed = 64, kLongestGuessed = 500, kCandidates = 256 };

static MessageSite* sites[2 * kMostSites];  // by hash, linear probing
static int site_count;

// `format`, with room for the types after it, is ended by a NUL. `letters`: those of the message.
static void register_site(RecordSite* site, char* format, const char* letters, steno_level level) {
  char* const types = format + strlen(format) + 1;
  char* end = types;
  end = stpcpy(end, "S");
  end = stpcpy(end, letters);
  end = stpcpy(end, TYPES_TO_START TYPES_FROM_START) + 1;
  // Meanings (SiteEntry::types): session_start is a time.
  memset(end, 0, kMostTypes - (size_t)(end - types));
  strcpy(end + 1 + strlen(letters) + strlen(TYPES_TO_START), "@us");
  steno_register_site(site, format, types, true, "server_log.c", "log_message", 0, level);  // which writes them
}

const RecordSite* steno_text_message_site(steno_level level) {
  static RecordSite text_sites[kLevels];
  static char texts[kLevels][sizeof FORMAT "{primary_message}" FORMAT_END + kMostTypes];
  RecordSite* const site = &text_sites[level];
  if (site->state.word == 0) {
    strcpy(texts[level], FORMAT "{primary_message}" FORMAT_END);
    register_site(site, texts[level], "S", level);
  }
  return site;
}

// Makes a site in memory of its own; `is_text` where there is no format.
static void describe(MessageSite* made) {
  char letters[kMessageValues + 1] = "";
  size_t most;
  char* text;
  char* end;
  made->is_text = true;
  if (!steno_parse_message_format(made->message_id, &made->format)) return;
  most = sizeof FORMAT FORMAT_END + 2 * made->message_id_size + 18 * kMessageValues;
  text = most <= kLongestFormat ? malloc(most + kMostTypes) : NULL;
  if (text == NULL) {
    free(made->format.literals);
    return;
  }
  end = stpcpy(text, FORMAT);
  end += steno_print_message_format(&made->format, end);
  strcpy(end, FORMAT_END);
  for (int i = 0; i < made->format.values; ++i) letters[i] = steno_message_letter(&made->format.pieces[i]);
  register_site(&made->record, text, letters, made->level);
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
  made->message_id_size = strlen(format);
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

const MessageSite* steno_find_message_site(const char* message_id, steno_level level) {
  static const MessageSite* lately[16];  // by where the format lies, which need not stay the same
  const MessageSite** const known = &lately[((uintptr_t)message_id >> 3) % lengthof(lately)];
  if (*known == NULL || (*known)->level != level || strcmp((*known)->message_id, message_id) != 0) {
    *known = look_up(message_id, level);
  }
  return *known == NULL || (*known)->is_text ? NULL : *known;
}

const MessageSite* steno_guess_message_site(const char* text, steno_level level) {
  static uint64 candidates[kCandidates];
  static int guessed;
  char format[kLongestGuessed];
  uint64 hash;
  uint64* candidate;
  MessageSite** place;
  if (!steno_guess_message_format(text, format, sizeof format)) return NULL;
  hash = hash_of(format, level);
  place = place_of(format, level, hash);
  candidate = &candidates[hash % kCandidates];
  if (*place == NULL && *candidate == hash && guessed < kMostGuessed) {
    *place = make_site(format, level, hash);
    ++guessed;
  }
  *candidate = hash;
  return *place == NULL || (*place)->is_text ? NULL : *place;
}
