// Tests what may reach a terminal from logs, staging and names that somebody else chose.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace steno_test {
namespace {

// Returns the output of a command on its terminal.
std::string on_terminal(std::vector<std::string> arguments) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    alarm(30);
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    setenv("STENO_PAGER", "cat", 1);  // another would wait for keys
    termios settings{};
    tcgetattr(1, &settings);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // else each "\n" comes as "\r\n"
    tcsetattr(1, TCSANOW, &settings);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(98);
  }
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);) {
    if (n > 0) out.append(buffer, static_cast<std::size_t>(n));
  }
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 98) << status;
  return out;
}

// The first thing in it that a terminal obeys or cannot read; empty: there is none.
std::string dangerous(const std::string& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto at = [&](std::size_t k) { return k < out.size() ? static_cast<unsigned char>(out[k]) : 0u; };
    const unsigned c = at(i);
    const bool line = c == '\n' || c == '\t' || (c == '\r' && at(i + 1) == '\n');  // CSV ends its lines so
    const bool c1 = c == 0xC2 && at(i + 1) < 0xA0;
    const bool direction = c == 0xE2 && ((at(i + 1) == 0x80 && at(i + 2) >= 0xAA && at(i + 2) <= 0xAE) ||
                                         (at(i + 1) == 0x81 && at(i + 2) >= 0xA6 && at(i + 2) <= 0xA9));
    const bool unseen = (c == 0xD8 && at(i + 1) == 0x9C) || (c == 0xE2 && at(i + 1) == 0x80 && at(i + 2) == 0x8B) ||
                        (c == 0xF3 && at(i + 1) == 0xA0) || (c == 0xEF && at(i + 1) == 0xBB && at(i + 2) == 0xBF);
    if ((c < 0x20 && !line) || c == 0x7F || c == 0xFF || c == 0xC0 || c1 || direction || unseen) {
      return "byte " + std::to_string(c) + " at " + std::to_string(i) + " of: " + out;
    }
    if (c == '\n' && out.compare(i + 1, 11, "2027-01-15 ") == 0) return "a forged line: " + out;
  }
  return "";
}

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    char name[] = "/tmp/steno-terminal-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    hostile_ = directory_ + "/\x1b[31m\xc2\x9bprogram\r\n2027-01-15 08:00:00Z";
    std::filesystem::copy_file(STENO_HOSTILE, hostile_);
    file_ = directory_ + "/\x1b[2J\x07 log\n2027-01-15 \xe2\x80\xae.steno";
  }
  ~TerminalTest() override { std::filesystem::remove_all(directory_); }

  void leave_orphan() {
    const pid_t child = fork();
    if (child == 0) {
      execl(hostile_.c_str(), hostile_.c_str(), file_.c_str(), directory_.c_str(), nullptr);
      _exit(98);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }

  std::string directory_;
  std::string hostile_;
  std::string file_;
};

TEST_F(TerminalTest, NothingDangerousIsSeen) {
  leave_orphan();
  if (HasFatalFailure()) return;
  setenv("STENO_STAGING", directory_.c_str(), 1);
  const std::string everything =
      "{level} {logger} {thread} {file} {basename} {function} {format} {program} {host} {message}";
  const std::vector<std::vector<std::string>> commands = {
      {"cat", file_},
      {"cat", "--format", "json", file_},
      {"cat", "--format", "csv", file_},
      {"cat", "--pattern", everything, file_},
      {"cat", "--no-sort", file_},
      {"cat", "--format", "logfmt", file_},
      {"tail", file_},
      {"agg", file_, "--by", "thread", "--by", "logger", "--by", "site"},
      {"agg", file_, "--by", "thread", "--by", "logger", "--by", "site", "--format", "csv"},
      {"agg", file_, "--by", "thread", "--by", "logger", "--by", "site", "--format", "json"},
      {"sites", file_},
      {"sites", "--json", file_},
      {"stat", "--columns", file_},
      {"stat", "--json", file_},
      {"verify", file_, hostile_, file_},
      {"ps"},
      {"ps", "--json"},
      {"cat", file_ + "/no \x1b[2J such"},
      {"verify", hostile_},
      {"recover", file_},
      {"cat", file_},
      {"\x1b[2J", "--\x07"},
  };
  for (std::vector<std::string> arguments : commands) {
    arguments.insert(arguments.begin(), STENO_BINARY);
    const std::string out = on_terminal(arguments);
    EXPECT_NE(out, "") << arguments[1];
    EXPECT_EQ(dangerous(out), "") << arguments[1] << " " << (arguments.size() > 2 ? arguments[2] : "");
  }
  // It was there to be seen.
  const std::string raw = on_terminal({STENO_BINARY, "cat", "--raw", file_});
  EXPECT_NE(raw.find("\x1b[2J"), std::string::npos);
  EXPECT_NE(dangerous(raw), "");
}

}  // namespace
}  // namespace steno_test
