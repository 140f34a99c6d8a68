// Finds who a process works for, beyond its connection: the role that it has taken, its leader's client, its database.
//
// Names of roles and databases are in catalogs, which must not be read where messages are written: an error may be at
// hand, or a lock held. So a worker without a client looks them up when its first transaction commits, and a client's
// backend leaves its own in shared memory for the workers that it will have.
#include "who.h"

#include "access/parallel.h"
#include "access/xact.h"
#include STENO_DATABASE_NAME_HEADER
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/guc.h"
#include "utils/memutils.h"

// A backend's client, by the number of its process. `pid`: 0 while it is written.
typedef struct Client {
  pg_atomic_uint32 pid;
  StenoWho who;
} Client;

static Client* clients;

Size steno_who_size(void) {
  return mul_size(Max(MaxBackends, 1), sizeof(Client));
}

void steno_attach_who(void) {
  bool found;
  clients = ShmemInitStruct("steno clients", steno_who_size(), &found);
  if (found) return;
  for (int i = 0; i < Max(MaxBackends, 1); ++i) pg_atomic_init_u32(&clients[i].pid, 0);
}

// NULL: a process that has no client.
static Client* client_of(const PGPROC* process) {
  const ptrdiff_t number = process - ProcGlobal->allProcs;
  return clients != NULL && number >= 0 && number < MaxBackends ? &clients[number] : NULL;
}

void steno_publish_who(const StenoWho* who) {
  Client* const mine = client_of(MyProc);
  if (mine == NULL) return;
  pg_atomic_write_u32(&mine->pid, 0);
  pg_write_barrier();
  mine->who = *who;
  pg_write_barrier();
  pg_atomic_write_u32(&mine->pid, (uint32)MyProcPid);
}

bool steno_find_leader(StenoWho* who) {
  const PGPROC* const leader = MyProc != NULL ? MyProc->lockGroupLeader : NULL;
  const Client* const its = leader != NULL && leader != MyProc ? client_of(leader) : NULL;
  if (its == NULL || pg_atomic_read_u32((pg_atomic_uint32*)&its->pid) != (uint32)leader->pid) return false;
  pg_read_barrier();
  *who = its->who;
  return true;
}

static char* own_database;
static char* own_user;

void steno_learn_who(void) {
  MemoryContext before;
  const char* name;
  if (MyProcPort != NULL || own_database != NULL || !OidIsValid(MyDatabaseId) || IsParallelWorker()) return;
  before = MemoryContextSwitchTo(TopMemoryContext);
  name = get_database_name(MyDatabaseId);
  own_database = name != NULL ? (char*)name : pstrdup("");
  own_user = GetUserNameFromId(GetSessionUserId(), true);
  MemoryContextSwitchTo(before);
}

const char* steno_own_database(void) {
  return own_database;
}

const char* steno_own_user(void) {
  return own_user;
}

Oid steno_role_id(void) {
  const Oid role = GetCurrentRoleId();
  if (OidIsValid(role) || !OidIsValid(MyDatabaseId)) return role;
  return GetSessionUserId() != GetAuthenticatedUserId() ? GetSessionUserId() : InvalidOid;
}

const char* steno_role_name(void) {
  if (!OidIsValid(steno_role_id())) return NULL;
  return GetConfigOption(OidIsValid(GetCurrentRoleId()) ? "role" : "session_authorization", true, false);
}
