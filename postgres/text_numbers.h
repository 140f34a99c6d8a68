// Texts of the log, numbered: equal ones of this database's encoding have the same number.
#pragma once

#include "steno_pg.h"

#include <steno/arrow.h>

typedef struct TextNumbers TextNumbers;

// In the current memory context.
TextNumbers* steno_make_text_numbers(void);
// From 1.
uint32 steno_number_text(TextNumbers* texts, const char* text);
// A number for each text of a batch's dictionary, 0 where it is null. Until the next steno_forget_batch(), which is to
// be called before each batch.
const uint32* steno_number_texts(TextNumbers* texts, const struct ArrowSchema* schema, const struct ArrowArray* array);
void steno_forget_batch(TextNumbers* texts);
// Null: of 0.
Datum steno_numbered_text(const TextNumbers* texts, uint32 number, bool* is_null);
