// A program that is configured by a file (examples/steno.toml).
//
//   config steno.toml
//   STENO_CONFIG=other.toml config steno.toml
#include <steno/log.h>
#include <steno/session.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: config FILE\n");
    return 2;
  }
  if (!steno::start_from_file(argv[1])) return 1;
  const steno::Logger network = steno::logger("network");
  STENO_DEBUG("this is not enabled");
  STENO_LOG_TO(network, DEBUG, "connected to {host}", "db1");
  STENO_WARN("retry {n}", 1);
  STENO_WARN("{percent}% of the disk is full", 91);
  steno::stop();
}
