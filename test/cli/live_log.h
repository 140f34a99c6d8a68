// A process that logs at our word, and commands that run meanwhile.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../sanitizers.h"
#include "../shared_memory.h"
#include "run_command.h"

namespace steno::test {

// A place for a log and its staging, and children that log there.
class LiveLog : public ::testing::Test {
 protected:
  LiveLog() {
    (void)take_shared_memory();
    char directory[] = "/tmp/steno-live-XXXXXX";
    char staging[] = "/dev/shm/steno-live-XXXXXX";
    directory_ = mkdtemp(directory);
    staging_ = mkdtemp(staging);
    ::setenv("STENO_STAGING", staging_.c_str(), 1);
    check_no_leaks_in_children();
  }
  ~LiveLog() override {
    for (const Child& child : children_) {
      ::kill(child.pid, SIGKILL);
      ::waitpid(child.pid, nullptr, 0);
    }
    EXPECT_EQ(std::system(("rm -rf " + directory_ + " " + staging_).c_str()), 0);
  }

  std::string log() const { return directory_ + "/app.steno"; }

  // A child with a session on log() that calls act(word) for each tell(word), and ends in order after end().
  pid_t start(const std::function<void(char)>& act, steno::Options options = {}) {
    int to_child[2];
    int to_us[2];
    EXPECT_EQ(::pipe2(to_child, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(to_us, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(to_child[1]);
      if (options.path.empty()) options.path = log();
      if (!steno::start(options)) std::_Exit(1);
      char word = 'x';
      while (::write(to_us[1], &word, 1) == 1 && ::read(to_child[0], &word, 1) == 1) act(word);
      steno::stop();
      std::_Exit(0);
    }
    ::close(to_child[0]);
    ::close(to_us[1]);
    children_.push_back({child, to_child[1], to_us[0]});
    wait_for_answer();
    return child;
  }
  // Sends a word to the child that was started last; returns when it is done.
  void tell(char word) {
    EXPECT_EQ(::write(children_.back().control, &word, 1), 1);
    wait_for_answer();
  }
  void end() { take_last(0); }
  void kill() { take_last(SIGKILL); }

  std::string directory_;
  std::string staging_;

 private:
  struct Child {
    pid_t pid;
    int control;
    int answers;
  };
  void wait_for_answer() {
    char byte = 0;
    EXPECT_EQ(::read(children_.back().answers, &byte, 1), 1);
  }
  void take_last(int signal) {
    const Child child = children_.back();
    children_.pop_back();
    if (signal != 0) ::kill(child.pid, signal);
    ::close(child.control);
    ::waitpid(child.pid, nullptr, 0);
    ::close(child.answers);
  }

  std::vector<Child> children_;
};

// A steno command that runs beside the test, its output read as it comes: through a pipe, or on a terminal.
class Background {
 public:
  enum class On { kPipe, kTerminal };

  explicit Background(std::vector<std::string> arguments, On on = On::kPipe, winsize size = {24, 100, 0, 0}) {
    arguments.insert(arguments.begin(), STENO_BINARY);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int out[2] = {-1, -1};
    if (on == On::kPipe) {
      EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
      pid_ = ::fork();
    } else {
      pid_ = ::forkpty(&fd_, nullptr, nullptr, &size);
    }
    if (pid_ == 0) {
      if (on == On::kPipe) ::dup2(out[1], STDOUT_FILENO);
      const int errors = ::open(err_.path().c_str(), O_WRONLY | O_APPEND);
      if (on == On::kPipe) ::dup2(errors, STDERR_FILENO);
      ::setenv("TERM", "xterm", 1);
      ::execv(STENO_BINARY, argv.data());
      std::_Exit(127);
    }
    if (on == On::kPipe) {
      ::close(out[1]);
      fd_ = out[0];
    }
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
  ~Background() {
    if (pid_ > 0) stop(SIGKILL);
    ::close(fd_);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Reads until that holds of all that was printed so far, for ten seconds at most; all of it.
  const std::string& wait_until(const std::function<bool(const std::string&)>& holds) {
    for (int i = 0; i < 2000 && !holds(text_); ++i) {
      if (!read_more()) ::usleep(5000);
    }
    return text_;
  }
  const std::string& wait_for(const std::string& part) {
    return wait_until([&part](const std::string& text) { return text.find(part) != std::string::npos; });
  }
  const std::string& wait_for_lines(std::size_t lines) {
    return wait_until([lines](const std::string& text) {
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= lines;
    });
  }
  void type(const std::string& keys) { EXPECT_EQ(::write(fd_, keys.data(), keys.size()), ssize_t(keys.size())); }
  // The exit status, after this signal (0: none); 128 + the one that ended it.
  int stop(int signal) {
    int status = 0;
    if (pid_ <= 0) return -1;  // it has ended; -1 would be every process of the system
    if (signal != 0) ::kill(pid_, signal);
    // The output that it prints at its end must find room.
    for (int i = 0; i < 2000; ++i) {
      read_more();
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        while (read_more()) {
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      ::usleep(5000);
    }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return -1;
  }
  const std::string& text() const { return text_; }
  std::string errors() const { return read_file(err_.path()); }
  int fd() const { return fd_; }
  pid_t pid() const { return pid_; }

 private:
  bool read_more() {
    char bytes[4096];
    const ssize_t n = ::read(fd_, bytes, sizeof bytes);
    if (n > 0) text_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }

  const TempFile err_;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string text_;
};

}  // namespace steno::test
