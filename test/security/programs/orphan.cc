// Logs one message and is killed before it is on file:  orphan FILE STAGING MESSAGE
#include <signal.h>
#include <steno/log.h>
#include <steno/session.h>

#include <chrono>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  const steno::Status status =
      steno::try_start({.path = argv[1], .flush_interval = std::chrono::hours(1), .staging_directory = argv[2]});
  if (!status.ok()) {
    fprintf(stderr, "%s\n", status.message().c_str());
    return 3;
  }
  STENO_INFO("{}", argv[3]);
  return raise(SIGKILL);
}
