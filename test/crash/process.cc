#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace steno::crash {

bool End::killed() const {
  return signalled && code == SIGKILL;
}

std::string End::text() const {
  return signalled ? std::string("signal ") + strsignal(code) : "exit status " + std::to_string(code);
}

Process::Process(std::vector<std::string> arguments, std::vector<std::string> environment, const std::string& output) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> env;
  for (std::string& variable : environment) env.push_back(variable.data());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (strncmp(*variable, "STENO_", 6) != 0) env.push_back(*variable);
  }
  env.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int error = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot run " + arguments[0] + ": " + strerror(error));
}

Process::Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

Process::~Process() {
  if (pid_ <= 0) return;
  kill();
  waitpid(pid_, nullptr, 0);
}

void Process::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

End Process::wait(int seconds) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (fd >= 0) {
    pollfd ended = {fd, POLLIN, 0};
    if (poll(&ended, 1, seconds * 1000) == 0) kill();
    close(fd);
  }
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? End{false, WEXITSTATUS(status)} : End{true, WTERMSIG(status)};
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void sleep_us(std::int64_t us) {
  timespec time = {us / 1'000'000, us % 1'000'000 * 1000};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
}

}  // namespace steno::crash
