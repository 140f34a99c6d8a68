// Where PostgreSQL meets steno: the library is loaded, shared memory is made.
#include "statement_record.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include STENO_QUERY_ID_HEADER

STENO_MODULE_MAGIC("steno");

PGDLLEXPORT void _PG_init(void);

static shmem_request_hook_type next_shmem_request;
static shmem_startup_hook_type next_shmem_startup;

static void request_shared_memory(void) {
  if (next_shmem_request != NULL) next_shmem_request();
  RequestAddinShmemSpace(add_size(steno_texts_size(), steno_who_size()));
}

static void begin(void) {
  if (next_shmem_startup != NULL) next_shmem_startup();
  steno_attach_texts();
  steno_attach_who();
  // `postgres --single` and initdb have no postmaster who would keep a scribe.
  if (IsPostmasterEnvironment && !IsUnderPostmaster) steno_start_session();
}

void _PG_init(void) {
  // Otherwise there is no session, and nothing to log with.
  if (!process_shared_preload_libraries_in_progress) return;
  steno_define_settings();
  steno_define_rotation_settings();
  MarkGUCPrefixReserved("steno");
  EnableQueryId();
  next_shmem_request = shmem_request_hook;
  shmem_request_hook = request_shared_memory;
  next_shmem_startup = shmem_startup_hook;
  shmem_startup_hook = begin;
  steno_register_worker();
  steno_prepare_statement_record();
  steno_install_statement_hooks();
  steno_install_log_hook();
}
