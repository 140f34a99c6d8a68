// A real rsyslogd for tests of the syslog sink, which is stopped and started in between: what it has, and what it says
// was skipped, is all that was logged. The sink is the process's, or that of a scribe outside.
#pragma once

#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <steno/sink.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "free_port.h"
#include "log_test.h"

namespace steno_test {

class RsyslogTest : public LogTest {
 protected:
  ~RsyslogTest() override {
    stop_log();
    if (daemon_ > 0) end(&daemon_);
  }

  void SetUp() override {
    if (access(kDaemon, X_OK) != 0) GTEST_SKIP() << "there is no " << kDaemon;
    configure("");
    start_daemon();
    wait_until_it_listens();
  }

  // `inputs`: besides those of all tests.
  void configure(const std::string& inputs) {
    udp_port_ = free_port(SOCK_DGRAM);
    tcp_port_ = free_port(SOCK_STREAM);
    // Fields end in a '|'.
    std::ofstream(path("rsyslog.conf"))
        << "global(workDirectory=\"" << std::filesystem::path(path()).parent_path().string() << "\")\n"
        << "module(load=\"imuxsock\" SysSock.Use=\"off\")\nmodule(load=\"imudp\")\nmodule(load=\"imtcp\")\n"
        << "template(name=\"fields\" type=\"string\" string=\"%syslogfacility-text%|%syslogseverity-text%|"
        << "%programname%|%procid%|%structured-data%|%msg%\\n\")\n"
        << "input(type=\"imuxsock\" socket=\"" << path("dev-log") << "\")\n"
        << "input(type=\"imuxsock\" socket=\"" << path("dev-log-5424") << "\" useSpecialParser=\"off\""
        << " parseHostname=\"on\")\n"
        << "input(type=\"imudp\" address=\"127.0.0.1\" port=\"" << udp_port_ << "\")\n"
        << "input(type=\"imtcp\" address=\"127.0.0.1\" port=\"" << tcp_port_ << "\")\n"
        << inputs << "action(type=\"omfile\" file=\"" << path("received") << "\" template=\"fields\")\n";
  }

  // Returns before it listens.
  void start_daemon() {
    std::filesystem::remove(path("pid"));
    daemon_ = spawn(kDaemon, {"rsyslogd", "-n", "-f", path("rsyslog.conf"), "-i", path("pid")});
  }

  static pid_t spawn(const char* program, std::vector<std::string> arguments) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, program, nullptr, nullptr, argv.data(), environ), 0);
    return pid;
  }

  static void end(pid_t* process) {
    kill(*process, SIGTERM);
    waitpid(*process, nullptr, 0);
    *process = 0;
  }

  // It listens to all when it has taken something by the last input.
  void wait_until_it_listens() {
    start_log(tcp(), "start");
    STENO_INFO("it listens");
    steno::stop();
    wait_for("it listens", 1);
  }

  std::string tcp() const { return "tcp://127.0.0.1:" + std::to_string(tcp_port_); }
  std::string udp() const { return "udp://127.0.0.1:" + std::to_string(udp_port_); }

  void start_log(const std::string& address, const std::string& app,
                 steno::SyslogFormat format = steno::SyslogFormat::kAuto) {
    steno::SinkOptions sink;
    sink.syslog.address = address;
    sink.syslog.tls = tls_;
    sink.syslog.app_name = app;
    sink.syslog.format = format;
    sink.syslog.facility = steno::Facility::kLocal3;
    sink.syslog.retry_for = retry_for_;
    steno::Options options;
    options.sinks = {sink};
    options.block_at_most = steno::kForever;
    options.on_warning = [](const std::string&) {};
    start(options);
  }

  // Starts the same log with a scribe outside, which has the sink.
  void start_log_outside(const std::string& address, const std::string& app) {
    const std::string tls = tls_.ca_file.empty() ? "" : ", tls = {ca_file = '" + tls_.ca_file + "'}";
    scribe_ = spawn(STENO_BINARY, {"steno", "scribe", path(), "--sink",
                                   "syslog = {address = '" + address + "', app_name = '" + app +
                                       "', facility = 'local3', retry_for = '2m'" + tls + "}"});
    steno::Options options;
    options.scribe = steno::Scribe::kExternal;
    options.block_at_most = steno::kForever;
    options.on_warning = [](const std::string&) {};
    start(options);
  }

  void stop_log() {
    steno::stop();
    if (scribe_ > 0) end(&scribe_);
  }

  std::vector<std::string> received() const {
    std::ifstream file(path("received"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  std::size_t received_with(const std::string& text) const {
    std::size_t n = 0;
    for (const std::string& line : received()) n += line.find(text) != std::string::npos ? 1 : 0;
    return n;
  }
  void wait_for(const std::string& text, std::size_t times) const {
    for (int i = 0; i < 6000 && received_with(text) < times; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_GE(received_with(text), times) << text;
  }

  // The numbers of "number N", each there once; and those of "lines skipped here: N" together.
  void count(std::set<int>& numbers, int& skipped) const {
    for (const std::string& line : received()) {
      const std::string start = "number ";
      const std::string notice = "lines skipped here: ";
      if (const std::size_t at = line.find(notice); at != std::string::npos) {
        skipped += std::stoi(line.substr(at + notice.size()));
      } else if (const std::size_t begin = line.find(start); begin != std::string::npos) {
        EXPECT_TRUE(numbers.insert(std::stoi(line.substr(begin + start.size()))).second) << line;
      }
    }
  }

  void expect_all(const std::string& address, steno::SyslogFormat format = steno::SyslogFormat::kAuto) {
    start_log(address, "app", format);
    expect_all_logged();
  }
  void expect_all_of_a_scribe_outside(const std::string& address) {
    start_log_outside(address, "app");
    expect_all_logged();
  }

  // Logs in parts small enough for the daemon's buffers, with the daemon away during one of them.
  void expect_all_logged() {
    constexpr int kPart = 50;
    int logged = 0;
    const auto log_part = [&] {
      for (int i = 0; i < kPart; ++i) STENO_WARN("number {n} says \"{text}\"", logged++, "a]b");
      (void)steno::flush();
    };
    for (int part = 0; part < 5; ++part) {
      log_part();
      wait_for("number " + std::to_string(logged - 1) + " ", 1);
    }
    end(&daemon_);
    std::thread starter([this] {  // while the sink tries to connect
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      start_daemon();
    });
    log_part();
    starter.join();
    log_part();
    wait_for("number " + std::to_string(logged - 1) + " ", 1);
    stop_log();
    std::set<int> numbers;
    int skipped = 0;
    count(numbers, skipped);
    EXPECT_EQ(static_cast<int>(numbers.size()) + skipped, logged);
    EXPECT_GE(numbers.size(), 6u * kPart);  // what was logged while it ran
    for (const std::string& line : received()) {
      if (line.find("number 0 ") == std::string::npos) continue;
      EXPECT_EQ(line.find("local3|warning|app|" + std::to_string(getpid()) + "|"), 0u) << line;
      EXPECT_TRUE(line.ends_with("number 0 says \"a]b\"")) << line;
    }
  }

  static constexpr const char* kDaemon = "/usr/sbin/rsyslogd";
  pid_t daemon_ = 0;
  pid_t scribe_ = 0;  // one outside
  int udp_port_ = 0;
  int tcp_port_ = 0;
  steno::TlsOptions tls_;
  std::chrono::milliseconds retry_for_ = std::chrono::minutes(2);
};

}  // namespace steno_test
