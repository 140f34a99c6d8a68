// Nothing of PostgreSQL's is called here, so that a test can load this by itself.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Where the source of a statement begins whose first word is at `location` of a string of statements: after the
// semicolon in front of it, at the string's begin, or at `location`, where something else is in front of it (PREPARE).
// Comments are left out that come after more than 64 KB of other statements. Throws nothing. Time: that of skipping the
// blanks in front of it; with comments linear in all that is in front of it.
int steno_source_begin(const char* source, int location);

// Returns whether nothing but a semicolon, blanks and comments comes after a statement of `length` bytes, 0: all.
bool steno_is_last_source(const char* source, int location, int length);

// Where the first statement of a string ends: at its semicolon, or at the end.
int steno_source_end(const char* source, int begin);

// Returns whether `length` bytes hold nothing but semicolons, blanks and comments.
bool steno_is_blank(const char* source, int length);

// Over blanks and comments.
const char* steno_skip_blank(const char* at, const char* end);
