// Runs a command and catches what it says.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "../reader/temp_file.h"

namespace steno::test {

// Settings of this machine's user are not for tests.
inline const int kNoUserSettings = ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1) + ::setenv("STENO_PAGER", "cat", 1);

struct Ran {
  int code = -1;  // 128 + signal if one ended it
  std::string out;
  std::string err;
};

// `arguments` go behind the path of the steno command; standard input is `input`.
inline Ran run_steno(std::vector<std::string> arguments, const std::string& input = "") {
  const TempFile in(input);
  const TempFile out;
  const TempFile err;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, in.path().c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, out.path().c_str(), O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, err.path().c_str(), O_WRONLY, 0);
  arguments.insert(arguments.begin(), STENO_BINARY);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, STENO_BINARY, &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot run " STENO_BINARY);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out.path()),
          read_file(err.path())};
}

// The output and exit status of a shell command line, in which $STENO is the command and $FILE the given file.
inline Ran run_shell(const std::string& line, const std::string& file = "") {
  const TempFile out;
  const std::string command =
      "export STENO='" STENO_BINARY "' FILE='" + file + "'; { " + line + "; } > " + out.path() + " 2>&1";
  const int status = std::system(("exec bash -c \"" +
                                  [&] {
                                    std::string quoted;
                                    for (const char c : command) {
                                      if (c == '"' || c == '$' || c == '\\' || c == '`') quoted += '\\';
                                      quoted += c;
                                    }
                                    return quoted;
                                  }() +
                                  "\"")
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out.path()), ""};
}

}  // namespace steno::test
