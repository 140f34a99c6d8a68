// The sinks of 'steno scribe': beside the logs of processes that bring no scribe.
#include <gtest/gtest.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>

#include "external_process.h"

namespace steno {
namespace {

using test::log_numbers;
using test::patient;
using test::run_steno;

// Reads the standard output of a child.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() { ::close(ends_[0]); }
  template <class Start>
  pid_t start(const Start& start) {
    const int out = ::dup(1);
    ::dup2(ends_[1], 1);
    const pid_t child = start();
    ::dup2(out, 1);
    ::close(out);
    ::close(ends_[1]);
    return child;
  }
  // Reads until there are `size` bytes, or nobody writes any more.
  std::string read(std::size_t size) {
    char buffer[4096];
    while (text_.size() < size) {
      const ssize_t n = ::read(ends_[0], buffer, sizeof buffer);
      if (n <= 0) break;
      text_.append(buffer, static_cast<std::size_t>(n));
    }
    return text_;
  }
  std::string rest() { return read(SIZE_MAX); }

 private:
  int ends_[2] = {-1, -1};
  std::string text_;
};

class ExternalSinksTest : public test::ExternalTest {
 protected:
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string text_of(const std::string& name) const {
    std::ifstream file(path(name));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string sink(const std::string& name, const std::string& more = "pattern = '{message}'") const {
    return "path = '" + path(name) + "'" + (more.empty() ? "" : ", " + more);
  }
  static std::string expected(int begin, int end) {
    std::string lines;
    for (int n = begin; n < end; ++n) lines += "message " + std::to_string(n) + " of child\n";
    return lines;
  }
  // The numbers of the messages, in their order.
  std::vector<int> shown(const std::string& name) const {
    std::vector<int> found;
    std::istringstream lines(text_of(name));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      if (std::sscanf(line.c_str(), "message %d", &number) == 1) found.push_back(number);
    }
    return found;
  }
  // Why a scribe with these arguments does not start.
  std::string refusal(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"scribe", log(), "--until-idle", "0.01"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const test::Ran ran = run_steno(all);
    EXPECT_NE(ran.code, 0) << ran.err;
    return ran.err;
  }
};

TEST_F(ExternalSinksTest, TextAndJsonWithLevelsAndPatterns) {
  const pid_t scribe = start_scribe({log(), "--sink", sink("all.log"), "--sink",
                                     sink("warnings.log", "level = 'warn', pattern = '{level} {logger} {message}'"),
                                     "--sink", sink("net.json", "format = 'json', logger = 'net'")});
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    const Logger net = steno::logger("net.http");
    log_numbers(0, 3);
    STENO_WARN("{percent}% of the disk is full", 91);
    STENO_LOG_TO(net, ERROR, "cannot reach {host}", "db1");
    steno::stop();
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(text_of("all.log"), expected(0, 3) + "91% of the disk is full\ncannot reach db1\n");
  EXPECT_EQ(text_of("warnings.log"), "WARN  91% of the disk is full\nERROR net.http cannot reach db1\n");
  const std::string json = text_of("net.json");
  EXPECT_EQ(lines(json), 1U) << json;
  EXPECT_NE(json.find(R"("message":"cannot reach db1","args":{"host":"db1"})"), std::string::npos) << json;
  EXPECT_EQ(run_steno({"cat", "--count", log()}).out, "5\n");
  EXPECT_EQ(what_scribes_said(), "");
}

TEST_F(ExternalSinksTest, TheTimesAreThoseOfTheLog) {
  const pid_t scribe = start_scribe({log(), "--sink", sink("all.log", "pattern = '{time} {thread} {pid} {message}'")});
  end_child(start(100));
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(text_of("all.log"), run_steno({"cat", "--pattern", "{time} {thread} {pid} {message}", log()}).out);
}

TEST_F(ExternalSinksTest, TheConsoleThroughAPipe) {
  Pipe console;
  const pid_t scribe = console.start([&] { return start_scribe({log(), "--console"}); });
  end_child(start(10));
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(console.rest(), run_steno({"cat", log()}).out);
}

TEST_F(ExternalSinksTest, ManyProcessesShareThem) {
  constexpr int kEach = 5000;
  const pid_t scribe = start_scribe({log(), "--threads", "3", "--sink", sink("all.log")});
  std::vector<pid_t> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(run_child([&, i] {
      if (!steno::start(patient(log()))) return 1;
      log_numbers(i * kEach, (i + 1) * kEach);
      steno::stop();
      return 0;
    }));
  }
  for (const pid_t child : all) EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  std::vector<int> next(8, 0);
  for (const int n : shown("all.log")) {
    const auto process = static_cast<std::size_t>(n / kEach);
    ASSERT_LT(process, next.size());
    ASSERT_EQ(n % kEach, next[process]++) << "of process " << process;
  }
  EXPECT_EQ(next, std::vector<int>(8, kEach));
}

