// Tests the places that sinks write to: terminals, pipes, files that are renamed and rotate, a full disk.
#include <fcntl.h>
#include <pty.h>
#include <steno/sink.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "log_test.h"
#include "receiver.h"

namespace steno_test {
namespace {

using steno::SinkOptions;

// Standard error goes elsewhere while this lives.
class StderrTo {
 public:
  explicit StderrTo(int fd) : before_(dup(STDERR_FILENO)) { dup2(fd, STDERR_FILENO); }
  ~StderrTo() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }

 private:
  int before_;
};

// Reads until `text` has come; fails if it does not.
std::string read_until(int fd, const std::string& text) {
  std::string all;
  char buffer[4096];
  while (all.find(text) == std::string::npos) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    all.append(buffer, static_cast<std::size_t>(n));
  }
  EXPECT_NE(all.find(text), std::string::npos) << all;
  return all;
}

class SinkOutputTest : public LogTest {
 protected:
  ~SinkOutputTest() override {
    steno::stop();
    for (const char* name : {"STENO_CONSOLE", "NO_COLOR", "TERM"}) unsetenv(name);
  }

  std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream file(path(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(SinkOutputTest, TerminalIsShownLinesWithoutFlush) {
  setenv("TERM", "xterm", 1);
  int reader = -1;
  int terminal = -1;
  ASSERT_EQ(openpty(&reader, &terminal, nullptr, nullptr, nullptr), 0);
  {
    const StderrTo to(terminal);
    steno::Options options;
    options.console = true;
    options.flush_interval = std::chrono::hours(1);
    start(options);
    STENO_INFO("shown at once {}", 1);
    read_until(reader, "shown at once 1\r\n");
    STENO_ERROR("in \x1b[2J red");
    const std::string red = read_until(reader, "red\r\n");
    EXPECT_NE(red.find("\x1b[31mERROR"), std::string::npos) << red;
    EXPECT_NE(red.find("in \\x1b[2J red"), std::string::npos) << red;
    EXPECT_EQ(finish().rows.size(), 2u);
  }
  close(terminal);
  close(reader);
}

TEST_F(SinkOutputTest, EnvironmentDecidesOfTheConsole) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    const StderrTo to(ends[1]);
    setenv("STENO_CONSOLE", "1", 1);
    start();
    STENO_INFO("by the environment");
    steno::stop();
    setenv("STENO_CONSOLE", "0", 1);
    steno::Options options;
    options.console = true;
    start(options);
    STENO_INFO("not shown");
    steno::stop();
  }
  close(ends[1]);
  const std::string shown = read_until(ends[0], "by the environment\n");
  char more;
  EXPECT_EQ(read(ends[0], &more, 1), 0);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;  // no terminal, no colours
  close(ends[0]);
}

TEST_F(SinkOutputTest, PipeThatNobodyReadsKeepsNobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  constexpr int kRecords = 20'000;  // more than a pipe holds
  {
    const StderrTo to(ends[1]);
    steno::Options options;
    options.console = true;
    options.sinks.push_back({.path = path("beside.log")});
    options.block_at_most = std::chrono::seconds(2);  // in which the sink beside it has written all
    options.on_warning = [](const std::string&) {};
    start(options);
    for (int i = 0; i < kRecords; ++i) STENO_INFO("line {}", i);
    (void)steno::flush();
    const Log log = finish();
    EXPECT_EQ(log.rows.size(), static_cast<std::size_t>(kRecords));
    EXPECT_TRUE(log.losses.empty());
  }
  EXPECT_EQ(lines_of("beside.log").size(), static_cast<std::size_t>(kRecords));
  close(ends[0]);  // lets the sink's thread go
  close(ends[1]);
}

TEST_F(SinkOutputTest, ReaderThatLeavesKillsNobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::atomic<int> warnings{0};
  {
    const StderrTo to(ends[1]);
    steno::Options options;
    options.console = true;
    options.on_warning = [&](const std::string& text) {
      EXPECT_NE(text.find("standard error cannot be written"), std::string::npos) << text;
      ++warnings;
    };
    start(options);
    for (int i = 0; i < 3; ++i) {
      STENO_INFO("to nobody {}", i);
      (void)steno::flush();
    }
    EXPECT_EQ(finish().rows.size(), 3u);
  }
  EXPECT_EQ(warnings.load(), 1);
  close(ends[1]);
}

TEST_F(SinkOutputTest, FullDiskOfASinkIsNotTheLogs) {
  std::atomic<int> warnings{0};
  steno::Options options;
  options.sinks.push_back({.path = "/dev/full"});
  options.on_warning = [&](const std::string& text) {
    EXPECT_NE(text.find("/dev/full cannot be written (No space left on device)"), std::string::npos) << text;
    ++warnings;
  };
  start(options);
  for (int i = 0; i < 100; ++i) STENO_INFO("line {}", i);
  (void)steno::flush();
  STENO_INFO("one more");
  EXPECT_EQ(finish().rows.size(), 101u);
  EXPECT_EQ(warnings.load(), 1);
}

// A header that could not be written, or only in part, is written once there is room.
TEST_F(SinkOutputTest, AFullDiskDoesNotCostTheHeader) {
  for (const rlim_t room : {rlim_t{0}, rlim_t{10}}) {
    const std::string file = "rows" + std::to_string(room) + ".csv";
    steno::Options options;
    options.sinks.push_back({.path = path(file), .format = steno::LineFormat::kCsv});
    options.level = steno::Level::kTrace;
    options.on_warning = [](const std::string&) {};
    ASSERT_TRUE(steno::try_start(options).ok());  // without a log, which the limit would be for as well
    steno::prepare_thread();
    const rlimit limit = {room, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    STENO_INFO("lost");
    EXPECT_TRUE(steno::flush().ok());
    const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    STENO_INFO("taken");
    steno::stop();
    std::vector<std::string> lines = lines_of(file);
    if (room != 0) {
      ASSERT_FALSE(lines.empty());
      EXPECT_EQ(lines.front().size(), room) << "what was cut short";
      lines.erase(lines.begin());
    }
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].rfind("time,", 0), 0u) << lines[0];
    EXPECT_NE(lines[1].find("lines skipped here: 1"), std::string::npos) << lines[1];
    EXPECT_NE(lines[2].find("taken"), std::string::npos) << lines[2];
  }
}

