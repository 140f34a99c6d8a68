// Processes that log without a scribe of their own, and 'steno scribe', which drains them.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "live_process.h"
#include "staging/find_staging.h"
#include "staging/foreign_staging.h"

namespace steno::test {

inline constexpr std::chrono::seconds kPatience{100};  // with a loaded machine

// Logs messages `begin` to `end`, and waits for room as long as it takes.
inline Options patient(const std::string& path) {
  Options options;
  options.path = path;
  options.ring_bytes = std::size_t{1} << 18;  // they grow
  options.block_at_most = kForever;
  return options;
}
inline void log_numbers(int begin, int end) {
  for (int n = begin; n < end; ++n) STENO_INFO("message {n} of {who}", n, "child");
}

class ExternalTest : public LiveTest {
 protected:
  ExternalTest() { ::setenv("STENO_SCRIBE", "external", 1); }
  ~ExternalTest() override {
    ::unsetenv("STENO_SCRIBE");
    for (const pid_t scribe : scribes_) {
      ::kill(scribe, SIGKILL);
      ::waitpid(scribe, nullptr, 0);
    }
  }

  pid_t start_scribe(std::vector<std::string> arguments = {}) {
    if (arguments.empty()) arguments = {log()};
    arguments.insert(arguments.begin(), "scribe");
    return start_program(STENO_BINARY, std::move(arguments));
  }
  // Starts another program that is a scribe; it is ended and waited for as one.
  pid_t start_program(const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    if (control_ >= 0) ::fcntl(control_, F_SETFD, FD_CLOEXEC);  // the child's input ends when we close it
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 2, said().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    pid_t pid = 0;
    EXPECT_EQ(::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    scribes_.push_back(pid);
    return pid;
  }
  int end_scribe(pid_t scribe, int signal) {
    ::kill(scribe, signal);
    int status = 0;
    ::waitpid(scribe, &status, 0);
    std::erase(scribes_, scribe);
    return status;
  }
  // The status of one that has ended by itself; -1: it runs.
  int end_of(pid_t scribe) {
    int status = 0;
    if (::waitpid(scribe, &status, WNOHANG) != scribe) return -1;
    std::erase(scribes_, scribe);
    return status;
  }
  // A child that does `what`; its status is the child's.
  pid_t run_child(const std::function<int()>& what) {
    const pid_t child = ::fork();
    if (child == 0) std::exit(what());
    children_.push_back(child);
    return child;
  }
  // Children that log so many messages each, with numbers of their own.
  std::vector<pid_t> log_at_once(int processes, int messages, int from = 0) {
    std::vector<pid_t> all;
    for (int i = 0; i < processes; ++i) {
      all.push_back(run_child([this, begin = from + i * messages, messages] {
        if (!steno::start(patient(log()))) return 1;
        log_numbers(begin, begin + messages);
        steno::stop();
        return 0;
      }));
    }
    return all;
  }
  int wait_for(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    std::erase(children_, child);
    return status;
  }
  void end_child(pid_t child) {
    ::close(control_);
    EXPECT_EQ(wait_for(child), 0);
  }

  static bool eventually(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  bool all_is_on_file() const {
    return eventually([&] { return staging_here().empty(); });
  }
  // Returns the staging of this test alone, without directories that wait to be taken over.
  std::vector<std::string> staging_here() const {
    std::vector<std::string> found = all_staging_here();
    std::erase_if(found, is_vacant);
    return found;
  }
  std::vector<std::string> vacant_here() const {
    std::vector<std::string> found = all_staging_here();
    std::erase_if(found, [](const std::string& directory) { return !is_vacant(directory); });
    return found;
  }
  std::vector<std::string> all_staging_here() const {
    std::vector<std::string> found = staging::find_staging(staging::Whose::kOwn, {staging_});
    std::erase_if(found, [&](const std::string& directory) { return !directory.starts_with(staging_); });
    return found;
  }
  static bool is_vacant(const std::string& directory) {
    const auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kRead,
                                                    staging::ForeignStaging::Extent::kSession);
    return view.ok() && view->state() == staging::State::kOrphan && view->session().vacant != 0;
  }
  off_t size() const {
    struct stat st {};
    return ::stat(log().c_str(), &st) == 0 ? st.st_size : 0;
  }
  std::string said() const { return directory_ + "/said"; }
  std::string what_scribes_said() const {
    std::ifstream file(said());
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // Returns the number of records in the file alone, as 'cat --count' prints it.
  std::string count_without_staging() const {
    ::setenv("STENO_STAGING", directory_.c_str(), 1);  // nobody's
    const std::string count = run_steno({"cat", "--count", log()}).out;
    ::setenv("STENO_STAGING", staging_.c_str(), 1);
    return count;
  }
  // The numbers of the messages in the log; each must be there once.
  std::set<int> numbers() const {
    std::set<int> found;
    std::istringstream lines(run_steno({"cat", "--pattern", "{message}", log()}).out);
    for (std::string line; std::getline(lines, line);) {
      int number = 0;
      if (std::sscanf(line.c_str(), "message %d", &number) != 1) continue;
      EXPECT_TRUE(found.insert(number).second) << line;
    }
    return found;
  }
  static std::set<int> numbers_below(int end) {
    std::set<int> all;
    for (int i = 0; i < end; ++i) all.insert(all.end(), i);
    return all;
  }

  std::vector<pid_t> scribes_;
};

// Returns one of a few hundred names, which are others after a while: blocks share such strings (file.md §12).
inline std::string name_of(int n) {
  std::minstd_rand letters(static_cast<unsigned>(1 + n / 40'000 * 1000 + n % 300));
  std::string name(24, ' ');
  for (char& c : name) c = static_cast<char>('a' + letters() / 256 % 26);
  return name;
}

}  // namespace steno::test
