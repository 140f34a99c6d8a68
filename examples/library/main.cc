// A program with a library that logs.
#include <steno/log.h>
#include <steno/session.h>

#include "pool.h"

int main() {
  steno::start("app.steno");
  Pool pool(1);
  const int connection = pool.acquire("db1");
  if (pool.acquire("db2") < 0) STENO_ERROR("cannot serve without {host}", "db2");
  pool.release(connection);
}
