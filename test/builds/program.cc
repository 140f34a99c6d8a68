// A program that logs itself and in a shared library, on two threads: 100,000 records in one session.
#include <steno/log.h>
#include <steno/session.h>

#include <thread>

void log_in_library(int records);

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  steno::Options options;
  options.path = argv[1];
  if (!steno::start(options)) return 1;
  log_in_library(1);
  for (int i = 0; i < 49999; ++i) STENO_INFO("program {}", i);
  std::thread([] {
    log_in_library(24999);
    STENO_INFO("program's thread");
  }).join();
  log_in_library(25000);
}
