// The command's arguments. Input: the arguments, each up to a NUL. They are run in a directory of their own that holds
// files of spec/vectors, with nothing else in reach: arguments that name another place are left out.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "command_line.h"
#include "fuzz_input.h"

namespace {

namespace fs = std::filesystem;

// Returns whether an argument would wait for ever, or reach beyond the directory: to staging of other processes of this
// machine. add_argument() limits how long `top` watches.
bool leads_away(std::string_view argument) {
  if (argument.find('/') != argument.npos || argument.find("..") != argument.npos) return true;
  for (const char* option : {"--follow", "--live", "--all", "--root", "--interval"}) {
    if (argument.starts_with(option)) return true;
  }
  const bool short_flags = argument.size() > 1 && argument[0] == '-' && argument[1] != '-';
  return short_flags && argument.find('f') != argument.npos;
}

// `top` watches one round, as short as it can be. The options stand right after the word: a "--" may follow.
void add_argument(std::string_view argument, std::vector<std::string>& arguments) {
  const bool is_first = std::find(arguments.begin(), arguments.end(), "top") == arguments.end();
  arguments.emplace_back(argument);
  if (argument != "top") return;
  arguments.emplace_back("--once");
  if (is_first) arguments.emplace_back("--interval=10ms");
}

std::string make_directory() {
  std::string path = (fs::temp_directory_path() / "cli-fuzz-XXXXXX").string();
  steno::fuzz::require(::mkdtemp(path.data()) != nullptr, "a directory can be made");
  return path;
}

const fs::path& directory() {
  static const fs::path path = make_directory();
  return path;
}

// Anew for every input: `--svg` and `--output` write where they are told to.
void put_files() {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory())) fs::remove_all(entry);
  for (const char* name : {"all_types", "two_sessions", "damaged_block", "hostile_text"}) {
    fs::copy_file(fs::path(STENO_VECTORS) / (std::string(name) + ".steno"), directory() / std::string(1, name[0]));
  }
}

void enter_directory() {
  fs::current_path(directory());
  std::atexit([] {
    std::error_code ignored;
    fs::remove_all(directory(), ignored);
  });
}

// Gives signals back that a command has taken: they are libFuzzer's.
class KeepSignals {
 public:
  KeepSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &before_[i]);
  }
  ~KeepSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  KeepSignals(const KeepSignals&) = delete;
  KeepSignals& operator=(const KeepSignals&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_;
};

void silence(int fd) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, fd);
  ::close(null);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  enter_directory();
  silence(STDIN_FILENO);
  silence(STDOUT_FILENO);
  ::unsetenv("STENO_STAGING");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steno::ByteReader in(data, size);
  std::vector<std::string> texts = {"steno"};
  while (!in.at_end() && texts.size() < 16) {
    const std::string_view argument = steno::fuzz::take_text(in);
    if (!leads_away(argument)) add_argument(argument, texts);
  }
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  put_files();
  const KeepSignals keep_signals;
  const int code = steno::cli::run_command_line(static_cast<int>(texts.size()), arguments.data());
  steno::fuzz::require(code >= 0 && code <= 3, "the exit codes are those of the manual");
  return 0;
}
