// This file knows what has come of a client's message so far: which of its statements were analysed, began and ended.
// And whether it belongs to a block.
#include "client_message.h"

#include "access/xact.h"

static ClientStatement last;
static TimestampTz recorded;  // the message of a failed statement that has a record
static bool is_in_block;
static bool is_chained;

void steno_note_analysed(const char* source, int location, int length, uint64 query_id) {
  last.message = GetCurrentStatementStartTimestamp();
  last.source = source;
  last.begin = Max(location, 0);
  last.end = length > 0 ? last.begin + length : -1;
  last.query_id = query_id;
  last.state = kAnalysed;
}

// In a message of its own it is not known what was analysed.
static void set_message(void) {
  const TimestampTz message = GetCurrentStatementStartTimestamp();
  if (last.message != message) last.source = NULL;
  last.message = message;
}

void steno_note_begun(void) {
  set_message();
  last.state = kBegun;
}

void steno_note_ended(void) {
  set_message();
  last.state = kEnded;
}

void steno_note_recorded(void) {
  recorded = GetCurrentStatementStartTimestamp();
}

bool steno_is_recorded(void) {
  return recorded == GetCurrentStatementStartTimestamp();
}

const ClientStatement* steno_last_statement(void) {
  return &last;
}

void steno_begin_block(void) {
  is_in_block = true;
}

void steno_chain_block(void) {
  // One that has failed has been aborted by now.
  if (IsTransactionState()) {
    is_chained = true;
  } else {
    is_in_block = true;
  }
}

bool steno_is_in_block(void) {
  return is_in_block;
}

void steno_end_block(void) {
  is_in_block = is_chained;
  is_chained = false;
}
