// The statements that messages of the server are records of: one for each format and level, made when it comes.
#pragma once

#include "message_format.h"
#include "record.h"

// The site of a message's record. The message's values are the record's second ones, after its severity.
typedef struct MessageSite {
  const char* message_id;
  size_t message_id_size;
  uint64 hash;
  steno_level level;
  bool is_text;  // its format cannot be one of a statement
  MessageFormat format;
  RecordSite record;
} MessageSite;

// None of these throws, or allocates of PostgreSQL's memory.

// The site of the message's own format; NULL: its messages are to be logged as text.
const MessageSite* steno_find_message_site(const char* message_id, steno_level level);
// The site of the format that a text seems to have, from the second text of it on (message_format.h); NULL: none.
const MessageSite* steno_guess_message_site(const char* text, steno_level level);
// The site of messages as text: in place of the values is the message, `primary_message`.
const RecordSite* steno_text_message_site(steno_level level);
