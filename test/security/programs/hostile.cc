// Puts what terminals obey wherever a program can put text, and is killed, half of it on file:
//   hostile FILE STAGING
#include <signal.h>
#include <steno/log.h>
#include <steno/session.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "../hostile_text.h"

#line 1 "\33]0;file\7\33[2J.cc"
static void log_all(const steno::Logger& logger, const std::string& text) {
  STENO_ERROR("\33[31mformat\r\n2027-01-15 08:00:00Z INFO forged {}", text);
  STENO_LOG_TO(logger, WARN, "{} {}", text.c_str(), text);
}

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const std::string text = steno_test::kHostileText;
  steno::Options options;
  options.path = argv[1];
  options.staging_directory = argv[2];
  options.flush_interval = std::chrono::hours(1);
  options.flush_level = steno::kLevelOff;
  const steno::Status status = steno::try_start(options);
  if (!status.ok()) {
    fprintf(stderr, "%s\n", status.message().c_str());
    return 3;
  }
  steno::set_thread_name(text);
  log_all(steno::logger(text), text);
  (void)steno::flush();
  log_all(steno::logger(text), text);
  return raise(SIGKILL);
}