// Records of every size, some of them larger than what is copied of a ring at a time.
TEST_F(ExternalSinksTest, LargeRecords) {
  const pid_t scribe = start_scribe({log(), "--sink", sink("all.log")});
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    for (std::size_t size = 1; size < 60'000; size += size / 2 + 1) {
      STENO_INFO("{text}", std::string(size, static_cast<char>('a' + size % 26)));
      log_numbers(0, 100);
    }
    steno::stop();
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(text_of("all.log"), run_steno({"cat", "--pattern", "{message}", log()}).out);
}

TEST_F(ExternalSinksTest, Syslog) {
  const int receiver = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path("dev-log").c_str());
  ASSERT_EQ(::bind(receiver, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const pid_t scribe = start_scribe({log(), "--sink", "syslog = {address = 'unix:" + path("dev-log") + "'}"});
  const pid_t child = start(1);
  char message[4096] = {};
  ASSERT_GT(::recv(receiver, message, sizeof message - 1, 0), 0);
  const std::string text = message;
  // The name and the number are those of the process that logs, not of the scribe.
  const std::string end =
      std::string(::program_invocation_short_name) + '[' + std::to_string(child) + "]: message 0 of child";
  EXPECT_TRUE(text.ends_with(end)) << text;
  end_child(child);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  ::close(receiver);
}

TEST_F(ExternalSinksTest, AProducerThatIsKilledIsShownWhole) {
  const pid_t scribe = start_scribe({log(), "--flush", "600", "--sink", sink("all.log")});
  const pid_t child = start(1000);
  kill(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_TRUE(text_of("all.log") == expected(0, 1000));
}

TEST_F(ExternalSinksTest, WhatWasLeftWhileNobodyDrainedIsShown) {
  kill(start(1000));
  const pid_t scribe = start_scribe({log(), "--sink", sink("all.log")});
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_TRUE(text_of("all.log") == expected(0, 1000));
}

// The next one shows what was not released: here all of it, for no block was due.
TEST_F(ExternalSinksTest, AScribeThatIsKilledLeavesToTheNextWhatItHasNotWritten) {
  const std::vector<std::string> arguments = {log(), "--flush", "600", "--sink", sink("all.log")};
  const pid_t first = start_scribe(arguments);
  const pid_t child = start(100);
  EXPECT_TRUE(eventually([&] { return text_of("all.log") == expected(0, 100); })) << text_of("all.log");
  end_scribe(first, SIGKILL);
  log_one_more();
  const pid_t second = start_scribe(arguments);
  end_child(child);
  EXPECT_EQ(end_scribe(second, SIGTERM), 0);
  EXPECT_EQ(text_of("all.log"), expected(0, 100) + expected(0, 101));
  EXPECT_EQ(numbers(), test::ExternalTest::numbers_below(101)) << "the log has all once";
}

// Released records were shown before: none is missing while sinks keep up, and few are shown twice.
TEST_F(ExternalSinksTest, ScribesThatAreKilledUnderLoad) {
  constexpr int kMessages = 200'000;
  const std::vector<std::string> arguments = {log(), "--sink", sink("all.log")};
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    log_numbers(0, kMessages);
    steno::stop();
    return 0;
  });
  for (int i = 0; i < 5; ++i) {
    const off_t before = size();
    const pid_t scribe = start_scribe(arguments);
    EXPECT_TRUE(eventually([&] { return size() > before || ::waitpid(child, nullptr, WNOHANG | WNOWAIT) != 0; }));
    end_scribe(scribe, SIGKILL);
  }
  const pid_t last = start_scribe(arguments);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(end_scribe(last, SIGTERM), 0);
  EXPECT_EQ(numbers().size(), static_cast<std::size_t>(kMessages));
  // Each scribe's lines are in order; what is missing was on its way in one that was killed.
  int turns = 0;
  int before = -1;
  for (const int n : shown("all.log")) {
    if (n <= before) ++turns;
    before = n;
  }
  EXPECT_LE(turns, 5);
  EXPECT_EQ(before, kMessages - 1);
}

