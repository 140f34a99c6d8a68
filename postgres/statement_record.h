// Records of statements (statement_record.c).
#pragma once

#include "statement.h"

// To be called before the server's children are made: they have the statement's site then.
void steno_prepare_statement_record(void);
// Returns whether parameters of these types have columns: there is a site for each combination, up to a bound.
// Allocates.
bool steno_has_columns_for(uint64 types);
// Allocates nothing of PostgreSQL's, and throws nothing. `error`: a code of PostgreSQL's, 0: none.
void steno_write_statement(const Execution* e, int error);
// Makes the record of a statement, to be written later: there is one at a time. False: there cannot be one.
bool steno_keep_statement(const Execution* e);
// `commit_ns`: what has gone by since it ended.
void steno_write_kept_statement(int error, uint64 commit_ns);
