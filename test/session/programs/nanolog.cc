// Uses NanoLog's interface like programs written for it, NanoLog's tests, samples and benchmark among them: every
// way to name a severity, statements wherever they may stand, each conversion, and the counters of its inside. Its log
// is compared with nanolog.expected; what it can see itself it checks.
#define EXPOSE_PRIVATES

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <thread>
#include <vector>

#include "nanolog_header.h"

using namespace NanoLog::LogLevels;

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "not so: %s\n", what);
}

void severities() {
  NANO_LOG(NOTICE, "plain");
  NANO_LOG(NanoLog::WARNING, "of NanoLog");
  NANO_LOG(LogLevels::ERROR, "of LogLevels");
  NANO_LOG(NanoLog::LogLevels::NOTICE, "of NanoLog::LogLevels");
  NANO_LOG(LogLevel::WARNING, "of the type");
  NANO_LOG(NanoLog::DEBUG, "left out");
}

void statements() {
  static const char kWithEnd[] = "end\0not this";
  const char* pointer = kWithEnd;
  NANO_LOG(NOTICE, "array %s, pointer %s", kWithEnd, pointer);
  int i = 0;
  NANO_LOG(NOTICE, "one");
  ++i;
  NANO_LOG(NOTICE, "two on a line, %d", i);
  ++i;  // clang-format off
  NANO_LOG
  (
      NOTICE
      ,
      "over %s"
      " lines", /* a comment */ "several"  // another
  )
  ;
  { NANO_LOG(NOTICE, "in braces, %s", std::string("of a temporary").c_str()); }  // clang-format on
  if (i == 2) NANO_LOG(NOTICE, "without braces");
  NANO_LOG(NOTICE, "once: %d", ++i);
  check(i == 3, "an argument is evaluated once");
  NANO_LOG(DEBUG, "left out: %d", ++i);
  check(i == 3, "an argument of what is left out is not evaluated");
  NANO_LOG(NOTICE, "{braces} \"quotes\" 100%%");
  int NANO_LOG = 1;  // a name of its own, without parentheses
  ++NANO_LOG;
  check(NANO_LOG == 2, "the name can be a variable's");
  in_the_header();
  LOG(NOTICE, "by another macro");
}

void strings() {
  char* const unterminated = static_cast<char*>(malloc(6));
  memset(unterminated, 'a', 6);
  NANO_LOG(NOTICE, "%.4s %.*s %.1000000s", unterminated, 5, unterminated, "short");
  free(unterminated);
  NANO_LOG(NOTICE, "'%*s' '%5s' '%-8s'", 8, "right", "Hello World", "left");
}

void conversions() {
  NANO_LOG(WARNING, "%d %i %u %o %x %X %f %F %e %E %g %G %a %A %c %s %p", -1, -2, 3u, 4u, 5u, 6u, 7.0, 8.0, 9.0, 10.0,
           11.0, 12.0, 13.0, 14.0, 'a', "abc", reinterpret_cast<void*>(1));
  NANO_LOG(WARNING, "%hhd %hhi %hhu %hho %hhx %hd %hu", static_cast<signed char>(-1), static_cast<signed char>(-2),
           static_cast<unsigned char>(3), static_cast<unsigned char>(4), static_cast<unsigned char>(5),
           static_cast<short>(-20000), static_cast<unsigned short>(20002));
  NANO_LOG(WARNING, "%ld %lu %lld %llu", -(1L << 30), (1UL << 30) + 2, -(1LL << 60), 1ULL << 63);
  NANO_LOG(WARNING, "%jd %ju %zd %zu %td %tx", static_cast<intmax_t>(-1), static_cast<uintmax_t>(2),
           static_cast<ssize_t>(-3), static_cast<size_t>(4), static_cast<ptrdiff_t>(-5), static_cast<ptrdiff_t>(6));
  NANO_LOG(WARNING, "%Lf %Le %Lg %La", 7.0L, 8.0L, 9.0L, 10.0L);
  const void* const address = reinterpret_cast<const void*>(0x7ffe075cbe7d);
  NANO_LOG(WARNING, "%p %*.*lf|%*d|%0.2lf", address, 9, 2, 12345.12345, 6, 123, 3.14159);
}

void levels() {
  check(NanoLog::getLogLevel() == NOTICE, "NOTICE is what a program begins with");
  for (const LogLevel level : {DEBUG, NOTICE, WARNING, ERROR, SILENT_LOG_LEVEL}) {
    NanoLog::setLogLevel(level);
    check(NanoLog::getLogLevel() == level, "getLogLevel() is what setLogLevel() has set");
    NANO_LOG(DEBUG, "debug at %d", static_cast<int>(level));
    NANO_LOG(NOTICE, "notice at %d", static_cast<int>(level));
    NANO_LOG(WARNING, "warning at %d", static_cast<int>(level));
    NANO_LOG(ERROR, "error at %d", static_cast<int>(level));
  }
  NanoLog::setLogLevel(NOTICE);
}

// Threads begin at once, as in the benchmark, and the counters are checked afterwards.
constexpr int kThreads = 3;
constexpr uint64_t kCalls = 1000;

void run(pthread_barrier_t* barrier) {
  NanoLog::preallocate();
  pthread_barrier_wait(barrier);
  const uint64_t before = NanoLogInternal::RuntimeLogger::stagingBuffer->numAllocations;
  for (uint64_t i = 0; i < kCalls; ++i) {
    NANO_LOG(NOTICE, "Simple log message with 0 parameters");
  }
  check(NanoLogInternal::RuntimeLogger::stagingBuffer->numAllocations - before == kCalls, "calls of a thread");
}

void counters() {
  NanoLog::setLogFile("counters");
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::vector<std::thread> threads;
  for (int i = 1; i < kThreads; ++i) threads.emplace_back(run, &barrier);
  run(&barrier);
  for (std::thread& thread : threads) thread.join();
  pthread_barrier_destroy(&barrier);
  NanoLog::sync();
  const uint64_t written = NanoLogInternal::RuntimeLogger::nanoLogSingleton.logsProcessed;
  const uint64_t cycles = NanoLogInternal::RuntimeLogger::nanoLogSingleton.cyclesCompressing;
  const uint32_t blocked = NanoLogInternal::RuntimeLogger::stagingBuffer->numTimesProducerBlocked;
  const uint64_t stuck = NanoLogInternal::RuntimeLogger::stagingBuffer->cyclesProducerBlocked;
  check(written == kThreads * kCalls, "what was logged is written after sync()");
  check(cycles > 0, "the scribe has taken time");
  check((blocked == 0) == (stuck == 0), "who was blocked waited");
  check(NanoLog::getStats().find("records in the file: 3000\n") != std::string::npos, "getStats()");
  check(NanoLog::getCoreIdOfBackgroundThread() >= 0, "the scribe has a processor");
  NanoLog::printConfig();
}

}  // namespace

int main() {
  NanoLog::setLogFile("nanolog.steno");
  NanoLog::preallocate();
  severities();
  statements();
  strings();
  conversions();
  levels();
  counters();
  return failures == 0 ? 0 : 1;
}
