// Records of statements that are made while the server runs, as their arguments' types are known then only.
#pragma once

#include "steno_pg.h"

#include <steno/c.h>

// A statement. Once registered it is never freed; the postmaster's are its children's, too.
typedef struct RecordSite {
  struct steno_detail_state state;
  struct steno_detail_site site;
} RecordSite;

// `format`, in braces, and `types`, a letter of <spec/types.md> an argument, must outlive the site. `described`: the
// meanings of the types are after their NUL. `function` writes the records. Throws nothing.
void steno_register_site(RecordSite* made, const char* format, const char* types, bool described, const char* file,
                         const char* function, int line, steno_level level);

// The bytes of a letter's value in a record; of a text those of its length.
int steno_size_of(char letter);

enum { kRecordNumbers = 384, kRecordTexts = 40, kRecordValues = 56 };

// The arguments of a record in the making, in their order. All zero: none. What is beyond the bounds is the caller's
// mistake.
typedef struct RecordValues {
  size_t number_bytes;
  int text_count;
  char numbers[kRecordNumbers];  // and lengths of texts
  struct steno_detail_bytes texts[kRecordTexts];
} RecordValues;

static inline void steno_put_number(RecordValues* values, const void* number, size_t size) {
  memcpy(values->numbers + values->number_bytes, number, size);
  values->number_bytes += size;
}

// The text must be there until the record is written.
static inline void steno_put_text(RecordValues* values, const char* data, size_t size) {
  const uint32 length = (uint32)size;
  steno_put_number(values, &length, sizeof length);
  values->texts[values->text_count++] = (struct steno_detail_bytes){data, size};
}

// Writes a record, unless the statement is disabled. Allocates nothing of PostgreSQL's, and throws nothing.
void steno_write_record(const RecordSite* site, const char* numbers, size_t number_bytes,
                        const struct steno_detail_bytes* texts, int text_count);
// Asks the scribe to write to the file, without waiting for it, what this process has logged.
void steno_write_soon(void);
