// The pager and the user's file, as a person at a terminal has them.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

std::string log_to_page(std::int32_t records = 30) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kWarn, "round {n}", "i");
  for (std::int32_t i = 0; i < records; ++i) {
    b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(i), Args().i32(i));
  }
  return b.end().bytes();
}

// A directory of this test's own, removed at its end: the user's configuration.
class Home {
 public:
  Home() {
    char name[] = "/tmp/steno-home-XXXXXX";
    path_ = ::mkdtemp(name);
    ::setenv("XDG_CONFIG_HOME", path_.c_str(), 1);
    for (const char* variable : {"STENO_PAGER", "PAGER", "STENO_FORMAT", "NO_COLOR"}) ::unsetenv(variable);
    ::setenv("TERM", "xterm", 1);
  }
  ~Home() {
    std::filesystem::remove_all(path_);
    ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    for (const char* variable : {"PAGER", "STENO_FORMAT", "NO_COLOR"}) ::unsetenv(variable);
    ::setenv("STENO_PAGER", "cat", 1);
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  std::string file() const { return path_ + "/steno/steno.toml"; }
  std::string mark() const { return path_ + "/mark"; }
  void set(const std::string& text) const {
    std::filesystem::create_directories(path_ + "/steno");
    std::ofstream(file()) << text;
  }

 private:
  std::string path_;
};

// A shell's line, with a terminal of 100 columns as its input and outputs; without the terminal's carriage returns.
Ran run_at_terminal(const std::string& line) {
  winsize size{40, 100, 0, 0};
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    ::setenv("STENO", STENO_BINARY, 1);
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  Ran ran;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);) {
    if (n > 0) ran.out.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(terminal);
  int status = 0;
  ::waitpid(pid, &status, 0);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::erase(ran.out, '\r');
  return ran;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Pager, GetsWhatATerminalWouldShow) {
  const Home home;
  const TempFile file(log_to_page());
  const std::string plain = run_at_terminal("$STENO cat --no-pager " + file.path()).out;
  ASSERT_TRUE(has(plain, "round 29")) << plain;
  ::setenv("STENO_PAGER", "tr a-z A-Z; echo paged", 1);
  for (const std::string command : {"cat", "tail", "agg", "stat", "sites", "verify"}) {
    const Ran ran = run_at_terminal("$STENO " + command + " " + file.path());
    EXPECT_EQ(ran.code, 0) << command;
    EXPECT_TRUE(has(ran.out, "paged\n")) << command << ran.out;
  }
  EXPECT_TRUE(has(run_at_terminal("$STENO help where").out, "paged\n"));
  EXPECT_TRUE(has(run_at_terminal("$STENO top --help").out, "paged\n"));
  // Colours and short times are as without a pager.
  ::setenv("STENO_PAGER", "cat -", 1);
  EXPECT_EQ(run_at_terminal("$STENO cat " + file.path()).out, plain);
  // There is no pager where nobody reads, nor for output without end.
  ::setenv("STENO_PAGER", "echo paged", 1);
  for (const std::string line : {"$STENO cat --no-pager $F", "$STENO --version", "$STENO cat $F | cat",
                                 "timeout 0.3 $STENO tail -f $F", "timeout 0.3 $STENO cat -f $F"}) {
    EXPECT_FALSE(has(run_at_terminal("F=" + file.path() + "; " + line).out, "paged")) << line;
  }
}