TEST_F(SinkOutputTest, LinesAreThoseOfTheLog) {
  steno::Options options;
  options.sinks.push_back({.path = path("all.log"), .pattern = "{level} {logger}|{message}|{args}"});
  options.sinks.push_back({.path = path("warnings.log"), .level = steno::Level::kWarn, .pattern = "{message}"});
  options.sinks.push_back({.path = path("net.log"), .logger = "net", .pattern = "{message}"});
  options.sinks.push_back({.path = path("lines.json"), .format = steno::LineFormat::kJson});
  options.sinks.push_back({.path = path("lines.csv"), .format = steno::LineFormat::kCsv});
  STENO_INFO("before the session");
  start(options);
  steno::set_thread_name("main");
  steno::Logger net = steno::logger("net");
  steno::Logger http = steno::logger("net.http");
  steno::Logger network = steno::logger("network");
  STENO_INFO("{name} is {:.2f}, {} and {}", std::string("pi"), 3.14159, true, static_cast<const char*>(nullptr));
  STENO_WARNF("%5d|%-5s|%s", 42, "ab", "");
  STENO_LOG_TO(net, INFO, "of net {}", static_cast<signed char>(-5));
  STENO_LOG_TO(http, ERROR, "of http {}", static_cast<__int128>(-1));
  STENO_LOG_TO(network, INFO, "of another {} {} {}", std::string("a"), std::u16string(u"\u00e4b"), std::string("c\n"));
  finish();
  EXPECT_EQ(lines_of("all.log"), (std::vector<std::string>{
                                     "INFO |before the session|{}",
                                     R"(INFO |pi is 3.14, true and (null)|{"name":"pi","1":3.14159,"2":true,"3":null})",
                                     R"(WARN |   42|ab   ||{"0":42,"1":"ab","2":""})",
                                     R"(INFO net|of net -5|{"0":-5})",
                                     R"(ERROR net.http|of http -1|{"0":-1})",
                                     R"(INFO network|of another a äb c\n|{"0":"a","1":"äb","2":"c\n"})",
                                 }));
  EXPECT_EQ(lines_of("warnings.log"), (std::vector<std::string>{"   42|ab   |", "of http -1"}));
  EXPECT_EQ(lines_of("net.log"), (std::vector<std::string>{"of net -5", "of http -1"}));
  EXPECT_EQ(lines_of("lines.json").size(), 6u);
  EXPECT_EQ(lines_of("lines.csv").size(), 8u);  // and the header, and a line break within quotes
}

