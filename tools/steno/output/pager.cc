#include "output/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include "input/inputs.h"

namespace steno::cli {
namespace {

constexpr const char* kUsual = "less -FRX";
// How a shell ends that cannot start what it was told to.
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

struct Pager {
  bool is_allowed = false;
  std::string command;
  bool is_chosen = false;  // by the user: that it cannot be started is worth a word
};
Pager the_pager;

// A signal handler may look at these.
volatile std::sig_atomic_t pager_pipe = -1;
volatile std::sig_atomic_t pager_errors = -1;  // standard error, as it was
volatile std::sig_atomic_t pager_process = -1;

std::string chosen_command(const std::string* configured, bool* is_chosen) {
  *is_chosen = true;
  if (const char* const own = std::getenv("STENO_PAGER"); own != nullptr) return own;
  if (configured != nullptr) return *configured;
  if (const char* const usual = std::getenv("PAGER"); usual != nullptr && *usual != '\0') return usual;
  *is_chosen = false;
  return kUsual;
}

std::vector<std::string> words_of_pager(const std::string& command) {
  // A shell must read words that only a shell understands.
  if (command.find_first_of("|&;<>()$`\\\"'*?[#~=%\n") != std::string::npos) return {"sh", "-c", command};
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// The wait status of the pager; 0: there is none. Async-signal-safe.
int close_and_wait() {
  if (pager_pipe >= 0) ::close(pager_pipe);
  pager_pipe = -1;
  if (pager_errors >= 0) {
    ::dup2(pager_errors, STDERR_FILENO);
    ::close(pager_errors);
    pager_errors = -1;
  }
  if (pager_process < 0) return 0;
  int status = 0;
  while (::waitpid(static_cast<pid_t>(pager_process), &status, 0) < 0 && errno == EINTR) {
  }
  pager_process = -1;  // not before: a signal that comes meanwhile waits too
  return status;
}

// The user is still reading: the shell must not take the terminal away from the pager.
void wait_and_end(int signal) {
  close_and_wait();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// 0, or an error.
int start_pager(std::vector<std::string> words, int input, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int one : {SIGPIPE, SIGXFSZ}) sigaddset(&defaults, one);  // this process ignores them
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  // The values that people give these variables: without them `less` and `lv` show colours as the bytes they are made
  // of.
  std::vector<char*> environment;
  for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
  std::string less = "LESS=FRX";
  std::string lv = "LV=-c";
  if (std::getenv("LESS") == nullptr) environment.push_back(less.data());
  if (std::getenv("LV") == nullptr) environment.push_back(lv.data());
  environment.push_back(nullptr);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = ::posix_spawnp(pid, argv[0], &actions, &attributes, argv.data(), environment.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

void allow_pager(const std::string* configured) {
  the_pager.command = chosen_command(configured, &the_pager.is_chosen);
  const std::vector<std::string> words = words_of_pager(the_pager.command);
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
  the_pager.is_allowed =
      !words.empty() && words != std::vector<std::string>{"cat"} && (the_pager.is_chosen || !is_dumb);
}

void forbid_pager() {
  the_pager.is_allowed = false;
}

int page(int fd) {
  if (fd != STDOUT_FILENO) return fd;
  if (pager_process >= 0) return pager_pipe;
  if (!the_pager.is_allowed || ::isatty(fd) != 1) return fd;
  the_pager.is_allowed = false;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fd;
  pid_t pid = -1;
  const int error = start_pager(words_of_pager(the_pager.command), ends[0], &pid);
  ::close(ends[0]);
  if (error != 0) {
    ::close(ends[1]);
    if (the_pager.is_chosen) {
      complain("the pager '" + the_pager.command + "' cannot be started: " + std::strerror(error) +
               "; set STENO_PAGER, or write --no-pager");
    }
    return fd;
  }
  for (const int end : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (::signal(end, wait_and_end) == SIG_IGN) ::signal(end, SIG_IGN);
  }
  pager_pipe = ends[1];
  // Complaints on the same terminal would be written across the pager's screen.
  if (::isatty(STDERR_FILENO) == 1) {
    pager_errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (pager_errors >= 0) ::dup2(ends[1], STDERR_FILENO);
  }
  pager_process = pid;
  return ends[1];
}

bool wait_for_pager() {
  const int status = close_and_wait();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (code != kCannotRun && code != kNotFound) return true;
  complain("the pager '" + the_pager.command + "' could not be started (its exit status is " + std::to_string(code) +
           "), so nothing was shown; set STENO_PAGER, or write --no-pager");
  return false;
}

}  // namespace steno::cli