TEST(Pager, IsNotStartedWithoutATerminal) {
  const Home home;
  const TempFile file(log_to_page());
  ::setenv("STENO_PAGER", ("touch " + home.mark()).c_str(), 1);
  EXPECT_EQ(run_steno({"cat", file.path()}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(home.mark()));
  // A mistake is not worth a pager.
  EXPECT_EQ(run_at_terminal("$STENO cat --nonsense").code, 2);
  EXPECT_FALSE(std::filesystem::exists(home.mark()));
}

TEST(Pager, TheNearestChoiceWins) {
  const Home home;
  const TempFile file(log_to_page(1));
  const auto paged_by = [&] { return run_at_terminal("$STENO cat " + file.path()).out; };
  ::setenv("PAGER", "echo PAGER", 1);
  EXPECT_EQ(paged_by(), "PAGER\n");
  home.set("pager = \"echo file\"\n");
  EXPECT_EQ(paged_by(), "file\n");
  ::setenv("STENO_PAGER", "echo STENO_PAGER", 1);
  EXPECT_EQ(paged_by(), "STENO_PAGER\n");
  ::setenv("STENO_PAGER", "", 1);  // none
  EXPECT_TRUE(has(paged_by(), "round 0"));
  ::unsetenv("STENO_PAGER");
  home.set("pager = \"\"\n");
  EXPECT_TRUE(has(paged_by(), "round 0"));
}

// The exit status is that of the command, whatever the pager's is, and a pager that is left early is no error.
TEST(Pager, ExitStatusIsTheCommands) {
  const Home home;
  const TempFile file(log_to_page(200'000));
  ::setenv("STENO_PAGER", "head -n 1", 1);
  const Ran early = run_at_terminal("$STENO cat " + file.path());
  EXPECT_EQ(early.code, 0) << early.out;
  EXPECT_TRUE(has(early.out, "round 0\n")) << early.out;
  EXPECT_FALSE(has(early.out, "round 1\n"));
  ::setenv("STENO_PAGER", "cat; exit 7", 1);
  const TempFile small(log_to_page(3));
  EXPECT_EQ(run_at_terminal("$STENO cat " + small.path()).code, 0);
  std::string bytes = log_to_page(3);
  bytes[bytes.size() / 2] ^= 1;
  const TempFile damaged(bytes);
  const Ran ran = run_at_terminal("$STENO sites " + damaged.path() + "; echo status $?");
  EXPECT_TRUE(has(ran.out, "status 1\n")) << ran.out;
  EXPECT_TRUE(has(ran.out, "steno: " + damaged.path())) << ran.out;
}

TEST(Pager, OneThatIsMissingIsSaid) {
  const Home home;
  const TempFile file(log_to_page(2));
  ::setenv("STENO_PAGER", "no-such-pager -x", 1);
  const Ran ran = run_at_terminal("$STENO cat " + file.path());
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(has(ran.out,
                  "steno: the pager 'no-such-pager -x' cannot be started: No such file or directory; set "
                  "STENO_PAGER, or write --no-pager"))
      << ran.out;
  EXPECT_TRUE(has(ran.out, "round 1"));
  // Without STENO_PAGER, no message complains that there is no `less`.
  ::unsetenv("STENO_PAGER");
  const Ran none = run_at_terminal("PATH=/nonexistent; $STENO cat " + file.path());
  EXPECT_TRUE(has(none.out, "round 1") && !has(none.out, "pager")) << none.out;
}

// A shell starts it, and says only by its own end that it could not.
TEST(Pager, OneThatAShellCannotStartIsAnError) {
  const Home home;
  const TempFile file(log_to_page(2));
  for (const std::string pager : {"no-such-pager 'x'", "'/'"}) {
    ::setenv("STENO_PAGER", pager.c_str(), 1);
    const Ran ran = run_at_terminal("$STENO cat " + file.path());
    EXPECT_EQ(ran.code, 3) << pager << ran.out;
    EXPECT_TRUE(has(ran.out, "steno: the pager '" + pager + "' could not be started")) << ran.out;
  }
}

// less and lv show colours only where they are told to; what the user has set stays.
TEST(Pager, IsToldToShowColours) {
  const Home home;
  const TempFile file(log_to_page(1));
  ::setenv("PAGER", "echo \"[$LESS] [$LV]\"", 1);
  EXPECT_EQ(run_at_terminal("unset LESS LV; $STENO cat " + file.path()).out, "[FRX] [-c]\n");
  EXPECT_EQ(run_at_terminal("export LESS=M LV=; $STENO cat " + file.path()).out, "[M] []\n");
}

// Ctrl-C belongs to the pager: the command ends, but not before the user has left the pager.
TEST(Pager, ASignalWaitsForThePager) {
  const Home home;
  const TempFile file(log_to_page(2));
  // The pager sends it to the command, and goes on for a while.
  ::setenv("STENO_PAGER", "trap '' INT; cat >/dev/null; kill -INT $PPID; sleep 0.3; echo left", 1);
  const Ran ran = run_at_terminal("$STENO cat " + file.path() + "; echo status $?");
  EXPECT_TRUE(has(ran.out, "left\nstatus 130\n")) << ran.out;
}

TEST(UserSettings, OptionsThenEnvironmentThenFile) {
  const Home home;
  const TempFile file(log_to_page(1));
  const auto line = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"cat", file.path()});
    const Ran ran = run_steno(more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  };
  home.set("format = \"file {n}\"\ntime_format = \"s\"\ncolor = \"always\"\n");
  EXPECT_EQ(line({}), "file 0\n");
  EXPECT_EQ(line({"--columns", "n"}), "0\n");
  EXPECT_EQ(line({"--pattern", "{time}"}).size(), std::string("2027-01-15 08:00:00Z\n").size());
  EXPECT_EQ(line({"--pattern", "{time}", "--time-format", "ms"}).size(),
            std::string("2027-01-15 08:00:00.000Z\n").size());
  EXPECT_TRUE(has(line({"--show-context", "never"}), "\x1b["));
  EXPECT_FALSE(has(line({"--show-context", "never", "--color", "never"}), "\x1b["));
  ::setenv("STENO_FORMAT", "environment {n}", 1);
  EXPECT_EQ(line({}), "environment 0\n");
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(has(line({"--show-context", "never"}), "\x1b["));
  // Programs read these: the file is for people.
  EXPECT_TRUE(has(line({"--format", "json"}), ":00.000000000Z\"")) << line({"--format", "json"});
  ::unsetenv("STENO_FORMAT");
  home.set("columns = [\"n\", \"message\"]\n");
  EXPECT_EQ(line({}), "0\tround 0\n");
  EXPECT_EQ(line({"--format", "csv"}).substr(0, 5), "time,");
}

TEST(UserSettings, AMistakeIsNamedByItsPlace) {
  const Home home;
  const TempFile file(log_to_page(1));
  const auto said = [&](const std::string& text) {
    home.set(text);
    const Ran ran = run_steno({"cat", file.path()});
    EXPECT_EQ(ran.code, 2) << text;
    EXPECT_EQ(ran.out, "") << text;
    const std::string begin = "steno: " + home.file();
    EXPECT_EQ(ran.err.substr(0, begin.size()), begin);
    return ran.err.substr(std::min(begin.size(), ran.err.size()));
  };
  EXPECT_EQ(said("format = \"{time\"\n").substr(0, 6), ":1:10:");
  EXPECT_EQ(said("\ncolour = \"never\"\n"), ":2:10: there is no setting 'colour'; did you mean 'color'?\n");
  EXPECT_EQ(said("xyzzy = 1\n"),
            ":1:9: there is no setting 'xyzzy'; choose from 'color', 'columns', 'format', 'pager', 'show_context', "
            "'time_format'\n");
  EXPECT_EQ(said("pager = false\n"), ":1:9: pager is a text; write pager = \"less -FRX\", or \"\" for none\n");
  EXPECT_EQ(said("color = \"yes\"\n"), ":1:9: color: write \"auto\", \"always\" or \"never\"\n");
  EXPECT_EQ(said("color = \"never\ntime_format = \"s\"\n").substr(0, 3), ":1:");
  EXPECT_EQ(said("format = \"{n}\"\ncolumns = \"n\"\n"),
            ": format and columns cannot both be set; remove one of them\n");
  std::filesystem::remove(home.file());
  std::filesystem::create_directory(home.file());
  const Ran ran = run_steno({"cat", file.path()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "steno: " + home.file() + ": cannot be read: Is a directory\n");
  // Help says what may be there, whatever is.
  EXPECT_EQ(run_steno({"help", "settings"}).code, 0);
  EXPECT_EQ(run_steno({"ctl", "--help"}).code, 0);
}

}  // namespace
}  // namespace steno
