// Formats of the server's messages as statements with columns: "duration: %s ms" is "duration: {m1:.3f} ms".
//
// A message comes as a format and as the text that it became; its arguments are gone. They are read from the text, by
// the format, so that they give the same text again when they are printed: numbers as printf prints them, and texts,
// each up to the first place where what follows in the format follows in the text. A text that is not of its format
// (translated, in the plural) has no values, nor one with a number that prints otherwise ("007" of %d).
// Values are named m1, m2 … in their order. Where a version of PostgreSQL has put values among those that a message had
// before, the others keep their names, and the new ones come after them.
// Nothing of PostgreSQL's is called here, so that a test can load this by itself.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { kMessageValues = 24 };

typedef enum MessageKind {
  kMessageText,      // of %s, of conversions that nothing else is said of, and of several with nothing between
  kMessageSigned,    // %d, %ld
  kMessageUnsigned,  // %u, %lu, %zu
  kMessageHex,       // %x, %X
  kMessageDecimal,   // %.Nf, "%ld.%03d", and "%s ms", where the server has printed such a number before
} MessageKind;

// A value, and the constant text before it.
typedef struct MessagePiece {
  const char* literal;
  size_t literal_size;
  MessageKind kind;
  bool is_wide;     // of 64 bits
  bool is_capital;  // digits of hexadecimal numbers
  bool has_zeros;   // up to the width
  bool is_left;     // aligned
  int width;        // 0: none
  int decimals;
  int number;  // of its name: 1 for m1
} MessagePiece;

typedef struct MessageFormat {
  int values;
  MessagePiece pieces[kMessageValues];
  const char* end;  // the text after the last one
  size_t end_size;
  char* literals;  // what the pieces point into
} MessageFormat;

typedef union MessageValue {
  int64_t number;  // of 32 bits: in the lower ones
  double real;
  struct {
    const char* data;  // within the message
    size_t size;
  } text;
} MessageValue;

// False: its messages are to be logged as text, since they have no constant part, more than kMessageValues values, or
// characters other than printable ones of ASCII, blanks and ends of lines; or there is no memory. Else `literals` is to
// be freed. Throws nothing, as the others here.
bool steno_parse_message_format(const char* format, MessageFormat* parsed);

// The format of a message that comes as text only, as if each number in it had been an argument: "%ld", "%.3f", with
// zeros before it "%05lu"; numbers of more than 18 digits are text. False: there is none in it or
// nothing else, or more than kMessageValues, or characters that formats may not have, or it is longer than `room`.
// steno_match_message() finds the values, if there is memory.
bool steno_guess_message_format(const char* text, char* format, size_t room);

// The letter of <spec/types.md> of a piece's value.
char steno_message_letter(const MessagePiece* piece);

// The format in braces, the values named m1, m2 …; returns its size, at most that of the literals twice and 16 a value.
size_t steno_print_message_format(const MessageFormat* format, char* to);

// The values of a message; false: its text is not of this format. Time: linear in its size.
bool steno_match_message(const MessageFormat* format, const char* text, size_t size, MessageValue* values);
