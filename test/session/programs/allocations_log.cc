// allocations_log LOG [when-full]: malloc logs every allocation, from the first one of the process to the last: those
// that steno makes, at the begin and the end of threads, at a fork, and when the process ends.
#include <steno/context.h>
#include <steno/log.h>
#include <steno/logf.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void __libc_free(void* old);
}

namespace {

__thread bool inside = false;

void log_allocation(std::size_t size) {
  if (inside) return;
  inside = true;
  STENO_INFO("{size} bytes", size);
  inside = false;
}

void log_free() {
  if (inside) return;
  inside = true;
  STENO_LOGF(INFO, "free %d", 1);
  inside = false;
}

void use(int number) {
  STENO_INFO("use {}", number);
  const steno::ScopedContext context("number", number);
  steno::logf({steno::Level::kInfo, __FILE__, __LINE__, __func__},
              (std::string("a format that is long enough for the heap, ") + std::to_string(number % 7)).c_str());
  STENO_LOG_TO(steno::logger("a logger of a long name, so that it is on the heap: " + std::to_string(number)), INFO,
               "{}", std::string(3000, 'x'));
  (void)steno::set_levels("net.http.a.long.name.of.a.logger=debug");
  (void)steno::flush();
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) {
  log_allocation(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  log_allocation(count * size);
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  log_allocation(size);
  return __libc_realloc(old, size);
}
void free(void* old) {
  log_free();
  __libc_free(old);
}
}

int main(int argc, char** argv) {
  steno::Options options(argv[1]);
  options.ring_bytes = 1 << 16;
  if (argc > 2) options.when_full = steno::WhenFull::kDrop;
  if (!steno::start(options)) return 1;
  use(0);
  std::vector<std::thread> threads;
  for (int i = 1; i <= 8; ++i) threads.emplace_back([i] { use(i); });
  for (std::thread& thread : threads) thread.join();
  const pid_t child = fork();
  if (child == 0) {
    use(9);
    std::exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 2;
  steno::stop();
  if (!steno::start(options)) return 3;
  use(10);
  return 0;
}
