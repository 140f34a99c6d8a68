// live_program FILE: logs into FILE, a record every 2 ms and one at DEBUG of a logger, until it is killed or a minute
// is over. Says so on standard output once it logs.
//
// live_program FILE RECORDS: logs so many records of 16,000 characters which JSON writes with six each, and of a
// secret, and ends.
//
// live_program FILE RECORDS requests: logs so many requests of a few tenants, and ends.
//
// live_program FILE line: logs by two statements of one line, and ends.
//
// live_program FILE drops: logs into a small ring until records are dropped, and ends.
#include <steno/log.h>
#include <steno/secret.h>
#include <steno/session.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

void log_long(int records) {
  const std::string text(16'000, '\x01');
  for (int n = 0; n < records; ++n) STENO_INFO("number {n} {text} {word}", n, text, steno::secret("sesame"));
}

int log_drops(const char* path) {
  steno::Options options;
  options.path = path;
  options.ring_bytes = 64 << 10;
  options.when_full = steno::WhenFull::kDrop;
  if (!steno::start(options)) return 2;
  const std::string text(16'000, 'x');
  for (int n = 0; steno::stats().dropped == 0; ++n) STENO_INFO("number {n} {text}", n, text);
  steno::stop();
  return 0;
}

int log_requests(const char* path, int records) {
  if (!steno::start(path)) return 2;
  const char* const tenants[] = {"acme", "globex", "initech", "umbrella", "hooli"};
  std::uint32_t random = 1;
  for (int n = 0; n < records; ++n) {
    random = random * 1'664'525 + 1'013'904'223;
    const char* const tenant = tenants[(random >> 8) % 5];
    const double elapsed = static_cast<double>(random >> 12) / 1000;
    if (random % 97 == 0) {
      STENO_ERROR("request {id} of {tenant} failed after {elapsed} ms", n, tenant, elapsed);
    } else {
      STENO_INFO("request {id} of {tenant} took {elapsed} ms", n, tenant, elapsed);
    }
  }
  steno::stop();
  return 0;
}

// A macro's statements have one place.
#define TWO_ON_A_LINE(n)                     \
  do {                                       \
    STENO_INFO("first of a line: {n}", n);   \
    STENO_ERROR("second of a line: {n}", n); \
  } while (false)

int log_line(const char* path) {
  if (!steno::start(path)) return 2;
  for (int n = 0; n < 3; ++n) TWO_ON_A_LINE(n);
  STENO_INFO("first of a line: {n}", 3);
  steno::stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && argv[2] == std::string("drops")) return log_drops(argv[1]);
  if (argc > 2 && argv[2] == std::string("line")) return log_line(argv[1]);
  if (argc > 3) return log_requests(argv[1], std::atoi(argv[2]));
  if (argc < 2 || !steno::start(argv[1])) return 2;
  if (argc > 2) {
    log_long(std::atoi(argv[2]));
    steno::stop();
    return 0;
  }
  const steno::Logger logger = steno::logger("detail");
  for (int n = 0; n < 30'000; ++n) {
    STENO_INFO("count {n}", n);
    STENO_LOG_TO(logger, DEBUG, "detail of {n}", n);
    if (n == 0) std::puts("logs"), std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}
