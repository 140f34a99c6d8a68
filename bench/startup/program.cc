// A program that is started by startup.cc: begins a session at the path that it is given, logs once, and prints when it
// has come how far, as nanoseconds of CLOCK_MONOTONIC: main(), the session, the first call.
#include <steno/log.h>
#include <steno/session.h>
#include <time.h>

#include <cstdio>

namespace {

long long now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  const long long begin = now_ns();
  if (argc != 2 || !steno::start(argv[1])) return 1;
  const long long started = now_ns();
  STENO_INFO("started with {} arguments", argc);
  const long long logged = now_ns();
  std::printf("%lld %lld %lld\n", begin, started, logged);
  return 0;
}
