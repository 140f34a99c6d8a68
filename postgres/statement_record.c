// The record of a statement. Each combination of types of parameters is a statement of its own to steno, with columns
// p1, p2 … of these types; they are made when they come, as formats are that come at run time.
#include "statement.h"

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "utils/memutils.h"

#define FORMAT                                                                                                  \
  "{command} {query_id}: {rows} rows in {duration} ns, planned in {planning} ns, SQLSTATE {sqlstate}, blocks: " \
  "shared {shared_hit} hit {shared_read} read {shared_dirtied} dirtied {shared_written} written, local "        \
  "{local_hit} hit {local_read} read {local_dirtied} dirtied {local_written} written, temp {temp_read} read "   \
  "{temp_written} written; WAL {wal_bytes} bytes, JIT {jit} ns, xid {xid}, nesting {nesting}, parameters ("
#define FORMAT_END "{parameters}) {text}"
#define TYPES "SlmmmSjjjjjjjjjjmmjt"
enum { kMostSites = 64, kMostValues = 20 + kTypedParameters + 2 };

// Never freed. Those that the postmaster made are its children's, too.
typedef struct StatementSite {
  uint64 types;
  struct steno_detail_state state;
  struct steno_detail_site site;
} StatementSite;

static StatementSite* sites[kMostSites];
static int site_count;
static int last_used;
static const char this_library;

// Letters, a NUL, and the meaning of each with a NUL behind it (SiteEntry::types).
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
  const struct steno_detail_site* const listed = &made->site;
  made->types = types;
  made->site.state = &made->state;
  made->site.library = &this_library;
  made->site.format = make_format(types);
  made->site.file = __FILE__;
  made->site.function = "steno_write_statement";
  made->site.line = __LINE__;
  made->site.level = STENO_LEVEL_INFO;
  made->site.types = make_types(types, &made->site.described);
  MemoryContextSwitchTo(before);
  steno_detail_register(&listed, &listed + 1);
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

static struct steno_detail_value* put_text(struct steno_detail_value* value, const char* text, size_t size) {
  value->of.string.data = text;
  value->of.string.size = size;
  return value + 1;
}

static struct steno_detail_value* put_number(struct steno_detail_value* value, uint64 number) {
  memcpy(value->of.number, &number, sizeof number);  // narrower types have its first bytes
  return value + 1;
}

// A count of blocks.
static struct steno_detail_value* put_blocks(struct steno_detail_value* value, int64 blocks) {
  return put_number(value, (uint64)Min(blocks, (int64)PG_UINT32_MAX));
}

void steno_write_statement(const Execution* e, int error) {
  struct steno_detail_value values[kMostValues + 1];  // one more than there are: c_statement.h
  struct steno_detail_value* v = values;
  const Parameters* const parameters = e->parameters;
  const StatementSite* const site = find_site(parameters != NULL ? parameters->types : 0);
  const BufferUsage* const b = &e->buffers;
  char sqlstate[6] = "00000";
  if (site == NULL) return;
  if (error != 0) {
    for (int i = 0, code = error; i < 5; ++i, code >>= 6) sqlstate[i] = PGUNSIXBIT(code);
  }
  v = put_text(v, e->command, strlen(e->command));
  v = put_number(v, (uint64)e->query_id);
  v = put_number(v, e->rows);
  v = put_number(v, e->duration_ns);
  v = put_number(v, e->planning_ns);
  v = put_text(v, sqlstate, 5);
  v = put_blocks(v, b->shared_blks_hit);
  v = put_blocks(v, b->shared_blks_read);
  v = put_blocks(v, b->shared_blks_dirtied);
  v = put_blocks(v, b->shared_blks_written);
  v = put_blocks(v, b->local_blks_hit);
  v = put_blocks(v, b->local_blks_read);
  v = put_blocks(v, b->local_blks_dirtied);
  v = put_blocks(v, b->local_blks_written);
  v = put_blocks(v, b->temp_blks_read);
  v = put_blocks(v, b->temp_blks_written);
  v = put_number(v, e->wal_bytes);
  v = put_number(v, e->jit_ns);
  v = put_number(v, GetTopTransactionIdIfAny());
  v = put_number(v, (uint64)e->nesting);
  if (parameters != NULL) {
    memcpy(v, parameters->values, (size_t)parameters->count * sizeof *v);
    v += parameters->count;
  }
  v = put_text(v, parameters != NULL ? parameters->others : "", parameters != NULL ? strlen(parameters->others) : 0);
  v = put_text(v, e->source != NULL ? e->source : "", (size_t)e->source_size);
  steno_update_identity();
  (void)steno_detail_log(&site->site, NULL, values);
}
