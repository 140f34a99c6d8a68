#include "text_numbers.h"

#include "log_values.h"

#include "catalog/pg_type_d.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct NumberedText {
  text* value;  // the key
  uint32 number;
  uint32 hash;
  char status;
} NumberedText;

static bool is_same(const text* a, const text* b) {
  return VARSIZE_ANY(a) == VARSIZE_ANY(b) && memcmp(a, b, VARSIZE_ANY(a)) == 0;
}

#define SH_PREFIX numbers
#define SH_ELEMENT_TYPE NumberedText
#define SH_KEY_TYPE text*
#define SH_KEY value
#define SH_HASH_KEY(table, key) hash_bytes((const unsigned char*)VARDATA_ANY(key), (int)VARSIZE_ANY_EXHDR(key))
#define SH_EQUAL(table, a, b) is_same(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, element) (element)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct TextNumbers {
  numbers_hash* known;
  text** texts;  // by number - 1
  uint32 count;
  uint32 room;
  MemoryContext memory;
  MemoryContext of_batch;
};

TextNumbers* steno_make_text_numbers(void) {
  TextNumbers* const texts = palloc0(sizeof *texts);
  texts->memory = CurrentMemoryContext;
  texts->of_batch = AllocSetContextCreate(CurrentMemoryContext, "steno batch", ALLOCSET_DEFAULT_SIZES);
  texts->known = numbers_create(CurrentMemoryContext, 64, NULL);
  texts->room = 64;
  texts->texts = palloc(texts->room * sizeof *texts->texts);
  return texts;
}

// `value` is copied where it is new.
static uint32 number_of(TextNumbers* texts, text* value) {
  bool is_known;
  NumberedText* const entry = numbers_insert(texts->known, value, &is_known);
  if (is_known) return entry->number;
  entry->value = MemoryContextAlloc(texts->memory, VARSIZE_ANY(value));
  memcpy(entry->value, value, VARSIZE_ANY(value));
  if (texts->count == texts->room) {
    texts->room *= 2;
    texts->texts = repalloc_huge(texts->texts, texts->room * sizeof *texts->texts);
  }
  texts->texts[texts->count] = entry->value;
  return entry->number = ++texts->count;
}

uint32 steno_number_text(TextNumbers* texts, const char* string) {
  return number_of(texts, cstring_to_text(string));
}

static bool is_as_before(const struct ArrowArray* array, int64 row) {
  const int32* const offsets = (const int32*)array->buffers[1] + array->offset + row;
  const char* const bytes = array->buffers[2];
  const int32 size = offsets[1] - offsets[0];
  return size == offsets[0] - offsets[-1] && memcmp(bytes + offsets[0], bytes + offsets[-1], size) == 0;
}

const uint32* steno_number_texts(TextNumbers* texts, const struct ArrowSchema* schema, const struct ArrowArray* array) {
  const MemoryContext before = MemoryContextSwitchTo(texts->of_batch);
  uint32* const found = MemoryContextAllocHuge(texts->of_batch, Max(array->length, 1) * sizeof *found);
  const bool has_nulls = array->buffers[0] != NULL;
  for (int64 i = 0; i < array->length; ++i) {
    bool is_null = false;
    Datum value;
    if (i > 0 && !has_nulls && is_as_before(array, i)) {
      found[i] = found[i - 1];
      continue;
    }
    value = steno_datum(schema, array, i, TEXTOID, &is_null);
    found[i] = is_null ? 0 : number_of(texts, DatumGetTextPP(value));
    if (!is_null) pfree(DatumGetPointer(value));
  }
  MemoryContextSwitchTo(before);
  return found;
}

void steno_forget_batch(TextNumbers* texts) {
  MemoryContextReset(texts->of_batch);
}

Datum steno_numbered_text(const TextNumbers* texts, uint32 number, bool* is_null) {
  *is_null = number == 0;
  return *is_null ? (Datum)0 : PointerGetDatum(texts->texts[number - 1]);
}
