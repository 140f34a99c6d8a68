#include "log_totals.h"

#include "log_batches.h"
#include "log_time.h"
#include "log_values.h"
#include "text_numbers.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

// Where the columns of one schema are, or kNoColumn.
enum { kPiece = 1024, kColumns = kMostKeys + kMostSums + 4 };
enum { kFailure = kMostKeys + kMostSums, kRanked, kLatest, kTime };
typedef struct Places {
  bool is_known;
  int column[kColumns];  // keys, sums, and the others
} Places;

// Rows of a batch, a piece at a time, so that what is computed of them stays in the cache.
typedef struct Piece {
  int count;
  uint64 words[kMostKeys + 1][kPiece];  // of keys: an integer, or the number of a text; at the end which are missing
  uint64 hashes[kPiece];
  uint32 groups[kPiece];
} Piece;

struct Totals {
  TotalsOptions options;
  MemoryContext memory;
  uint32 group_count;
  uint32 group_room;
  TotalsGroup* groups;
  uint64* keys;  // key_count + 1 words a group
  uint64* group_hashes;
  int128* sums[kMostSums];  // by group
  bool* has_sum[kMostSums];
  uint32* slots;  // of a hash table with linear probing: a group + 1, or 0; a power of two, at most half of it in use
  uint32 slot_count;
  TextNumbers* texts;
  Places* places;  // by number of the schema
  size_t place_count;
};

uint32 steno_total_groups(const Totals* totals) {
  return totals->group_count;
}

TotalsGroup* steno_total_group(const Totals* totals, uint32 group) {
  return &totals->groups[group];
}

static int words_of(const Totals* totals) {
  return totals->options.key_count + 1;
}

static void put_into_slot(Totals* totals, uint32 group) {
  uint32 slot = (uint32)totals->group_hashes[group] & (totals->slot_count - 1);
  while (totals->slots[slot] != 0) slot = (slot + 1) & (totals->slot_count - 1);
  totals->slots[slot] = group + 1;
}

