// The parts of the extension, and what they know of each other. Backends have one thread, so nothing here is locked but
// what lies in shared memory.
#pragma once

// PostgreSQL first, always.
#include "postgres.h"

#include "compat.h"

#include "nodes/params.h"
#include "nodes/plannodes.h"
#include "utils/guc.h"

// Settings (settings.c).
enum StenoWhenFull { STENO_PG_BLOCK, STENO_PG_DROP };
extern char* steno_path;
extern char* steno_command;
extern char* steno_sinks;
extern int steno_log_statement;  // LogStmtLevel
extern int steno_min_duration;   // ms
extern double steno_sample_rate;
extern bool steno_log_parameters;
extern int steno_parameter_max_length;
extern bool steno_log_nested;
extern int steno_log_plans;  // ms; -1: none
extern int steno_when_full;
extern int steno_ring_size;  // KiB
extern bool steno_redact_parameters;
extern bool steno_replace_log;
void steno_define_settings(void);
// The settings of the scribe's files (scribe_command.c).
void steno_define_rotation_settings(void);
// `steno.path`, within the data directory where it is relative; allocated by malloc.
char* steno_absolute_path(void);
// Where steno_sql, a library of its own, finds the address of `steno_path` (find_rendezvous_variable()); NULL: steno is
// not preloaded.
#define STENO_PATH_VARIABLE "steno.path"

// The session (session.c). Begun by the postmaster; each of its children goes on with one of its own from its first
// record on, without doing anything. False: there is none, and nothing is to be logged.
extern bool steno_is_running;
void steno_start_session(void);
// To be called before a record is written: the fields of who writes it are in the context of this process.
void steno_update_identity(void);
// Once in a process's life, before it begins workers: they are to know whose they are.
void steno_introduce(void);

// Texts in UTF-8, whatever the database's encoding (text_encoding.c): a text itself where it is, else a copy, ended by
// a NUL, that is there until the next steno_begin_texts(). What is no character is escaped: \xff. Does not throw.
struct steno_text;
void steno_begin_texts(void);
struct steno_text steno_utf8(const char* data, size_t size);

// The role, client and database that a process works for (who.c): shared memory, and what is looked up when a
// transaction commits.
Size steno_who_size(void);
void steno_attach_who(void);
void steno_learn_who(void);

// The worker that keeps a scribe running (scribe_worker.c).
void steno_register_worker(void);

// Statements (statements.c).
void steno_install_statement_hooks(void);

// Their texts (query_text.c). The table of those that are in the log already lies in shared memory.
Size steno_texts_size(void);
void steno_attach_texts(void);
// Logs the text of this query id, unless it has been not long ago. Returns whether the text has constants, which it is
// logged without. Allocates in the current memory context; may throw.
bool steno_log_text(int64 query_id, const char* source, int location, int length, bool is_utility);
// The query id of a command, which other extensions may have taken from it (pg_stat_statements does): as PostgreSQL has
// computed it; 0: it computes none. May throw.
uint64 steno_compute_command_id(Node* command, const char* source, int location, int length);
// That of the query in a command: a cursor's, or that of CREATE TABLE AS. 0: it has none, or PostgreSQL computes it
// itself. May throw.
uint64 steno_compute_inner_id(Node* command, const char* source);
// To be called once: texts of commands whose ids PostgreSQL computes without their constants are logged without them.
void steno_follow_analysis(void);
// The log has gone on in a new file: it gets the texts of what is executed from now on.
void steno_log_texts_again(void);
// Returns whether another text of this id has been logged not long ago; if not, notes that it is now.
bool steno_is_logged_lately(uint64 id);

// The server's messages (server_log.c).
void steno_install_log_hook(void);
