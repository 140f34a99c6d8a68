// A daemon: options from a file, SIGHUP begins a new log file, SIGTERM ends it in order.
//   daemon CONFIG
#include <signal.h>
#include <steno/log.h>
#include <steno/session.h>

#include <cstdio>
#include <ctime>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: daemon CONFIG\n");
    return 2;
  }
  // Blocked before there are threads, so that none is interrupted: sigtimedwait() takes them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  steno::Options options;  // what the file does not say
  options.path = "daemon.steno";
  options.crash_record = true;
  if (!steno::start_from_file(argv[1], options)) return 1;  // the reason is on stderr
  const steno::Logger jobs = steno::logger("jobs");
  STENO_NOTICE("started");

  const timespec pause = {0, 10'000'000};
  for (unsigned long job = 1;; ++job) {
    const int number = sigtimedwait(&signals, nullptr, &pause);
    if (number == SIGHUP) {
      const steno::Status rotated = steno::rotate();
      if (!rotated.ok()) STENO_ERROR("the log was not rotated: {reason}", rotated.message());
    } else if (number > 0) {
      STENO_NOTICE("ended by signal {number}", number);
      break;
    }
    STENO_LOG_TO(jobs, DEBUG, "job {job} begins", job);
    STENO_LOG_TO(jobs, INFO, "job {job} is done", job);
  }
  steno::stop();  // what was logged is on file when the process has ended
}
