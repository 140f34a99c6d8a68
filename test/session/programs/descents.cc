// descents LOG SEED: children of every kind, at random, while threads log: by fork(), with handlers that log; from a
// signal handler, which returns in the child; by the system call clone and _Fork(), which run no handlers; by vfork()
// and posix_spawn(). With a third argument all children are a signal handler's, and records so large that every fourth
// call takes the long way, where the handler interrupts it. Prints what is expected in the log, a line each: "NAME
// RECORDS" of messages "NAME NUMBER"; "discarded RECORDS"; "interrupted CALLS", of which the child may log one once
// more, or discard it.
#include <pthread.h>
#include <spawn.h>
#include <steno/log.h>
#include <steno/logf.h>
#include <steno/session.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace {

constexpr int kThreads = 2;

const char* log_path;
std::string name = "0";  // of this process
std::atomic<int> logged{0};
std::atomic<int> next_child{0};
bool handlers_log = false;

volatile std::sig_atomic_t is_of_handler = 0;

[[noreturn]] void end_child_of_handler() {
  for (int i = 0; i < 10; ++i) STENO_INFO("of handler {} {}", is_of_handler, i);
  std::exit(0);
}

void say(int records) {
  for (int i = 0; i < records; ++i) {
    STENO_INFO("{} {}", name, logged++);
    if (is_of_handler != 0) end_child_of_handler();
  }
}

void on_fork() {
  if (handlers_log) say(3);
}

// Begins a child that has a session of its own.
void begin_child(const std::string& parents, int number) {
  name = parents + "." + std::to_string(number);
  logged = 0;
}

void print_expected() {
  std::printf("%s %d\n", name.c_str(), logged.load());
  std::fflush(stdout);
}

void await(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "child of %s: status %d\n", name.c_str(), status);
    _exit(20);
  }
}

void fork_child(std::mt19937& random, int depth) {
  const int number = next_child++;
  const bool grandchild = depth == 0 && random() % 3 == 0;
  const std::string parents = name;
  const pid_t child = fork();
  if (child == 0) {
    begin_child(parents, number);
    say(50);
    std::thread([] { say(50); }).join();
    if (grandchild) fork_child(random, 1);
    print_expected();
    std::exit(0);
  }
  await(child);
}

pid_t clone_child(bool by_library) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  if (by_library) return _Fork();
#endif
  (void)by_library;
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

int discarded = 0;

void make_raw_child(std::mt19937& random) {
  const int records = static_cast<int>(random() % 200);
  const pid_t child = clone_child(random() % 2 == 0);
  if (child == 0) {
    for (int i = 0; i < records; ++i) STENO_INFO("raw child of {} {} {}", name, i, "which must not be in any ring");
    _exit(0);
  }
  await(child);
  discarded += records;
}

void make_vfork_child() {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  await(child);
}

void spawn() {
  char path[] = "/bin/true";
  char* const arguments[] = {path, nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, path, nullptr, nullptr, arguments, environ) != 0) _exit(21);
  await(child);
}

volatile std::sig_atomic_t forks_of_handler = 0;

// Interrupts say(), which goes on in the child.
void fork_in_handler(int) {
  forks_of_handler = forks_of_handler + 1;
  const pid_t child = fork();
  if (child == 0) {
    is_of_handler = forks_of_handler;
    return;
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "child of a handler: status %d\n", status);
    _exit(22);
  }
}

}  // namespace

int main(int, char** argv) {
  log_path = argv[1];
  const bool all_in_handlers = argv[3] != nullptr;
  if (all_in_handlers) name += std::string(1000, 'x');
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[2])));
  pthread_atfork(on_fork, on_fork, nullptr);
  if (!steno::start(log_path)) return 1;
  say(1);
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  std::signal(SIGUSR1, fork_in_handler);
  std::atomic<bool> stops{false};
  std::vector<std::thread> threads;
  std::vector<int> said(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&stops, &said, t] {
      int& i = said[static_cast<std::size_t>(t)];
      while (!stops && i < 200'000) {
        STENO_INFO("thread {} {}", t, i++);
        if (i % 500 == 0) (void)steno::set_levels(i % 1000 == 0 ? "net=debug" : "net=info");
        if (i % 700 == 0) steno::logf(steno::Level::kDebug, ("made " + std::to_string(i) + " %d").c_str(), i);
        if (i % 900 == 0) std::thread([] { STENO_DEBUG("short"); }).join();
        if (i % 20 == 0) usleep(10);
      }
    });
  }
  for (int step = 0; step < (all_in_handlers ? 150 : 40); ++step) {
    say(static_cast<int>(random() % 100));
    handlers_log = random() % 2 == 0;
    switch (all_in_handlers ? 5 : random() % 6) {
      case 0:
      case 1:
        fork_child(random, 0);
        break;
      case 2:
        make_raw_child(random);
        break;
      case 3:
        make_vfork_child();
        break;
      case 4:
        spawn();
        break;
      default: {
        handlers_log = false;
        const pthread_t self = pthread_self();
        const int before = forks_of_handler;
        std::atomic<bool> may_come{false};
        const unsigned delay = static_cast<unsigned>(random() % 2000);
        std::thread other([self, delay, &may_come] {
          while (!may_come) {
          }
          for (volatile unsigned i = 0; i < delay;) i = i + 1;
          pthread_kill(self, SIGUSR1);
        });
        pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);  // not where malloc may be interrupted: fork() waits for it
        may_come = true;
        while (forks_of_handler == before) say(all_in_handlers ? 1 : 20);
        pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
        if (is_of_handler != 0) end_child_of_handler();
        other.join();
        break;
      }
    }
  }
  stops = true;
  for (std::thread& thread : threads) thread.join();
  print_expected();
  for (int t = 0; t < kThreads; ++t) std::printf("thread %d %d\n", t, said[static_cast<std::size_t>(t)]);
  for (int i = 1; i <= forks_of_handler; ++i) std::printf("of handler %d 10\n", i);
  std::printf("discarded %d\ninterrupted %d\n", discarded, static_cast<int>(forks_of_handler));
  return 0;
}
