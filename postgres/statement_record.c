// The record of a statement. Each combination of types of parameters is a statement of its own to steno, with columns
// p1, p2 … of these types; they are made when they come, as formats are that come at run time.
#include "statement_record.h"

#include "parameter_types.h"
#include "record.h"

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "utils/memutils.h"

#define FORMAT                                                                                                  \
  "{command} {query_id}: {rows} rows in {duration} ns, planned in {planning} ns, SQLSTATE {sqlstate}, blocks: " \
  "shared {shared_hit} hit {shared_read} read {shared_dirtied} dirtied {shared_written} written, local "        \
  "{local_hit} hit {local_read} read {local_dirtied} dirtied {local_written} written, temp {temp_read} read "   \
  "{temp_written} written; WAL {wal_bytes} bytes, JIT {jit} ns, plan {plan_id}, xid {xid}, nesting {nesting}, " \
  "elapsed {elapsed} ns, parsing {parsing} ns, commit {commit} ns, parameters ("
#define FORMAT_END "{parameters}) {text}"
#define TYPES             \
  "SlmmmSjjjjjjjjjjmmljt" \
  "mmm"
enum { kMostSites = 64 };

typedef struct StatementSite {
  uint64 types;
  RecordSite record;
} StatementSite;

static StatementSite* sites[kMostSites];
static int site_count;
static int last_used;

// Letters, a NUL, and the meaning of each with a NUL after it (SiteEntry::types).
static char* make_types(uint64 types, bool* described) {
  StringInfoData out;
  StringInfoData meanings;
  initStringInfo(&out);
  initStringInfo(&meanings);
  appendStringInfoString(&out, TYPES);
  *described = false;
  for (size_t i = 0; i < sizeof TYPES - 1; ++i) appendStringInfoChar(&meanings, '\0');
  for (uint64 rest = types; rest != 0; rest >>= 8) {
    const unsigned char code = rest & 0xFF;
    if (steno_letter_of(code) == 0) continue;
    appendStringInfoChar(&out, steno_letter_of(code));
    if (steno_is_time(code)) appendStringInfoString(&meanings, "@us");
    appendStringInfoChar(&meanings, '\0');
    *described |= steno_is_time(code);
  }
  appendStringInfoString(&out, "SS");
  appendBinaryStringInfo(&meanings, "\0", 2);  // of these
  appendStringInfoChar(&out, '\0');
  appendBinaryStringInfo(&out, meanings.data, meanings.len);
  pfree(meanings.data);
  return out.data;
}

static char* make_format(uint64 types) {
  StringInfoData out;
  int number = 0;
  initStringInfo(&out);
  appendStringInfoString(&out, FORMAT);
  for (uint64 rest = types; rest != 0; rest >>= 8) {
    const unsigned char code = rest & 0xFF;
    const bool quoted = steno_letter_of(code) == 'S' || steno_is_time(code);
    if (number++ > 0) appendStringInfoString(&out, ", ");
    if (steno_letter_of(code) == 0) {
      appendStringInfoString(&out, "NULL");
    } else {
      appendStringInfo(&out, quoted ? "'{p%d}'" : "{p%d}", number);
    }
  }
  appendStringInfoString(&out, FORMAT_END);
  return out.data;
}

static StatementSite* make_site(uint64 types) {
  const MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
  StatementSite* const made = palloc0(sizeof *made);
  bool described;
  const char* const letters = make_types(types, &described);
  made->types = types;
  steno_register_site(&made->record, make_format(types), letters, described, __FILE__, "steno_write_statement",
                      __LINE__, STENO_LEVEL_INFO);
  MemoryContextSwitchTo(before);
  return made;
}

// NULL: none is there.
static StatementSite* find_site(uint64 types) {
  if (sites[last_used] != NULL && sites[last_used]->types == types) return sites[last_used];
  for (int i = 0; i < site_count; ++i) {
    if (sites[i]->types != types) continue;
    last_used = i;
    return sites[i];
  }
  return NULL;
}

bool steno_has_columns_for(uint64 types) {
  if (find_site(types) != NULL) return true;
  if (site_count == kMostSites) return false;
  sites[site_count] = make_site(types);
  ++site_count;
  return true;
}

void steno_prepare_statement_record(void) {
  (void)steno_has_columns_for(0);
}

// The numbers of a record, and lengths of its texts: what all statements have (TYPES), then parameters, then two texts.
typedef struct pg_attribute_packed() Numbers {
  uint32 command_size;
  int64 query_id;
  uint64 rows;
  uint64 duration;
  uint64 planning;
  uint32 sqlstate_size;
  uint32 blocks[kBlockCounts];
  uint64 wal_bytes;
  uint64 jit;
  int64 plan_id;
  uint32 xid;
  uint16 nesting;
  uint64 elapsed;
  uint64 parsing;
  uint64 commit;
  char more[8 * kTypedParameters + 8];
}
Numbers;