static void make_room(Totals* totals) {
  const uint32 room = totals->group_room * 2;
  if (room > PG_UINT32_MAX / 4) ereport(ERROR, (errmsg("too many groups")));
  totals->groups = repalloc_huge(totals->groups, (Size)room * sizeof *totals->groups);
  totals->keys = repalloc_huge(totals->keys, (Size)room * words_of(totals) * sizeof *totals->keys);
  totals->group_hashes = repalloc_huge(totals->group_hashes, (Size)room * sizeof *totals->group_hashes);
  for (int i = 0; i < totals->options.sum_count; ++i) {
    totals->sums[i] = repalloc_huge(totals->sums[i], (Size)room * sizeof *totals->sums[i]);
    totals->has_sum[i] = repalloc_huge(totals->has_sum[i], (Size)room * sizeof *totals->has_sum[i]);
  }
  totals->group_room = room;
  pfree(totals->slots);
  totals->slot_count = room * 2;
  totals->slots = MemoryContextAllocExtended(totals->memory, (Size)totals->slot_count * sizeof *totals->slots,
                                             MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
  for (uint32 i = 0; i < totals->group_count; ++i) put_into_slot(totals, i);
}

static uint32 add_group(Totals* totals, const Piece* piece, int row) {
  const uint32 group = totals->group_count;
  if (group == totals->group_room) make_room(totals);
  memset(&totals->groups[group], 0, sizeof *totals->groups);
  totals->groups[group].first_ns = PG_INT64_MAX;
  totals->groups[group].last_ns = PG_INT64_MIN;
  for (int i = 0; i < words_of(totals); ++i) totals->keys[(Size)group * words_of(totals) + i] = piece->words[i][row];
  totals->group_hashes[group] = piece->hashes[row];
  for (int i = 0; i < totals->options.sum_count; ++i) {
    totals->sums[i][group] = 0;
    totals->has_sum[i][group] = false;
  }
  ++totals->group_count;
  put_into_slot(totals, group);
  return group;
}

static bool is_group(const Totals* totals, uint32 group, const Piece* piece, int row) {
  const int words = words_of(totals);
  const uint64* const key = &totals->keys[(Size)group * words];
  for (int i = 0; i < words; ++i) {
    if (key[i] != piece->words[i][row]) return false;
  }
  return true;
}

static void find_groups(Totals* totals, Piece* piece) {
  for (int row = 0; row < piece->count; ++row) piece->hashes[row] = 0;
  for (int i = 0; i < words_of(totals); ++i) {
    for (int row = 0; row < piece->count; ++row) {
      const uint64 mixed = (piece->hashes[row] ^ piece->words[i][row]) * UINT64CONST(0x9E3779B97F4A7C15);
      piece->hashes[row] = mixed ^ mixed >> 32;
    }
  }
  for (int row = 0; row < piece->count; ++row) {
    uint32 slot = (uint32)piece->hashes[row] & (totals->slot_count - 1);
    for (;; slot = (slot + 1) & (totals->slot_count - 1)) {
      const uint32 found = totals->slots[slot];
      if (found == 0) {
        piece->groups[row] = add_group(totals, piece, row);
        break;
      }
      if (is_group(totals, found - 1, piece, row)) {
        piece->groups[row] = found - 1;
        break;
      }
    }
  }
}

// NULL: there is no such column.
static const char* name_of(const TotalsOptions* options, int column) {
  if (column < kMostKeys) return column < options->key_count ? options->keys[column].name : NULL;
  if (column < kFailure) return column - kMostKeys < options->sum_count ? options->sums[column - kMostKeys] : NULL;
  switch (column) {
    case kFailure:
      return options->failure;
    case kRanked:
      return options->ranked;
    case kLatest:
      return options->latest;
    default:  // kTime
      return options->latest != NULL ? "time" : NULL;
  }
}

static const Places* places_of(Totals* totals, const steno_batch* batch) {
  Places* places;
  if (batch->schema_number >= totals->place_count) {
    const size_t room = batch->schema_number * 2 + 16;
    totals->places = repalloc_huge(totals->places, room * sizeof *totals->places);
    memset(totals->places + totals->place_count, 0, (room - totals->place_count) * sizeof *totals->places);
    totals->place_count = room;
  }
  places = &totals->places[batch->schema_number];
  if (places->is_known) return places;
  for (int i = 0; i < kColumns; ++i) {
    const char* const name = name_of(&totals->options, i);
    places->column[i] = name != NULL ? steno_find_column(batch->schema, name) : kNoColumn;
  }
  places->is_known = true;
  return places;
}

// Columns of a batch as they are asked: integers, and numbers of texts.
typedef struct Column {
  const struct ArrowSchema* schema;  // NULL: there is none
  const struct ArrowArray* array;
  const uint32* numbers;  // of the texts of a dictionary
} Column;

static Column column_at(const Totals* totals, const steno_batch* batch, int place) {
  Column column = {NULL, NULL, NULL};
  if (place == kNoColumn) return column;
  column.schema = batch->schema->children[place];
  column.array = batch->array->children[place];
  if (column.array->offset != 0) ereport(ERROR, (errmsg("column \"%s\" of the log is a slice", column.schema->name)));
  return column;
}

pg_noreturn static void fail_type(const Column* column);
static void fail_type(const Column* column) {
  ereport(ERROR, (errmsg("column \"%s\" of the log has another type", column->schema->name)));
}

static Column text_column(Totals* totals, const steno_batch* batch, int place) {
  Column column = column_at(totals, batch, place);
  if (column.schema == NULL) return column;
  if (column.schema->dictionary == NULL || column.schema->format[0] != 'i') fail_type(&column);
  column.numbers = steno_number_texts(totals->texts, column.schema->dictionary, column.array->dictionary);
  return column;
}

static Column integer_column(const Totals* totals, const steno_batch* batch, int place) {
  const Column column = column_at(totals, batch, place);
  if (column.schema == NULL) return column;
  if (column.schema->dictionary != NULL || !steno_is_integer(column.schema->format)) fail_type(&column);
  if (column.array->buffers[0] != NULL) {
    ereport(ERROR, (errmsg("column \"%s\" of the log has nulls", column.schema->name)));
  }
  return column;
}

static bool is_null_at(const struct ArrowArray* array, int64 row) {
  const uint8* const validity = array->buffers[0];
  return validity != NULL && (validity[row / 8] >> row % 8 & 1) == 0;
}

// Texts are 0 where they are null.
static void read_texts(const Column* column, int64 begin, int count, uint64* to) {
  const int32* const codes = column->array->buffers[1];
  for (int i = 0; i < count; ++i) to[i] = column->numbers[codes[begin + i]];
  if (column->array->buffers[0] == NULL) return;
  for (int i = 0; i < count; ++i) {
    if (is_null_at(column->array, begin + i)) to[i] = 0;
  }
}

static void read_keys(Totals* totals, const Column* columns, int64 begin, Piece* piece) {
  uint64 missing = 0;
  for (int i = 0; i < totals->options.key_count; ++i) {
    if (columns[i].schema == NULL) {
      missing |= (uint64)!totals->options.keys[i].is_text << i;  // a text is 0 then, as where it is null
      memset(piece->words[i], 0, piece->count * sizeof *piece->words[i]);
    } else if (totals->options.keys[i].is_text) {
      read_texts(&columns[i], begin, piece->count, piece->words[i]);
    } else {
      steno_read_integers(columns[i].schema->format[0], columns[i].array->buffers[1], begin, piece->count,
                          (int64*)piece->words[i]);
    }
  }
  for (int row = 0; row < piece->count; ++row) piece->words[totals->options.key_count][row] = missing;
}

static void add_sums(Totals* totals, int sum, const Column* column, int64 begin, const Piece* piece) {
  int128* const sums = totals->sums[sum];
  int64 values[kPiece];
  int64 any = 0;
  steno_read_integers(column->schema->format[0], column->array->buffers[1], begin, piece->count, values);
  for (int row = 0; row < piece->count; ++row) totals->has_sum[sum][piece->groups[row]] = true;
  for (int row = 0; row < piece->count; ++row) any |= values[row];
  for (int row = 0; any != 0 && row < piece->count; ++row) sums[piece->groups[row]] += values[row];
}

static void keep_values(Totals* totals, const Column* column, int64 begin, const Piece* piece) {
  int64 values[kPiece];
  steno_read_integers(column->schema->format[0], column->array->buffers[1], begin, piece->count, values);
  for (int row = 0; row < piece->count; ++row) {
    steno_add_value(&totals->groups[piece->groups[row]].values, values[row]);
  }
}

static void count_failures(Totals* totals, const Column* column, uint32 success, int64 begin, const Piece* piece) {
  uint64 numbers[kPiece];
  read_texts(column, begin, piece->count, numbers);
  for (int row = 0; row < piece->count; ++row) {
    totals->groups[piece->groups[row]].failures += numbers[row] != 0 && numbers[row] != success;
  }
}

static void keep_latest(Totals* totals, const Column* latest, const Column* time, int64 begin, const Piece* piece) {
  const int64* const times = (const int64*)time->array->buffers[1] + begin;
  uint64 numbers[kPiece];
  if (latest->schema != NULL) {
    read_texts(latest, begin, piece->count, numbers);
  } else {
    memset(numbers, 0, sizeof numbers);
  }
  for (int row = 0; row < piece->count; ++row) {
    TotalsGroup* const group = &totals->groups[piece->groups[row]];
    group->first_ns = Min(group->first_ns, times[row]);
    if (times[row] < group->last_ns) continue;
    group->last_ns = times[row];
    group->latest = (uint32)numbers[row];
  }
}

static void add_batch(Totals* totals, const steno_batch* batch, uint32 success, Piece* piece) {
  const TotalsOptions* const options = &totals->options;
  const Places* const places = places_of(totals, batch);
  const int64 offset = batch->array->offset;
  Column keys[kMostKeys];
  Column sums[kMostSums];
  Column failure;
  Column latest;
  const Column ranked = integer_column(totals, batch, places->column[kRanked]);
  const Column time = column_at(totals, batch, places->column[kTime]);
  steno_forget_batch(totals->texts);
  for (int i = 0; i < options->key_count; ++i) {
    const int place = places->column[i];
    keys[i] = options->keys[i].is_text ? text_column(totals, batch, place) : integer_column(totals, batch, place);
  }
  for (int i = 0; i < options->sum_count; ++i) sums[i] = integer_column(totals, batch, places->column[kMostKeys + i]);
  failure = text_column(totals, batch, places->column[kFailure]);
  latest = text_column(totals, batch, places->column[kLatest]);
  for (int64 begin = 0; begin < batch->array->length; begin += kPiece) {
    piece->count = (int)Min(batch->array->length - begin, (int64)kPiece);
    read_keys(totals, keys, offset + begin, piece);
    find_groups(totals, piece);
    for (int row = 0; row < piece->count; ++row) ++totals->groups[piece->groups[row]].calls;
    for (int i = 0; i < options->sum_count; ++i) {
      if (sums[i].schema != NULL) add_sums(totals, i, &sums[i], offset + begin, piece);
    }
    if (ranked.schema != NULL) keep_values(totals, &ranked, offset + begin, piece);
    if (failure.schema != NULL) count_failures(totals, &failure, success, offset + begin, piece);
    if (time.schema != NULL) keep_latest(totals, &latest, &time, offset + begin, piece);
  }
}

static Totals* make_totals(const TotalsOptions* options) {
  enum { kRoom = 64 };
  Totals* const totals = palloc0(sizeof *totals);
  totals->options = *options;
  totals->memory = CurrentMemoryContext;
  totals->group_room = kRoom;
  totals->groups = palloc(kRoom * sizeof *totals->groups);
  totals->keys = palloc(kRoom * words_of(totals) * sizeof *totals->keys);
  totals->group_hashes = palloc(kRoom * sizeof *totals->group_hashes);
  for (int i = 0; i < options->sum_count; ++i) {
    totals->sums[i] = palloc(kRoom * sizeof *totals->sums[i]);
    totals->has_sum[i] = palloc(kRoom * sizeof *totals->has_sum[i]);
  }
  totals->slot_count = 2 * kRoom;
  totals->slots = palloc0(totals->slot_count * sizeof *totals->slots);
  totals->texts = steno_make_text_numbers();
  totals->place_count = 16;
  totals->places = palloc0(totals->place_count * sizeof *totals->places);
  return totals;
}

// The reader takes no column twice.
static void ask_for(const char** columns, steno_stream_options* stream, const char* name) {
  if (name == NULL) return;
  for (size_t i = 0; i < stream->column_count; ++i) {
    if (strcmp(columns[i], name) == 0) return;
  }
  columns[stream->column_count++] = name;
}

Totals* steno_compute_totals(const TotalsOptions* options) {
  Totals* const totals = make_totals(options);
  LogBatches* const log = steno_open_batches(options->path, options->since, options->statement, options->query);
  steno_batch_choice* const choices = palloc0(Max(log->site_count, 1) * sizeof *choices);
  const char* columns[kColumns];
  Piece* const piece = palloc(sizeof *piece);
  const uint32 success = options->success != NULL ? steno_number_text(totals->texts, options->success) : 0;
  steno_stream_options stream;
  steno_batch batch;
  STENO_STREAM_OPTIONS(&stream);
  if (options->since != NULL) stream.since_ns = steno_nanoseconds(*options->since);
  if (options->until != NULL) stream.until_ns = steno_nanoseconds(*options->until);
  stream.where = options->where;
  stream.dictionary_strings = true;
  stream.skip_missing = true;
  stream.columns = columns;
  for (int i = 0; i < kColumns; ++i) ask_for(columns, &stream, name_of(options, i));
  for (int i = 0; i < log->site_count; ++i) choices[i].stable_id = log->sites[i].stable_id;
  steno_start_batches(log, &stream, choices, log->site_count);
  while (steno_next_batch(log, &batch)) add_batch(totals, &batch, success, piece);
  steno_close_batches(log);
  return totals;
}

Datum steno_total_key(const Totals* totals, uint32 group, int key, bool* is_null) {
  const uint64* const words = &totals->keys[(Size)group * words_of(totals)];
  if (totals->options.keys[key].is_text) return steno_numbered_text(totals->texts, (uint32)words[key], is_null);
  *is_null = (words[totals->options.key_count] >> key & 1) != 0;
  return *is_null ? (Datum)0 : Int64GetDatum((int64)words[key]);
}

Datum steno_total_latest(const Totals* totals, uint32 group, bool* is_null) {
  return steno_numbered_text(totals->texts, totals->groups[group].latest, is_null);
}

Datum steno_total_sum(const Totals* totals, uint32 group, int sum, bool* is_null) {
  const int128 value = totals->sums[sum][group];
  char digits[48];
  char* at = digits + sizeof digits;
  *is_null = !totals->has_sum[sum][group];
  if (*is_null) return (Datum)0;
  if (value >= PG_INT64_MIN && value <= PG_INT64_MAX) return NumericGetDatum(int64_to_numeric((int64)value));
  *--at = '\0';
  for (uint128 rest = value < 0 ? -(uint128)value : (uint128)value; rest != 0; rest /= 10)
    *--at = '0' + (int)(rest % 10);
  if (value < 0) *--at = '-';
  return DirectFunctionCall3(numeric_in, CStringGetDatum(at), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}
