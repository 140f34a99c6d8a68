// Keeps a scribe running: `steno scribe`, which drains the rings of all processes of this server into the log.
//
// The scribe is a process of its own, outside of the server's process group and without its shared memory: it may be
// killed at any moment, and what ends the server's processes does not end it. It lives until the postmaster has gone,
// by a pipe of the postmaster's that it holds, so that the last message of a shutdown is written as well. A lock says
// that there is one; it goes with the scribe. When settings change that it is run with, another one takes its place.
#include "scribe_command.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file_perm.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "postmaster/postmaster.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/ps_status.h"

PGDLLEXPORT void steno_scribe_main(Datum argument);

enum { kLifeline = 3, kLock = 4 };
enum { kRefused = 2 };  // with which `steno` exits that does not take its arguments, or what the sinks' file has
#define LOCK_FILE "steno.lock"  // in the data directory

static void wake(SIGNAL_ARGS) {
  const int saved = errno;
  SetLatch(MyLatch);
  errno = saved;
}

static void close_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
  for (int fd = first; fd < 65536; ++fd) (void)close(fd);
}

// In the child: becomes the scribe, which inherits the lock.
pg_noreturn static void become_scribe(ScribeCommand* command, int lock) {
  const int lifeline = postmaster_alive_fds[POSTMASTER_FD_WATCH];
  sigset_t none;
  // Both may be where the others are to go.
  const int high_lifeline = fcntl(lifeline, F_DUPFD, 16);
  const int high_lock = fcntl(lock, F_DUPFD, 16);
  sigemptyset(&none);
  (void)setsid();
  for (int number = 1; number < NSIG; ++number) (void)pqsignal(number, PG_SIG_DFL);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
  if (dup2(high_lifeline, kLifeline) < 0 || dup2(high_lock, kLock) < 0) _exit(126);
  close_from(kLock + 1);
  steno_note_command(kLock, command);
  steno_execute_command(command);
}

// Another scribe is there: that of the server before, or of a worker before this one. It ends where it was run with
// other settings.
static void look_at_other(int lock, const ScribeCommand* command) {
  static pid_t ended;
  ScribeCommand other;
  const pid_t who = steno_noted_command(lock, &other);
  if (who == 0 || who == ended || steno_is_same_command(&other, command)) return;
  ended = who;
  (void)kill(who, SIGTERM);
}

// Returns its process id, 0 if another scribe is there, -1 if there cannot be one.
static pid_t start_scribe(ScribeCommand* command) {
  const int lock = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, pg_file_create_mode);
  pid_t child;
  if (lock < 0) {
    ereport(WARNING, (errcode_for_file_access(), errmsg("could not open \"%s\": %m", LOCK_FILE)));
    return -1;
  }
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    look_at_other(lock, command);
    close(lock);
    return 0;
  }
  child = fork();
  if (child == 0) become_scribe(command, lock);
  if (child < 0) ereport(WARNING, (errmsg("could not start the scribe: %m")));
  close(lock);  // the scribe's copy keeps it
  return child;
}

// Returns whether the scribe could be executed, and did not exit with an error; reports how it ended.
static bool has_begun(int status) {
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126)) {
    ereport(WARNING, (errmsg("could not execute \"%s\"", steno_command),
                      errhint("Set \"steno.command\" to the path of the command steno.")));
    return false;
  }
  if (WIFSIGNALED(status)) {
    ereport(LOG, (errmsg("the scribe was ended by signal %d; another one goes on", WTERMSIG(status))));
  } else if (WEXITSTATUS(status) != 0) {
    ereport(LOG, (errmsg("the scribe ended with status %d; another one goes on", WEXITSTATUS(status))));
    return false;
  }
  return true;
}

// The log goes on in a new file after a rotation, by whomever. False: it has no file yet.
static bool follow_file(const char* path) {
  static dev_t device;
  static ino_t inode;
  static off_t size;
  struct stat file;
  bool is_same;
  if (stat(path, &file) != 0) return inode != 0;
  // The number of a file that is gone is given to the next one.
  is_same = file.st_dev == device && file.st_ino == inode && file.st_size >= size;
  size = file.st_size;
  if (is_same) return true;
  if (inode != 0) steno_log_texts_again();
  device = file.st_dev;
  inode = file.st_ino;
  return true;
}

void steno_scribe_main(Datum argument) {
  char* const path = steno_absolute_path();
  const char* sinks = *steno_sinks != '\0' ? steno_sinks : NULL;  // the working directory is the data directory
  ScribeCommand running;                                          // of the scribe that this worker has started
  ScribeCommand wanted;
  pid_t scribe = 0;
  pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
  pqsignal(SIGHUP, SignalHandlerForConfigReload);
  pqsignal(SIGCHLD, wake);
  BackgroundWorkerUnblockSignals();
  while (!ShutdownRequestPending) {
    int status;
    long pause = 1000;
    if (scribe > 0 && waitpid(scribe, &status, WNOHANG) == scribe) {
      scribe = 0;
      if (!has_begun(status)) {
        if (sinks == NULL || WEXITSTATUS(status) != kRefused) goto rest;
        // The log is not to wait until the file is right.
        ereport(WARNING, (errmsg("the scribe goes on without the sinks of \"%s\"", sinks),
                          errhint("The message before this one says what is wrong with them.")));
        sinks = NULL;
      }
    }
    if (!follow_file(path)) pause = 50;
    steno_make_scribe_command(&wanted, path, sinks, kLifeline);
    if (scribe <= 0) {
      running = wanted;
      scribe = start_scribe(&running);
    } else if (!steno_is_same_command(&running, &wanted)) {
      (void)kill(scribe, SIGTERM);  // it writes what there is; the next one goes on
      running = wanted;
    }
    if (scribe == 0) pause = 100;  // that of the server before, or of a worker before this one
  rest:
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, pause, PG_WAIT_EXTENSION);
    ResetLatch(MyLatch);
    if (ConfigReloadPending) {
      ConfigReloadPending = false;
      ProcessConfigFile(PGC_SIGHUP);
    }
  }
  proc_exit(0);  // the scribe goes on until the postmaster has gone
}

// The name by which the postmaster's children load this library: its name where PostgreSQL has its libraries, else its
// path.
static void name_library(char* name, size_t size) {
  Dl_info library;
  char directory[MAXPGPATH];
  if (dladdr((void*)steno_scribe_main, &library) == 0) ereport(FATAL, (errmsg("steno does not find its library")));
  strlcpy(directory, library.dli_fname, sizeof directory);
  get_parent_directory(directory);
  if (strlcpy(name, strcmp(directory, pkglib_path) == 0 ? "steno" : library.dli_fname, size) >= size) {
    ereport(FATAL, (errmsg("the path \"%s\" is too long for a background worker", library.dli_fname)));
  }
}

void steno_register_worker(void) {
  BackgroundWorker worker;
  memset(&worker, 0, sizeof worker);
  worker.bgw_flags = BGWORKER_SHMEM_ACCESS;
  worker.bgw_start_time = BgWorkerStart_PostmasterStart;
  worker.bgw_restart_time = 1;
  name_library(worker.bgw_library_name, sizeof worker.bgw_library_name);
  strlcpy(worker.bgw_function_name, "steno_scribe_main", sizeof worker.bgw_function_name);
  strlcpy(worker.bgw_name, "steno scribe", sizeof worker.bgw_name);
  strlcpy(worker.bgw_type, "steno scribe", sizeof worker.bgw_type);
  RegisterBackgroundWorker(&worker);
}
