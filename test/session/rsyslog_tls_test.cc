// The syslog sink against a real rsyslogd by TLS.
#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "rsyslog_test.h"

namespace steno_test {
namespace {

// The daemon has an input for TLS, whose certificate is of a CA made for the test.
class RsyslogTlsTest : public RsyslogTest {
 protected:
  void SetUp() override {
    if (access(kDaemon, X_OK) != 0 || !has_gtls()) GTEST_SKIP() << "there is no rsyslogd with GnuTLS (rsyslog-gnutls)";
    if (std::system("openssl version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no openssl to make certificates";
    tls_port_ = free_port(SOCK_STREAM);
    std::ofstream(path("openssl.conf")) << "[req]\ndistinguished_name = name\n[name]\n";
    make_certificate("ca", "-addext basicConstraints=critical,CA:TRUE");
    make_certificate("other_ca", "-addext basicConstraints=critical,CA:TRUE");
    make_certificate("server",
                     "-addext subjectAltName=IP:127.0.0.1 -CA " + path("ca.pem") + " -CAkey " + path("ca.key"));
    make_certificate("client", "-addext subjectAltName=DNS:app -CA " + path("ca.pem") + " -CAkey " + path("ca.key"));
    const std::string files = " streamDriver.CAFile=\"" + path("ca.pem") + "\" streamDriver.CertFile=\"" +
                              path("server.pem") + "\" streamDriver.KeyFile=\"" + path("server.key") + "\"";
    certified_port_ = free_port(SOCK_STREAM);
    const auto input = [&](int port, const char* authentication) {
      return "input(type=\"imtcp\" address=\"127.0.0.1\" port=\"" + std::to_string(port) +
             "\" streamDriver.Name=\"gtls\" streamDriver.Mode=\"1\" streamDriver.AuthMode=\"" + authentication + "\"" +
             files + ")\n";
    };
    configure(input(tls_port_, "anon") + input(certified_port_, "x509/certvalid"));
    start_daemon();
    tls_.ca_file = path("ca.pem");
    start_log(tls(), "start");
    STENO_INFO("it listens");
    steno::stop();
    wait_for("it listens", 1);
  }

  static bool has_gtls() {
    for (const char* folder : {"/usr/lib/rsyslog", "/usr/lib64/rsyslog", "/usr/lib/x86_64-linux-gnu/rsyslog",
                               "/usr/lib/aarch64-linux-gnu/rsyslog"}) {
      if (access((std::string(folder) + "/lmnsd_gtls.so").c_str(), R_OK) == 0) return true;
    }
    return false;
  }
  void make_certificate(const std::string& name, const std::string& more) {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" + name + " -config " +
        path("openssl.conf") + " -keyout " + path(name + ".key") + " -out " + path(name + ".pem") + " " + more + " > " +
        path("openssl.out") + " 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  std::string tls() const { return "tls://127.0.0.1:" + std::to_string(tls_port_); }

  std::string certified() const { return "tls://127.0.0.1:" + std::to_string(certified_port_); }

  // Logs with a sink that is not to get through, and a binary log, which has everything. Returns what was warned of.
  std::string warnings_of_a_refused_peer(const std::string& address) {
    steno::SinkOptions sink;
    sink.syslog.address = address;
    sink.syslog.tls = tls_;
    sink.syslog.retry_for = std::chrono::minutes(2);
    std::mutex mutex;
    std::string warnings;
    std::filesystem::remove(path("whole.steno"));
    steno::Options options;
    options.path = path("whole.steno");
    options.sinks = {sink};
    options.on_warning = [&](const std::string& text) {
      const std::lock_guard<std::mutex> lock(mutex);
      warnings += text + "\n";
    };
    start(options);
    STENO_INFO("not for {whom}", "them");
    (void)steno::flush();
    steno::stop();
    EXPECT_EQ(read_log(path("whole.steno")).rows.size(), 1u);
    EXPECT_EQ(received_with("not for"), 0u);
    return warnings;
  }

  // Returns the warnings of a peer that refuses after the handshake. It is tried again, because a loaded machine may
  // let it refuse too late.
  std::string warnings_of_a_refusal(const std::string& address) {
    std::string warnings;
    for (int tries = 0; tries < 10 && warnings.empty(); ++tries) warnings = warnings_of_a_refused_peer(address);
    return warnings;
  }

  int tls_port_ = 0;
  int certified_port_ = 0;  // where a certificate is asked for
};

TEST_F(RsyslogTlsTest, IsServedAcrossARestart) {
  expect_all(tls());
  EXPECT_GE(received_with("text=\"a\\]b\""), 50u);
}

TEST_F(RsyslogTlsTest, IsServedByAScribeOutside) {
  expect_all_of_a_scribe_outside(tls());
}

TEST_F(RsyslogTlsTest, ACertificateOfAnotherCaIsRefused) {
  tls_.ca_file = path("other_ca.pem");
  const std::string warnings = warnings_of_a_refused_peer(tls());
  EXPECT_NE(warnings.find("the certificate of 127.0.0.1 is not accepted: "), std::string::npos) << warnings;
}

TEST_F(RsyslogTlsTest, ACertificateForAnotherNameIsRefused) {
  tls_.peer_name = "logs.example.com";
  std::string warnings = warnings_of_a_refused_peer(tls());
  EXPECT_NE(warnings.find("the certificate of logs.example.com is not accepted: "), std::string::npos) << warnings;
}

TEST_F(RsyslogTlsTest, SaysWhoItIs) {
  tls_.cert_file = path("client.pem");
  tls_.key_file = path("client.key");
  start_log(certified(), "app");
  STENO_INFO("certified");
  (void)steno::flush();
  steno::stop();
  wait_for("certified", 1);
}

// In TLS 1.3 the daemon refuses after the handshake, when lines could be under way already.
TEST_F(RsyslogTlsTest, ADaemonThatDoesNotKnowItIsHeard) {
  const std::string without = warnings_of_a_refusal(certified());
  EXPECT_NE(without.find("syslog " + certified()), std::string::npos) << without;
  tls_.cert_file = path("other_ca.pem");
  tls_.key_file = path("other_ca.key");
  const std::string of_another = warnings_of_a_refusal(certified());
  EXPECT_NE(of_another.find("syslog " + certified()), std::string::npos) << of_another;
}

TEST_F(RsyslogTlsTest, APeerSaysThatItWantsACertificate) {
  const int port = free_port(SOCK_STREAM);
  const std::string accept = std::to_string(port);
  std::string arguments[] = {"openssl",      "s_server",         "-quiet", "-accept",          accept,
                             "-cert",        path("server.pem"), "-key",   path("server.key"), "-CAfile",
                             path("ca.pem"), "-Verify",          "1"};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t server = 0;
  ASSERT_EQ(posix_spawnp(&server, "openssl", nullptr, nullptr, argv.data(), environ), 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool listens = false;
  for (int i = 0; i < 6000 && !listens; ++i) {
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    listens = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    if (!listens) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::string warnings = warnings_of_a_refusal("tls://127.0.0.1:" + accept);
  kill(server, SIGTERM);
  waitpid(server, nullptr, 0);
  EXPECT_TRUE(listens);
  EXPECT_NE(warnings.find("the peer does not accept this program's certificate: "), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("certificate required"), std::string::npos) << warnings;
}

TEST_F(RsyslogTlsTest, AProgramThatEndsWithoutStopIsHeardToItsEnd) {
  const std::string command = "env STENO_STAGING=" + directory_ + " " STENO_LIFECYCLE " syslog " + tls() + " " +
                              path("ca.pem") + " > " + path("out") + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  wait_for("main begins", 1);
  wait_for("main returns", 1);
}

// The linker finds other files in place of OpenSSL.
TEST(TlsWithoutOpenSsl, IsAnErrorOfTheStartThatSaysSo) {
  std::string directory = (std::filesystem::temp_directory_path() / "steno-ssl-XXXXXX").string();
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  for (const char* const name : {"/libssl.so.3", "/libssl.so.1.1"}) std::ofstream(directory + name) << "no library";
  const std::string command = "env STENO_STAGING=" + directory + " LD_LIBRARY_PATH=" + directory + " " STENO_LIFECYCLE;
  const auto run = [&](const std::string& arguments) {
    const int status = std::system((command + arguments + " > " + directory + "/out 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_NE(run(" syslog tls://127.0.0.1:1 " + directory + "/ca.pem"), 0);
  std::ifstream file(directory + "/out");
  const std::string said((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(said.find("tls:// needs OpenSSL, which cannot be loaded: "), std::string::npos) << said;
  EXPECT_NE(said.find(directory + "/libssl.so."), std::string::npos) << said;
  std::filesystem::remove_all(directory);
}

// The handshake keeps the sink's thread, and nothing else: the binary log has lines while it is under way.
TEST_F(RsyslogTlsTest, APeerThatIsSilentDelaysTheSinkAlone) {
  const int silent = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(silent, 0);
  ASSERT_EQ(listen(silent, 1), 0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size), 0);
  steno::SinkOptions sink;
  sink.syslog.address = "tls://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  sink.syslog.tls = tls_;
  sink.syslog.retry_for = std::chrono::minutes(2);
  std::mutex mutex;
  std::string warnings;
  steno::Options options;
  options.path = path("whole.steno");
  options.flush_interval = std::chrono::milliseconds(1);
  options.sinks = {sink};
  options.on_warning = [&](const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex);
    warnings += text + "\n";
  };
  start(options);
  STENO_INFO("line {n}", 0);
  std::size_t lines = 1;
  bool in_time = false;
  for (int tries = 0; tries < 10 && !in_time; ++tries) {  // a machine may take longer than a handshake may
    const int peer = accept(silent, nullptr, nullptr);
    ASSERT_GE(peer, 0);
    STENO_INFO("line {n}", lines++);
    const auto is_under_way = [peer] {
      char hello[512];
      ssize_t n = 0;
      while ((n = recv(peer, hello, sizeof hello, MSG_DONTWAIT)) > 0) {
      }
      return n < 0 && errno == EAGAIN;
    };
    while (!in_time && is_under_way()) {
      const bool is_there = read_log(path("whole.steno")).rows.size() == lines;
      in_time = is_there && is_under_way();
      if (!in_time) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    close(peer);
  }
  close(silent);
  steno::stop();
  EXPECT_TRUE(in_time);
  EXPECT_NE(warnings.find("syslog tls://127.0.0.1"), std::string::npos) << warnings;
}

TEST_F(RsyslogTlsTest, NoTimeToRetryIsTimeToConnect) {
  retry_for_ = std::chrono::milliseconds(0);
  start_log(tls(), "app");
  STENO_INFO("at once or never");
  (void)steno::flush();
  steno::stop();
  wait_for("at once or never", 1);
}

TEST_F(RsyslogTlsTest, FilesThatCannotBeUsedAreErrorsOfTheStart) {
  const auto error = [](const steno::TlsOptions& tls, const std::string& address) {
    steno::SinkOptions sink;
    sink.syslog.address = address;
    sink.syslog.tls = tls;
    steno::Options options;
    options.sinks = {sink};
    return steno::try_start(options).message();
  };
  EXPECT_NE(error({.ca_file = path("none.pem")}, tls())
                .find("tls.ca_file '" + path("none.pem") + "' cannot be used: No such file or directory"),
            std::string::npos);
  EXPECT_NE(error({.ca_file = path("ca.key")}, tls()).find("tls.ca_file"), std::string::npos);
  EXPECT_NE(error({.cert_file = path("client.pem")}, tls()).find("must be set together"), std::string::npos);
  EXPECT_NE(error({.cert_file = path("client.pem"), .key_file = path("server.key")}, tls()).find("tls.key_file"),
            std::string::npos);
  EXPECT_NE(error(tls_, tcp()).find("syslog.tls needs an address that begins with tls://"), std::string::npos);
  EXPECT_NE(error({}, "tls://127.0.0.1:0").find("port"), std::string::npos);
  for (const char* name : {"127.1", "[fe80::1%lo]"})
    EXPECT_NE(error({}, std::string("tls://") + name).find("no certificate is for '"), std::string::npos) << name;
  EXPECT_NE(error({.peer_name = "::1::"}, tls()).find("no certificate is for '::1::'"), std::string::npos);
}

}  // namespace
}  // namespace steno_test