enum { kMostTexts = kTypedParameters + 4 };

// A count of blocks.
static uint32 short_of(int64 blocks) {
  return (uint32)Min(blocks, (int64)PG_UINT32_MAX);
}

// A record in the making.
typedef struct StatementRecord {
  const StatementSite* site;
  size_t bytes;  // of `n`
  int text_count;
  char sqlstate[6];
  Numbers n;
  struct steno_detail_bytes texts[kMostTexts];
} StatementRecord;

static void put_error(StatementRecord* record, int error) {
  strcpy(record->sqlstate, "00000");
  for (int i = 0; error != 0 && i < 5; ++i, error >>= 6) record->sqlstate[i] = PGUNSIXBIT(error);
}

static void put_text(StatementRecord* record, const char* data, size_t size) {
  record->texts[record->text_count++] = (struct steno_detail_bytes){data, size};
}

// False: no statement of steno's has these parameters.
static bool make_record(StatementRecord* record, const Execution* e) {
  const Parameters* const parameters = e->parameters;
  const char* const others = parameters != NULL ? parameters->others : "";
  uint32 sizes[2];
  struct steno_text source;
  Numbers n;
  record->site = find_site(parameters != NULL ? parameters->types : 0);
  if (record->site == NULL) return false;
  record->text_count = 0;
  record->bytes = offsetof(Numbers, more);
  put_text(record, e->command, strlen(e->command));
  put_text(record, record->sqlstate, 5);
  n.command_size = (uint32)record->texts[0].size;
  n.query_id = e->query_id;
  n.rows = e->rows;
  n.duration = e->duration_ns;
  n.planning = e->planning_ns;
  n.sqlstate_size = 5;
  for (int i = 0; i < kBlockCounts; ++i) n.blocks[i] = short_of(e->blocks[i]);
  n.wal_bytes = e->wal_bytes;
  n.jit = e->jit_ns;
  n.plan_id = e->plan_id;
  n.xid = GetTopTransactionIdIfAny();
  n.nesting = (uint16)e->nesting;
  n.elapsed = e->elapsed_ns;
  n.parsing = e->parsing_ns;
  n.commit = 0;
  if (parameters != NULL) {
    memcpy(n.more, parameters->numbers, (size_t)parameters->number_bytes);
    record->bytes += (size_t)parameters->number_bytes;
    memcpy(record->texts + record->text_count, parameters->texts,
           (size_t)parameters->text_count * sizeof *record->texts);
    record->text_count += parameters->text_count;
  }
  put_text(record, others, strlen(others));
  steno_begin_texts();
  source = steno_utf8(e->source != NULL ? e->source : "", (size_t)e->source_size);
  put_text(record, source.data, source.size);
  sizes[0] = (uint32)record->texts[record->text_count - 2].size;
  sizes[1] = (uint32)record->texts[record->text_count - 1].size;
  memcpy((char*)&n + record->bytes, sizes, sizeof sizes);
  record->bytes += sizeof sizes;
  memcpy(&record->n, &n, record->bytes);
  return true;
}

static void write_record(StatementRecord* record, int error) {
  put_error(record, error);
  steno_write_record(&record->site->record, (const char*)&record->n, record->bytes, record->texts, record->text_count);
}

void steno_write_statement(const Execution* e, int error) {
  StatementRecord record;
  steno_update_identity();
  if (make_record(&record, e)) write_record(&record, error);
}

static StatementRecord kept;

// The texts of `kept` after the error lie where nothing may be any more when it is written.
static bool copy_texts(void) {
  static char* room;
  static size_t room_size;
  size_t size = 0;
  char* to;
  for (int i = 2; i < kept.text_count; ++i) size += kept.texts[i].size;
  if (size > room_size) {
    char* const more = realloc(room, 2 * size);
    if (more == NULL) return false;
    room = more;
    room_size = 2 * size;
  }
  to = room;
  for (int i = 2; i < kept.text_count; ++i) {
    if (kept.texts[i].size == 0) continue;
    memcpy(to, kept.texts[i].data, kept.texts[i].size);
    kept.texts[i].data = to;
    to += kept.texts[i].size;
  }
  return true;
}

bool steno_keep_statement(const Execution* e) {
  return make_record(&kept, e) && copy_texts();
}

void steno_write_kept_statement(int error, uint64 commit_ns) {
  steno_update_identity();
  kept.n.elapsed += commit_ns;
  kept.n.commit = commit_ns;
  write_record(&kept, error);
}
