// The journal sink against a real systemd-journald, in a mount namespace of its own, which is stopped and started in
// between: what journalctl has afterwards is all that was logged, with its fields.
#include <signal.h>
#include <spawn.h>
#include <steno/sink.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#include "journal_entry.h"
#include "log_test.h"
#include "receiver.h"

namespace steno_test {
namespace {

class JournaldTest : public LogTest {
 protected:
  using Entry = std::map<std::string, std::string>;

  ~JournaldTest() override {
    steno::stop();
    if (daemon_ > 0) stop_daemon();
  }

  void SetUp() override {
    if (access(kDaemon, X_OK) != 0) GTEST_SKIP() << "there is no " << kDaemon << " (scripts/bootstrap)";
    const std::filesystem::path run = path("run");
    std::filesystem::create_directories(run / "systemd/journald.conf.d");
    std::filesystem::create_directories(run / "log/journal");
    std::ofstream(run / "systemd/journald.conf.d/test.conf")
        << "[Journal]\nStorage=volatile\nRateLimitBurst=0\nForwardToSyslog=no\nForwardToWall=no\nReadKMsg=no\nAudit="
           "no\n";
    std::ofstream(path("machine-id")) << "0123456789abcdef0123456789abcdef\n";
    std::ofstream(path("in-namespace")) << "set -e\nmount --bind " << run.string() << " /run\nmount --bind "
                                        << path("machine-id") << " /etc/machine-id\nexec " << kDaemon << " \"$@\"\n";
    if (!start_daemon()) GTEST_SKIP() << "systemd-journald does not run here: " << said();
  }

  // Returns when it serves, and SIGTERM ends it in order: its socket is there before that. False: it has ended.
  bool start_daemon() {
    std::filesystem::remove(socket());
    std::filesystem::remove(path("notify"));
    const Receiver ready(AF_UNIX, SOCK_DGRAM, path("notify"));
    const std::string command = "exec env SYSTEMD_LOG_TARGET=console NOTIFY_SOCKET=" + path("notify") +
                                " unshare --mount sh " + path("in-namespace") + " >" + path("said") + " 2>&1";
    std::string arguments[] = {"sh", "-c", command};
    char* const argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), nullptr};
    if (posix_spawnp(&daemon_, "sh", nullptr, nullptr, argv, environ) != 0) return false;
    const auto is_ready = [&] {  // sd_notify(3)
      char told[8] = {};
      return recv(ready.fd(), told, sizeof told - 1, MSG_DONTWAIT) > 0 && std::string_view(told) == "READY=1";
    };
    while (!is_ready()) {
      if (waitpid(daemon_, nullptr, WNOHANG) != 0) {
        daemon_ = 0;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  void stop_daemon() {
    kill(daemon_, SIGTERM);
    waitpid(daemon_, nullptr, 0);
    daemon_ = 0;
  }

  void start_log() {
    steno::SinkOptions sink;
    sink.journal.address = socket();
    sink.journal.app_name = "shop";
    sink.journal.retry_for = std::chrono::minutes(2);
    steno::Options options;
    options.sinks = {sink};
    options.block_at_most = steno::kForever;
    options.on_warning = [](const std::string&) {};
    start(options);
  }

  // All entries of this program, in order, as journalctl exports them.
  std::vector<Entry> entries() const {
    const std::string command = "journalctl --directory=" + path("run") + "/log/journal/" + kMachine +
                                " --output=export SYSLOG_IDENTIFIER=shop >" + path("exported") + " 2>" + path("said");
    EXPECT_EQ(std::system(command.c_str()), 0) << said();
    std::ifstream file(path("exported"), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    std::vector<Entry> out;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      Entry entry = parse_entry(std::string_view(text).substr(at), &end);
      if (entry.empty()) {
        ADD_FAILURE() << "no entry at " << at;
        break;
      }
      out.push_back(std::move(entry));
      at += end;
    }
    return out;
  }

  std::string socket() const { return path("run/systemd/journal/socket"); }
  std::string said() const {
    std::ifstream file(path("said"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  static constexpr const char* kDaemon = "/lib/systemd/systemd-journald";
  static constexpr const char* kMachine = "0123456789abcdef0123456789abcdef";
  pid_t daemon_ = 0;
};

TEST_F(JournaldTest, HasEveryRecordAcrossARestart) {
  constexpr int kPart = 300;
  start_log();
  int logged = 0;
  const auto log_part = [&] {
    for (int i = 0; i < kPart; ++i) STENO_INFO("number {n}", logged++);
  };
  log_part();
  EXPECT_TRUE(steno::flush().ok());
  stop_daemon();
  std::filesystem::remove(socket());
  log_part();  // while it is away
  ASSERT_TRUE(start_daemon()) << said();
  log_part();
  steno::stop();
  stop_daemon();
  std::multiset<int> numbers;
  for (const Entry& entry : entries()) {
    EXPECT_EQ(entry.at("MESSAGE"), "number " + entry.at("ARG_N"));
    EXPECT_EQ(entry.at("PRIORITY"), "6");
    EXPECT_EQ(entry.at("_PID"), std::to_string(getpid()));
    numbers.insert(std::stoi(entry.at("ARG_N")));
  }
  EXPECT_EQ(numbers.size(), static_cast<std::size_t>(logged));
  for (int i = 0; i < logged; ++i) EXPECT_EQ(numbers.count(i), 1u) << i;
}

TEST_F(JournaldTest, HasFieldsAsFields) {
  start_log();
  const steno::Logger net = steno::logger("net");
  const std::string lines = std::string("a\nMESSAGE=posing\n\0b", 19);
  STENO_LOG_TO(net, WARN, "got {text} of {qty}", lines, 3);
  const int line = __LINE__ - 1;
  const std::string part(60'000, 'z');  // no datagram takes four of these, twice
  STENO_INFO("{a}{b}{c}{d}", part, part, part, part);
  steno::stop();
  stop_daemon();
  const std::vector<Entry> found = entries();
  ASSERT_EQ(found.size(), 2u);
  const Entry& entry = found[0];
  EXPECT_EQ(entry.at("MESSAGE"), "got " + lines + " of 3");
  EXPECT_EQ(entry.at("PRIORITY"), "4");
  EXPECT_EQ(entry.at("_TRANSPORT"), "journal");
  EXPECT_TRUE(entry.at("CODE_FILE").ends_with("journald_test.cc"));
  EXPECT_EQ(entry.at("CODE_LINE"), std::to_string(line));
  EXPECT_EQ(entry.at("CODE_FUNC"), "TestBody");
  EXPECT_EQ(entry.at("STENO_LOGGER"), "net");
  EXPECT_EQ(entry.at("TID"), std::to_string(gettid()));
  EXPECT_EQ(entry.at("ARG_TEXT"), lines);
  EXPECT_EQ(entry.at("ARG_QTY"), "3");
  EXPECT_EQ(found[1].at("MESSAGE"), part + part + part + part);
  EXPECT_EQ(found[1].at("ARG_D"), part);
}

}  // namespace
}  // namespace steno_test
