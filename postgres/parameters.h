// Parameters of statements, as they are logged (parameters.c).
#pragma once

#include "steno_pg.h"

#include <steno/c.h>

// Values of a statement's parameters, as they are logged: the first ones in columns of their own types, the others, and
// what there are too many combinations of types of, as text.
enum { kTypedParameters = 8 };
typedef struct Parameters {
  uint64 types;                        // a code of each in a byte (parameter_types.h), the first the lowest; 0: no more
  char numbers[8 * kTypedParameters];  // as records have them: without those that are NULL; of a text its length
  int number_bytes;
  struct steno_detail_bytes texts[kTypedParameters];
  int text_count;
  const char* others;  // "'two', 3"; after typed ones with a comma before
} Parameters;

// Into `room`, or if that is NULL into the current memory context, where texts are in any case; each cut at
// steno.parameter_max_length. May throw, as it calls output functions of types.
Parameters* steno_take_parameters(ParamListInfo parameters, Parameters* room);
// While an error is handled: catalogs must not be read then, so that values of types which need them are `?`.
Parameters* steno_take_parameters_of_failed(ParamListInfo parameters);
