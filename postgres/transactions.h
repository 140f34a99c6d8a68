// Statements that end with their transaction (transactions.c).
#pragma once

#include "statement.h"

void steno_follow_transactions(void);
// A COMMIT or PREPARE TRANSACTION that PostgreSQL carries out after the command: ends with the transaction, as that
// does.
void steno_end_at_commit(Execution* e);
// Returns whether the record of a statement that has ended without an error is written when its transaction ends, which
// is its own.
bool steno_ends_with_transaction(const Execution* e);
// Ends the statements that wait for the end of their transaction: another statement of the client's begins. `error`: a
// code of PostgreSQL's, 0: none.
void steno_settle(int error);
// Returns whether a statement of this message waits for the end of its transaction.
bool steno_waits_for_transaction(void);
// Returns whether a transaction is being committed for a statement that waits for it.
bool steno_is_in_commit(void);
