// The session of each process, and who it says it is.
#include "steno_pg.h"

#include <steno/c.h>
#include <sys/stat.h>

#include "common/file_perm.h"
#include "miscadmin.h"

// The headers of what a connection may be encrypted by need not be installed. Port keeps its layout without them.
#undef ENABLE_GSS
#undef USE_OPENSSL
#include "libpq/libpq-be.h"

bool steno_is_running = false;

// steno/context.h, which has no face in C. context.cc
void steno_set_context(const char* const* names, const char* const* values, int count);

static void say_warning(void* context, const char* text) {
  // Neither ereport() nor anything else that could log or allocate: it may come from within either.
  char line[1024];
  const int size = snprintf(line, sizeof line, "steno: %s\n", text);
  if (write(STDERR_FILENO, line, Min((size_t)size, sizeof line - 1)) < 0) return;
}

// As PostgreSQL makes its log_directory.
static void make_directory_of(const char* path) {
  char* directory = strdup(path);
  get_parent_directory(directory);
  (void)mkdir(directory, pg_dir_create_mode);
  free(directory);
}

void steno_start_session(void) {
  steno_options options;
  steno_error error;
  char* path;
  if (steno_is_running) return;  // the postmaster begins again after a crash of a child
  path = steno_absolute_path();
  make_directory_of(path);
  STENO_OPTIONS(&options);
  options.level = STENO_LEVEL_TRACE;  // PostgreSQL chooses
  options.ring_bytes = (size_t)steno_ring_size * 1024;
  options.drop_when_full = steno_when_full == STENO_PG_DROP;
  options.external_scribe = true;
  options.stop_does_not_wait = true;  // nobody is to wait for a backend's end
  options.on_warning = say_warning;
  if (steno_try_start(path, &options, &error) == STENO_OK) {
    steno_is_running = true;
  } else {
    ereport(WARNING, (errmsg("steno does not log: %s", error.text)));
  }
  free(path);
}

// What may change of a process's identity, as the context has it.
static struct {
  pid_t pid;
  BackendType backend_type;  // with the process id it says what get_backend_type_for_log() does
  const char* user;
  const char* database;
  const char* client;
  const char* client_port;
  char application[NAMEDATALEN];
} known;

void steno_update_identity(void) {
  const char* const user = MyProcPort != NULL ? MyProcPort->user_name : NULL;
  const char* const database = MyProcPort != NULL ? MyProcPort->database_name : NULL;
  const char* const client = MyProcPort != NULL ? MyProcPort->remote_host : NULL;
  const char* const client_port = MyProcPort != NULL ? MyProcPort->remote_port : NULL;
  const char* const application = application_name != NULL ? application_name : "";
  if (known.pid == MyProcPid && known.backend_type == MyBackendType && known.user == user &&
      known.database == database && known.client == client && known.client_port == client_port &&
      strcmp(known.application, application) == 0) {
    return;
  }
  known.pid = MyProcPid;
  known.backend_type = MyBackendType;
  known.user = user;
  known.database = database;
  known.client = client;
  known.client_port = client_port;
  strlcpy(known.application, application, sizeof known.application);
  {
    static const char* const kNames[] = {"backend_type", "user",        "database",  "client",
                                         "client_port",  "application", "session_id"};
    char session_id[40];  // as log_line_prefix has it
    const char* values[] = {get_backend_type_for_log(), user,      database, client, client_port,
                            known.application,          session_id};
    snprintf(session_id, sizeof session_id, "%llx.%x", (unsigned long long)MyStartTime, (unsigned)MyProcPid);
    steno_begin_texts();
    for (int i = 0; i < (int)lengthof(values); ++i) {
      if (values[i] != NULL) values[i] = steno_utf8(values[i], strlen(values[i])).data;
    }
    steno_set_context(kNames, values, lengthof(values));
  }
}