TEST_F(SinkOutputTest, FileThatIsRenamedIsBegunAnew) {
  steno::Options options;
  options.sinks.push_back({.path = path("text.log"), .pattern = "{message}"});
  start(options);
  STENO_INFO("before");
  (void)steno::flush();
  ASSERT_EQ(rename(path("text.log").c_str(), path("text.log.1").c_str()), 0);
  struct stat st {};
  while (stat(path("text.log").c_str(), &st) != 0) {  // within a second
    STENO_INFO("meanwhile");
    (void)steno::flush();
    usleep(10'000);
  }
  STENO_INFO("after");
  finish();
  EXPECT_EQ(lines_of("text.log.1").front(), "before");
  EXPECT_EQ(lines_of("text.log").back(), "after");
}

TEST_F(SinkOutputTest, FilesRotateBySizeAndOnRequest) {
  steno::Options options;
  options.sinks.push_back({.path = path("text.log"), .pattern = "{message}"});
  options.sinks.back().rotation.max_bytes = 4096;
  options.sinks.back().rotation.name = "{stem}.{n}{ext}";
  options.sinks.push_back({.path = path("rows.csv"), .format = steno::LineFormat::kCsv});
  options.sinks.back().rotation.name = "{stem}.{n}{ext}";
  options.sinks.back().rotation.keep = 1;
  start(options);
  int logged = 0;
  for (int part = 0; part < 3; ++part) {
    for (int i = 0; i < 1000; ++i) STENO_INFO("line {}", logged++);
    EXPECT_TRUE(steno::flush().ok());
  }
  EXPECT_TRUE(steno::rotate().ok());
  STENO_INFO("line {}", logged++);
  EXPECT_TRUE(steno::rotate().ok());
  STENO_INFO("line {}", logged++);
  finish();
  std::vector<std::string> all;
  int closed = 0;
  for (int i = 1; std::ifstream(path("text." + std::to_string(i) + ".log")); ++i, ++closed) {
    for (std::string& line : lines_of("text." + std::to_string(i) + ".log")) all.push_back(std::move(line));
  }
  EXPECT_GE(closed, 4) << "three by size, or by request; and one more";
  for (std::string& line : lines_of("text.log")) all.push_back(std::move(line));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(logged));
  for (int i = 0; i < logged; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], "line " + std::to_string(i));
  // Each has its header; the first was removed.
  EXPECT_FALSE(std::ifstream(path("rows.1.csv")));
  const std::vector<std::string> before = lines_of("rows.2.csv");
  const std::vector<std::string> now = lines_of("rows.csv");
  ASSERT_EQ(before.size(), 2u);
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0], before[0]);
}

TEST_F(SinkOutputTest, FilesBeginAnewOnStart) {
  steno::Options options;
  options.sinks.push_back({.path = path("text.log"), .pattern = "{message}"});
  options.sinks.back().rotation.on_start = true;
  options.sinks.back().rotation.name = "{stem}.{n}{ext}";
  for (int run = 0; run < 2; ++run) {
    start(options);
    STENO_INFO("run {}", run);
    finish();
  }
  EXPECT_EQ(lines_of("text.1.log"), std::vector<std::string>{"run 0"});
  EXPECT_EQ(lines_of("text.log"), std::vector<std::string>{"run 1"});
}

// One that lives on without logging, as a daemon does: old files are removed, and readers see the end of what is
// closed.
TEST_F(SinkOutputTest, AForkedChildKeepsNoneOfItsParentsSinksOpen) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int pipe_end = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(pipe_end, 0);
  const Receiver receiver(AF_INET, SOCK_STREAM);
  steno::Options options;
  options.sinks.push_back({.path = path("text.log"), .pattern = "{message}"});
  options.sinks.back().rotation.name = "{stem}.{n}{ext}";
  options.sinks.back().rotation.keep = 1;
  options.sinks.push_back({.path = path("pipe"), .pattern = "{message}"});
  options.sinks.emplace_back();
  options.sinks.back().syslog.address = "tcp://127.0.0.1:" + std::to_string(receiver.port());
  start(options);
  STENO_INFO("before the fork");
  ASSERT_TRUE(steno::flush().ok());
  const int connection = receiver.accept_one();

  int to_child[2];
  int from_child[2];
  ASSERT_EQ(pipe2(to_child, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(from_child, O_CLOEXEC), 0);
  steno::test::let_scribe_rest();
  const pid_t child = fork();
  if (child == 0) {
    close(to_child[1]);
    char open_files = '0';
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(entry.path(), gone) == path("text.log")) ++open_files;
    }
    (void)!write(from_child[1], &open_files, 1);
    (void)!read(to_child[0], &open_files, 1);
    _exit(0);
  }
  close(from_child[1]);
  char open_files = 0;
  EXPECT_EQ(read(from_child[0], &open_files, 1), 1);
  EXPECT_EQ(open_files, '0');
  for (int i = 0; i < 3; ++i) {
    STENO_INFO("after the fork");
    EXPECT_TRUE(steno::rotate().ok());
  }
  steno::stop();
  EXPECT_FALSE(std::ifstream(path("text.1.log")));
  EXPECT_FALSE(std::ifstream(path("text.2.log")));
  EXPECT_TRUE(std::ifstream(path("text.3.log")));
  char byte = 0;
  ssize_t n = 0;
  while ((n = read(pipe_end, &byte, 1)) == 1) {
  }
  EXPECT_EQ(n, 0) << "no writer is left";
  EXPECT_FALSE(Receiver::all_of(connection).empty());
  EXPECT_EQ(recv(connection, &byte, 1, MSG_DONTWAIT), 0) << "the end of the stream";
  for (const int fd : {to_child[0], to_child[1], from_child[0], pipe_end, connection}) close(fd);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace steno_test
