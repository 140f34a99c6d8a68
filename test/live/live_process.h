// A process that logs at our word and may be killed, and the command, which looks on.
#pragma once

#include <gtest/gtest.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "../cli/run_command.h"
#include "../shared_memory.h"

namespace steno::test {

// A place for a log and its staging, and a child that logs.
class LiveTest : public ::testing::Test {
 protected:
  LiveTest() {
    (void)take_shared_memory();
    char directory[] = "/tmp/steno-live-XXXXXX";
    char staging[] = "/dev/shm/steno-live-XXXXXX";
    directory_ = mkdtemp(directory);
    staging_ = mkdtemp(staging);
    ::setenv("STENO_STAGING", staging_.c_str(), 1);
  }
  ~LiveTest() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    EXPECT_EQ(std::system(("rm -rf " + directory_ + " " + staging_).c_str()), 0);
  }

  std::string log() const { return directory_ + "/app.steno"; }

  // Logs `messages` from 0 on, says so, and then goes on with one more each time it gets a byte; at the end of its
  // input it ends in order.
  pid_t start(int messages) {
    int to_child[2];
    int to_us[2];
    EXPECT_EQ(::pipe(to_child), 0);
    EXPECT_EQ(::pipe(to_us), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(to_child[1]);
      if (!steno::start({.path = log()})) std::_Exit(1);
      int next = 0;
      char byte = 0;
      do {
        const int end = next == 0 ? messages : next + 1;
        for (; next < end; ++next) STENO_INFO("message {n} of {who}", next, "child");
        if (::write(to_us[1], "x", 1) != 1) std::_Exit(1);
      } while (::read(to_child[0], &byte, 1) == 1);
      steno::stop();
      std::exit(0);
    }
    ::close(to_child[0]);
    ::close(to_us[1]);
    control_ = to_child[1];
    answers_ = to_us[0];
    wait_for_answer();
    children_.push_back(child);
    return child;
  }
  // Starts a session, does `what`, says so, and waits for its end.
  pid_t start_with(const std::function<void()>& what, steno::Options options = {.ring_bytes = 65536}) {
    int to_us[2];
    EXPECT_EQ(::pipe(to_us), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      options.path = log();
      if (!steno::start(options)) std::_Exit(1);
      what();
      if (::write(to_us[1], "x", 1) == 1) ::pause();
      std::_Exit(1);
    }
    ::close(to_us[1]);
    answers_ = to_us[0];
    wait_for_answer();
    children_.push_back(child);
    return child;
  }
  void wait_for_answer() {
    char byte = 0;
    EXPECT_EQ(::read(answers_, &byte, 1), 1);
  }
  void log_one_more() {
    EXPECT_EQ(::write(control_, "x", 1), 1);
    wait_for_answer();
  }
  void kill(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::erase(children_, child);
  }

  // The line of a child that died, with its time left out.
  static std::string death_of(pid_t child) {
    return "process " + std::to_string(child) + " (" + ::program_invocation_short_name +
           ") died at about TIME: everything that it logged is here\n";
  }
  static std::string without_times(const std::string& text) {
    return std::regex_replace(text, std::regex("died at about [^ ]*Z:"), "died at about TIME:");
  }
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  std::string directory_;
  std::string staging_;
  std::vector<pid_t> children_;
  int control_ = -1;
  int answers_ = -1;
};

// Follows in the background; what it printed is in a file.
class Tail {
 public:
  Tail(const std::string& log, const std::string& out) : out_(out), pid_(::fork()) {
    if (pid_ != 0) return;
    if (std::freopen(out.c_str(), "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr) {
      std::_Exit(1);
    }
    ::execl(STENO_BINARY, STENO_BINARY, "tail", "-f", "-n", "1000000", "--pattern", "{message}", log.c_str(), nullptr);
    std::_Exit(1);
  }
  ~Tail() { stop(); }
  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  // Waits until it has printed so many lines; what it printed.
  std::string wait_for(std::size_t lines) const {
    std::string text;
    for (int i = 0; i < kMostLooks; ++i) {
      std::ifstream in(out_);
      std::stringstream all;
      all << in.rdbuf();
      text = all.str();
      if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= lines) break;
      ::usleep(5000);
    }
    return text;
  }

 private:
  static constexpr int kMostLooks = 2000;

  std::string out_;
  pid_t pid_;
};

}  // namespace steno::test
