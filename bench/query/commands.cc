#include "query/commands.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace steno::bench {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

}  // namespace

double seconds_of(const std::string& line, int rounds, std::string* output) {
  double best = kFailed;
  for (int round = 0; round < rounds; ++round) {
    const double begin = seconds_now();
    FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return kFailed;
    std::string text;
    std::array<char, 4096> chunk{};
    while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe)) text.append(chunk.data(), n);
    if (::pclose(pipe) != 0) {
      std::fprintf(stderr, "failed: %s\n", line.c_str());
      return kFailed;
    }
    best = std::min(best, seconds_now() - begin);
    if (output != nullptr) *output = text;
  }
  return best;
}

double scaled_seconds(const std::function<std::string(const std::string&)>& line, const std::string& file,
                      const std::string& empty, double factor, int rounds) {
  const double start = seconds_of(line(empty), std::max(rounds, 2));
  const double all = seconds_of(line(file), rounds);
  return start + std::max(all - start, 0.0) * factor;
}

double seconds_to_first_byte(const std::string& line, int rounds) {
  double best = kFailed;
  for (int round = 0; round < rounds; ++round) {
    const double begin = seconds_now();
    FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return kFailed;
    char first = 0;
    const bool came = ::read(::fileno(pipe), &first, 1) == 1;
    const double seconds = seconds_now() - begin;
    ::pclose(pipe);
    if (!came) {
      std::fprintf(stderr, "prints nothing: %s\n", line.c_str());
      return kFailed;
    }
    best = std::min(best, seconds);
  }
  return best;
}

void in_child(const std::function<void()>& work) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    std::exit(0);
  }
  int status = 0;
  if (child > 0 && ::waitpid(child, &status, 0) == child && status == 0) return;
  std::fprintf(stderr, "the process that makes a log has failed\n");
  std::exit(1);
}

bool have(const std::string& command) {
  return std::system(("command -v " + quoted(command) + " >/dev/null 2>&1").c_str()) == 0;
}

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

Flags parse_flags_in_memory(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string option = "--dir";
  std::string directory = "/dev/shm";
  if (::access(directory.c_str(), W_OK) == 0) {
    arguments.insert(arguments.begin() + 1, {option.data(), directory.data()});  // a later one wins
  }
  return parse_flags(static_cast<int>(arguments.size()), arguments.data());
}

void* shared_with_children(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) return memory;
  std::perror("mmap");
  std::exit(1);
}

}  // namespace steno::bench
