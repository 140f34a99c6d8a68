// The syslog sink against a real rsyslogd: by its socket, UDP and TCP.
#include "rsyslog_test.h"

namespace steno_test {
namespace {

TEST_F(RsyslogTest, LocalSocketIsServedAcrossARestart) {
  expect_all("unix:" + path("dev-log"));
}

TEST_F(RsyslogTest, LocalSocketTakesRfc5424) {
  expect_all("unix:" + path("dev-log-5424"), steno::SyslogFormat::kRfc5424);
  EXPECT_GE(received_with("steno@32473 thread="), 50u);
}

TEST_F(RsyslogTest, UdpIsServedAcrossARestart) {
  expect_all(udp());
  EXPECT_GE(received_with("[meta sequenceId=\"7\"]"), 1u);
}

TEST_F(RsyslogTest, TcpIsServedAcrossARestart) {
  expect_all(tcp());
  EXPECT_GE(received_with("text=\"a\\]b\""), 50u);
}

TEST_F(RsyslogTest, TcpTakesTheOldFormat) {
  expect_all(tcp(), steno::SyslogFormat::kRfc3164);
}

TEST_F(RsyslogTest, LocalSocketIsServedByAScribeOutside) {
  expect_all_of_a_scribe_outside("unix:" + path("dev-log"));
}

TEST_F(RsyslogTest, UdpIsServedByAScribeOutside) {
  expect_all_of_a_scribe_outside(udp());
}

TEST_F(RsyslogTest, TcpIsServedByAScribeOutside) {
  expect_all_of_a_scribe_outside(tcp());
}

}  // namespace
}  // namespace steno_test
