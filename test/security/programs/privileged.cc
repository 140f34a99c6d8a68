// Prints which of its environment it takes:  privileged FILE
#include <steno/log.h>
#include <steno/session.h>

#include <unistd.h>

#include <cstdio>

#include "runtime/core.h"
#include "staging/directory.h"

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  for (const std::string& root : steno::staging::staging_roots("")) printf("root %s\n", root.c_str());
  const bool from_environment = steno::try_start({}).ok();
  printf("STENO_PATH %s\n", from_environment ? "taken" : "ignored");
  if (!from_environment) {
    const steno::Status status = steno::try_start({.path = argv[1]});
    if (!status.ok()) printf("%s\n", status.message().c_str());
  }
  printf("level %s\n", steno::level_name(steno::level()));
  printf("staging %s\n", steno::runtime::core_of_slot(0)->staging().path().c_str());
  steno::stop();
  fflush(nullptr);
  _exit(0);  // a leak checker may not look into a privileged process
}
