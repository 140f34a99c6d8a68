// The session of each process, and who it says it is.
#include "who.h"

#include <steno/c.h>
#include <sys/stat.h>

#include "access/parallel.h"
#include "common/file_perm.h"
#include "miscadmin.h"
#include "storage/proc.h"

// The headers of what a connection may be encrypted by need not be installed. Port keeps its layout without them.
#undef ENABLE_GSS
#undef USE_OPENSSL
#include "libpq/libpq-be.h"

bool steno_is_running = false;

// steno/context.h, which has no face in C. context.cc
void steno_set_context(const char* const* names, const char* const* values, int count);

static void say_warning(void* context, const char* text) {
  // This uses neither ereport() nor anything else that could log or allocate: the warning may come from within either.
  char line[1024];
  const int size = snprintf(line, sizeof line, "steno: %s\n", text);
  if (write(STDERR_FILENO, line, Min((size_t)size, sizeof line - 1)) < 0) return;
}

// Makes the directory as PostgreSQL makes its log_directory.
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
  options.level = STENO_LEVEL_TRACE;      // PostgreSQL chooses
  options.flush_level = STENO_LEVEL_OFF;  // messages ask for it (steno_write_soon())
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

// The part of a process's identity that may change, as the context has it.
static struct {
  pid_t pid;
  BackendType backend_type;  // with the process id it says what get_backend_type_for_log() does
  const char* user;
  const char* database;
  const char* client;
  const char* client_port;
  Oid role;
  char application[NAMEDATALEN];
  bool has_place;   // among the server's processes
  StenoWho leader;  // of a parallel worker
  bool has_leader;
} known;

// A worker's client is its leader's; that of the others is a connection, or none.
static void name_client(const char** user, const char** database, const char** client, const char** client_port) {
  if (MyProcPort != NULL) {
    *user = MyProcPort->user_name;
    *database = MyProcPort->database_name;
    *client = MyProcPort->remote_host;
    *client_port = MyProcPort->remote_port;
  } else if (known.has_leader && known.pid == MyProcPid) {
    *user = known.leader.user;
    *database = known.leader.database;
    *client = known.leader.client[0] != '\0' ? known.leader.client : NULL;
    *client_port = known.leader.client_port[0] != '\0' ? known.leader.client_port : NULL;
  } else {
    *user = steno_own_user();
    *database = steno_own_database();
    *client = NULL;
    *client_port = NULL;
  }
}

// For the workers that it may have.
static void publish(const char* session_id) {
  StenoWho who;
  memset(&who, 0, sizeof who);
  strlcpy(who.session_id, session_id, sizeof who.session_id);
  strlcpy(who.user, known.user != NULL ? known.user : "", sizeof who.user);
  strlcpy(who.database, known.database != NULL ? known.database : "", sizeof who.database);
  strlcpy(who.client, known.client != NULL ? known.client : "", sizeof who.client);
  strlcpy(who.client_port, known.client_port != NULL ? known.client_port : "", sizeof who.client_port);
  steno_publish_who(&who);
}

static void set_context(void) {
  static const char* const kNames[] = {"backend_type", "user",        "role",        "database",
                                       "client",       "client_port", "application", "session_id"};
  char session_id[40];  // as log_line_prefix has it
  const char* values[] = {
      get_backend_type_for_log(), known.user,        steno_role_name(), known.database, known.client,
      known.client_port,          known.application, session_id};
  if (known.has_leader) {
    strlcpy(session_id, known.leader.session_id, sizeof session_id);
  } else {
    snprintf(session_id, sizeof session_id, "%llx.%x", (unsigned long long)MyStartTime, (unsigned)MyProcPid);
  }
  if (known.has_place && MyProcPort != NULL) publish(session_id);
  steno_begin_texts();
  for (int i = 0; i < (int)lengthof(values); ++i) {
    if (values[i] != NULL) values[i] = steno_utf8(values[i], strlen(values[i])).data;
  }
  steno_set_context(kNames, values, lengthof(values));
}

void steno_update_identity(void) {
  const char* const application = application_name != NULL ? application_name : "";
  const bool has_place = MyProc != NULL;
  const Oid role = steno_role_id();
  const char* user;
  const char* database;
  const char* client;
  const char* client_port;
  if (known.pid != MyProcPid || (IsParallelWorker() && !known.has_leader)) {
    known.has_leader = IsParallelWorker() && steno_find_leader(&known.leader);
  }
  name_client(&user, &database, &client, &client_port);
  if (known.pid == MyProcPid && known.backend_type == MyBackendType && known.user == user &&
      known.database == database && known.client == client && known.client_port == client_port && known.role == role &&
      known.has_place == has_place && strcmp(known.application, application) == 0) {
    return;
  }
  known.pid = MyProcPid;
  name_client(&user, &database, &client, &client_port);
  known.backend_type = MyBackendType;
  known.user = user;
  known.database = database;
  known.client = client;
  known.client_port = client_port;
  known.role = role;
  known.has_place = has_place;
  strlcpy(known.application, application, sizeof known.application);
  set_context();
}

void steno_introduce(void) {
  if (steno_is_running && (known.pid != MyProcPid || !known.has_place) && MyProcPort != NULL) steno_update_identity();
}
