// counting_program FILE: logs into FILE, a record every 5 ms and another one at DEBUG, until it is killed or a minute
// is over.
#include <steno/log.h>
#include <steno/session.h>

#include <chrono>
#include <thread>

int main(int argc, char** argv) {
  if (argc != 2 || !steno::start(argv[1])) return 2;
  const steno::Logger logger = steno::logger("counting");
  for (int n = 0; n < 12'000; ++n) {
    STENO_INFO("count {n}", n);
    STENO_LOG_TO(logger, DEBUG, "detail of {n}", n);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}
