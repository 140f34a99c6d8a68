// A prefork server: workers are forked and serve a socket; all log to one file, which a scribe outside writes
// (README.md).
//   prefork LOG [WORKERS] [REQUESTS]      64 workers and 10,000 requests, which the parent makes itself
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <steno/c.h>

enum { kMostWorkers = 1000 };
static volatile sig_atomic_t ends;

static void end(int signal) {
  (void)signal;
  ends = 1;
}

// Each worker has a session of its own, from its first statement on. It needs no thread.
static void serve(int listener, int worker) {
  char request[64];
  unsigned long served = 0;
  steno_set_thread_name("worker");
  STENO_INFO("worker {worker} serves", worker);
  while (!ends) {
    const int client = accept(listener, NULL, NULL);
    if (client < 0) {
      if (errno != EINTR) STENO_ERRORF("accept: %m");
      continue;
    }
    const ssize_t size = read(client, request, sizeof request);
    if (size > 0) {
      STENO_INFO("request {request} for worker {worker}", steno_text(request, (size_t)size), worker);
      ++served;
      if (write(client, "done", 4) != 4) STENO_WARNF("worker %d: nobody waits for the answer: %m", worker);
    }
    close(client);
  }
  STENO_INFO("worker {worker} served {served}", worker, served);
  exit(0);  // its session ends with it
}

static int ask(const struct sockaddr_un* address, int number) {
  char text[64];
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (server < 0 || connect(server, (const struct sockaddr*)address, sizeof *address) != 0) return -1;
  const int size = snprintf(text, sizeof text, "/item/%d", number);
  const int done = write(server, text, (size_t)size) == size && read(server, text, sizeof text) == 4;
  close(server);
  return done ? 0 : -1;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: prefork LOG [WORKERS] [REQUESTS]\n");
    return 2;
  }
  static pid_t children[kMostWorkers];
  int workers = argc > 2 ? atoi(argv[2]) : 64;
  if (workers < 1 || workers > kMostWorkers) workers = kMostWorkers;
  const int requests = argc > 3 ? atoi(argv[3]) : 10000;

  steno_options options;
  steno_error error;
  STENO_OPTIONS(&options);
  options.external_scribe = true;
  options.ring_bytes = 65536;  // for each worker that logs
  if (steno_try_start(argv[1], &options, &error) != STENO_OK) {
    fprintf(stderr, "not logging: %s\n", error.text);
    return 1;
  }

  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "prefork-%d", (int)getpid());  // no file: abstract
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (const struct sockaddr*)&address, sizeof address) != 0 ||
      listen(listener, 128) != 0) {
    STENO_CRITICALF("no socket to listen at: %m");
    return 1;
  }

  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = end;  // without SA_RESTART: accept() is to return
  sigaction(SIGTERM, &action, NULL);
  for (int worker = 0; worker < workers; ++worker) {
    children[worker] = fork();
    if (children[worker] == 0) serve(listener, worker);
    if (children[worker] < 0) {
      STENO_CRITICALF("fork: %m");
      workers = worker;
    }
  }

  int failed = 0;
  for (int i = 0; i < requests; ++i) failed += ask(&address, i) != 0;
  for (int worker = 0; worker < workers; ++worker) {
    // Again until it is gone: it may have looked at `ends` just before it called accept().
    while (kill(children[worker], SIGTERM) == 0 && waitpid(children[worker], NULL, WNOHANG) == 0) usleep(1000);
  }
  STENO_NOTICE("{requests} requests, {failed} without an answer, {workers} workers", requests, failed, workers);
  steno_stop();  // waits for the scribe
  return failed != 0;
}
