// linked_copies CHILDREN: a program and libraries that each link the archive fork while they log: alpha and beta, or
// alpha and the program if STENO_PROGRAM_LOGS is defined. Process 0 is the parent. Each numbers its records from 0.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "linked_copy.h"
#if defined(STENO_PROGRAM_LOGS)
#include <steno/log.h>
#endif

namespace {

constexpr int kRecords = 500;

void log_all(int process, int first) {
  for (int i = first; i < first + kRecords; ++i) {
    alpha_log(process, i);
#if defined(STENO_PROGRAM_LOGS)
    STENO_INFO("{copy} {process} {number}", "program", process, i);
#else
    beta_log(process, i);
#endif
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int children = argc > 1 ? std::atoi(argv[1]) : 0;
  log_all(0, 0);
  for (int child = 1; child <= children; ++child) {
    std::thread other([child] { log_all(0, kRecords * (2 * child - 1)); });
    const pid_t pid = fork();
    if (pid < 0) return 2;
    if (pid == 0) {
      log_all(child, 0);
      std::thread([child] { log_all(child, kRecords); }).join();
      std::exit(0);
    }
    log_all(0, kRecords * 2 * child);
    other.join();
    int status = 0;
    if (waitpid(pid, &status, 0) != pid || status != 0) return 3;
  }
  return 0;
}
