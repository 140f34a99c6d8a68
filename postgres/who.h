// Finds who a process works for.
#pragma once

#include "steno_pg.h"

// A client, as messages of its workers name it; what is longer is cut.
typedef struct StenoWho {
  char session_id[40];
  char user[NAMEDATALEN];
  char database[NAMEDATALEN];
  char client[64];
  char client_port[16];
} StenoWho;

// Publishes the identity of this process, once it has its place among the server's processes (MyProc).
void steno_publish_who(const StenoWho* who);
// Finds the identity of the backend that this parallel worker works for; false: it has not said.
bool steno_find_leader(StenoWho* who);

// The kind of a process without a client; NULL: not known yet. Valid as long as the process lives.
const char* steno_own_database(void);
const char* steno_own_user(void);

// The role of SET ROLE or SET SESSION AUTHORIZATION; invalid, or NULL: that of the connection.
Oid steno_role_id(void);
const char* steno_role_name(void);
