#include "scenarios/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace steno::bench {

namespace {

constexpr std::size_t kMostNumbers = 256;  // a pipe takes them in one piece

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "scenarios: %s\n", what);
  std::exit(1);
}

}  // namespace

std::vector<double> in_own_process(const std::string& directory,
                                   const std::function<std::vector<double>(const std::string& log)>& measure) {
  int ends[2];
  if (pipe(ends) != 0) fail("no pipe");
  const std::string own = directory + "/own";
  std::filesystem::create_directories(own);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::vector<double> numbers = measure(own + "/log");
    const std::size_t bytes = numbers.size() * sizeof(double);
    _exit(numbers.size() <= kMostNumbers && write(ends[1], numbers.data(), bytes) == static_cast<ssize_t>(bytes) ? 0
                                                                                                                 : 1);
  }
  close(ends[1]);
  std::vector<double> numbers(kMostNumbers);
  const ssize_t bytes = child > 0 ? read(ends[0], numbers.data(), kMostNumbers * sizeof(double)) : -1;
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  std::filesystem::remove_all(own);
  if (bytes < 0 || status != 0) fail("a measurement failed");
  numbers.resize(static_cast<std::size_t>(bytes) / sizeof(double));
  return numbers;
}

}  // namespace steno::bench
