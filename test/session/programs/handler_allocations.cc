// Signal handlers log without malloc, whose lock the interrupted code may hold: also as their
// thread's first call, across wraps, when it is cut, and when it is dropped. Usage: handler_allocations FILE.
#include <signal.h>
#include <steno/log.h>
#include <steno/session.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>

extern "C" void* __libc_malloc(std::size_t size);

extern "C" void log_in_c(const char* long_text);  // handler_statements.c

namespace {

thread_local volatile bool in_handler = false;
volatile int allocations = 0;

std::string long_text;
steno::Logger drops;

void handle(int) {
  in_handler = true;
  for (int i = 0; i < 1000; ++i) {
    STENO_ERROR("number {}", i);
    STENO_LOG_TO(drops, INFO, "text {}", "of a handler");
  }
  log_in_c(long_text.c_str());
  STENO_ERROR("long {}", long_text);
  in_handler = false;
}

}  // namespace

extern "C" void* malloc(std::size_t size) {
  if (in_handler) allocations = allocations + 1;
  return __libc_malloc(size);
}

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  remove(argv[1]);
  steno::Options options;
  options.path = argv[1];
  options.ring_bytes = 4096;
  if (!steno::start(options)) return 3;
  options.when_full = steno::WhenFull::kDrop;
  auto other = steno::Session::open(options);
  if (!other.ok()) return 3;
  drops = other->logger("drops");
  long_text.assign(100'000, 'x');
  signal(SIGUSR1, handle);
  for (int i = 0; i < 3; ++i) std::thread([] { raise(SIGUSR1); }).join();
  if (allocations != 0) {
    fprintf(stderr, "%d allocations by log calls of handlers\n", allocations);
    return 1;
  }
  return steno::flush().ok() && steno::stats().records == 3 * 1004 ? 0 : 2;
}
