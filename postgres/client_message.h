// A client's message, and the block that it belongs to (client_message.c).
#pragma once

#include "steno_pg.h"

#include "datatype/timestamp.h"

// The client's statement that was analysed, or began to run, last.
typedef struct ClientStatement {
  TimestampTz message;
  const char* source;  // NULL: not known
  int begin;
  int end;
  uint64 query_id;
  enum { kAnalysed, kBegun, kEnded } state;
} ClientStatement;

const ClientStatement* steno_last_statement(void);
// A client's query has been analysed. Its text is this part of `source`;
// `length` <= 0: to its end.
void steno_note_analysed(const char* source, int location, int length, uint64 query_id);
// A client's statement begins to run, or ends without an error, whether it is logged or not.
void steno_note_begun(void);
void steno_note_ended(void);
// The record of a client's statement that failed has been written.
void steno_note_recorded(void);
// Returns whether a failed statement of this message has a record.
bool steno_is_recorded(void);

// A client has begun a block of statements that are one transaction.
void steno_begin_block(void);
// The transaction that is about to end is to be followed by such a block.
void steno_chain_block(void);
// A transaction has ended, and its block with it.
void steno_end_block(void);
// Returns whether the client has begun a block of statements.
bool steno_is_in_block(void);