TEST_F(ExternalSinksTest, ASinkThatNobodyReadsHoldsUpNothing) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const pid_t scribe =
      start_scribe({log(), "--sink", sink("pipe", "queue_bytes = '64 KiB'"), "--sink", sink("all.log")});
  const pid_t child = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    log_numbers(0, 200'000);
    steno::stop();
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(run_steno({"cat", "--count", log()}).out, "200000\n");
  // The stuck sink gets nothing of this other session.
  end_child(start(10));
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_TRUE(text_of("all.log") == expected(0, 200'000) + expected(0, 10));
  EXPECT_NE(what_scribes_said().find("does not keep up"), std::string::npos) << what_scribes_said();
  EXPECT_NE(what_scribes_said().find("did not take the last lines in time"), std::string::npos) << what_scribes_said();
  ::close(reader);
}

// A limit of a file's size is a disk that is full, and does not hold for pipes.
TEST_F(ExternalSinksTest, ADiskThatIsFullForTheLogDoesNotStopThem) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {100, limit.rlim_max};
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  Pipe console;
  const pid_t scribe = console.start([&] {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const pid_t started = start_scribe({log(), "--flush", "0", "--sink", "console = 'stdout', pattern = '{message}'"});
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    return started;
  });
  std::signal(SIGXFSZ, before);
  const pid_t child = start(50);
  log_one_more();
  EXPECT_EQ(console.read(expected(0, 51).size()), expected(0, 51)) << what_scribes_said();
  EXPECT_LE(size(), 100);
  kill(child);
  end_scribe(scribe, SIGKILL);
}

TEST_F(ExternalSinksTest, TheConfigurationIsReadAgain) {
  const auto config = [&](const std::string& name, const std::string& level) {
    write("sinks.toml", "[[sinks]]\n" + sink(name, "") + "\nlevel = '" + level + "'\npattern = '{message}'\n" +
                            "[[sinks]]\n" + sink("last.log", "") + "\npattern = '{message}'\n");
  };
  config("all.log", "warn");
  const pid_t scribe = start_scribe({log(), "--config", path("sinks.toml")});
  const pid_t child = start(1);
  EXPECT_TRUE(eventually([&] { return !text_of("last.log").empty(); }));  // the one before has left it out
  const auto log_until = [&](const std::string& name) {
    return eventually([&] {
      log_one_more();
      return !text_of(name).empty();
    });
  };
  config("all.log", "info");
  EXPECT_TRUE(log_until("all.log"));
  EXPECT_EQ(text_of("all.log").find("message 0 "), std::string::npos) << "its level was higher then";
  // Another file takes its place: it gets the later records, and the one before has all until then.
  config("other.log", "info");
  EXPECT_TRUE(log_until("other.log"));
  // A mistake changes nothing.
  write("sinks.toml", "[[sinks]]\npaht = 'x'\n");
  EXPECT_TRUE(eventually([&] { return what_scribes_said().find("did you mean 'path'?") != std::string::npos; }));
  log_one_more();
  end_child(child);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  std::vector<int> all = shown("all.log");
  const std::vector<int> other = shown("other.log");
  ASSERT_FALSE(all.empty());
  all.insert(all.end(), other.begin(), other.end());
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_EQ(all[i], all[i - 1] + 1) << "between the two files, too";
  EXPECT_EQ(all.back() + 1, static_cast<int>(numbers().size()));
  EXPECT_EQ(shown("last.log").size(), numbers().size());
}

TEST_F(ExternalSinksTest, TheyRotateWithTheLogs) {
  const pid_t scribe = start_scribe({log(), "--sink", sink("all.log")});
  const pid_t child = start(10);
  EXPECT_TRUE(eventually([&] { return text_of("all.log") == expected(0, 10); }));
  ::kill(scribe, SIGHUP);
  EXPECT_TRUE(eventually([&] { return text_of("all.log").empty(); }));
  log_one_more();
  end_child(child);
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(text_of("all.log"), expected(10, 11));
}

TEST_F(ExternalSinksTest, MistakesAreSaid) {
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(refusal({"--sink", "paht = 'x'"}), "did you mean 'path'?");
  says(refusal({"--sink", "level = 'warn'"}), "it needs one of console, path");
  says(refusal({"--sink", sink("x", "when_full = 'block'")}), "never waits for a sink");
  says(refusal({"--sink", sink("x", "pattern = '{nonsense}'")}), "pattern: ");
  says(refusal({"--sink", "path = '" + log() + "'"}), "is the binary log");
  says(refusal({"--sink", "path = '/proc/nowhere/x'"}), "/proc/nowhere");
  says(refusal({"--config", path("none.toml")}), "none.toml");
  write("own.toml", "console = true\nflush_interval = '1s'\n");
  says(refusal({"--config", path("own.toml")}), "own.toml:2:18: 'flush_interval' is an option of programs that log");
  write("level.toml", "level = 'warn'\n");
  says(refusal({"--config", path("level.toml")}), "'level' is an option of programs that log");
}

}  // namespace
}  // namespace steno
