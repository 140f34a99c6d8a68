// Messages for syslog and the journal, as receivers of the test's own take them: with parsers that know only the RFCs.
#include <fcntl.h>
#include <poll.h>
#include <steno/sink.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "free_port.h"
#include "journal_entry.h"
#include "log_test.h"
#include "receiver.h"

namespace steno_test {
namespace {

using steno::SinkOptions;

// A message of RFC 5424, taken apart.
struct Parsed5424 {
  int priority = -1;
  std::string time, host, app, pid, id;
  std::map<std::string, std::string> data;  // "element.name"
  std::string message;
};

// Returns nothing if `text` is no such message.
std::optional<Parsed5424> parse_5424(std::string_view text) {
  Parsed5424 parsed;
  std::size_t at = 0;
  const auto take = [&](char end) {
    std::string word;
    while (at < text.size() && text[at] != end) word += text[at++];
    if (at < text.size()) ++at;
    return word;
  };
  if (take('<') != "") return {};
  parsed.priority = std::atoi(take('>').c_str());
  if (take(' ') != "1") return {};
  for (std::string* field : {&parsed.time, &parsed.host, &parsed.app, &parsed.pid, &parsed.id}) {
    *field = take(' ');
    if (field->empty() || field->find_first_not_of("!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                                                   "abcdefghijklmnopqrstuvwxyz{|}~") != std::string::npos)
      return {};
  }
  while (at < text.size() && text[at] == '[') {
    ++at;
    std::string element;
    while (at < text.size() && text[at] != ' ' && text[at] != ']') element += text[at++];
    while (at < text.size() && text[at] == ' ') {
      ++at;
      const std::string name = take('=');
      if (name.empty() || name.size() > 32 || name.find_first_of(" ]\"") != std::string::npos) return {};
      if (at >= text.size() || text[at++] != '"') return {};
      std::string value;
      for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == ']') return {};
        if (text[at] == '\\' && ++at == text.size()) return {};
        value += text[at];
      }
      ++at;
      parsed.data[element + "." + name] = value;
    }
    if (at >= text.size() || text[at++] != ']') return {};
  }
  if (at >= text.size() || text[at++] != ' ') return {};
  parsed.message = text.substr(at);
  return parsed;
}

// "LENGTH MESSAGE" one after another. Nothing, where that is not so.
std::optional<std::vector<std::string>> take_octet_counted(std::string_view text) {
  std::vector<std::string> messages;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos || blank == 0 || blank > 5) return {};
    const std::size_t size = std::stoull(std::string(text.substr(0, blank)));
    text.remove_prefix(blank + 1);
    if (text.size() < size) return {};
    messages.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return messages;
}

class SyslogTest : public LogTest {
 protected:
  ~SyslogTest() override { steno::stop(); }

  void start_syslog(const std::string& address, const std::function<void(SinkOptions&)>& change = {}) {
    SinkOptions sink;
    sink.syslog.address = address;
    sink.syslog.app_name = "app";
    if (change) change(sink);
    steno::Options options;
    options.sinks = {sink};
    options.level = steno::Level::kTrace;
    options.block_at_most = steno::kForever;  // for stop(): sinks have bounds of their own
    options.on_warning = [](const std::string&) {};
    start(options);
  }
  static std::string udp(const Receiver& receiver) { return "udp://127.0.0.1:" + std::to_string(receiver.port()); }
  static std::string tcp(const Receiver& receiver) { return "tcp://127.0.0.1:" + std::to_string(receiver.port()); }
};

TEST_F(SyslogTest, MessagesHaveLevelPlaceAndArgumentsAsFields) {
  const Receiver receiver(AF_INET, SOCK_DGRAM);
  start_syslog(udp(receiver), [](SinkOptions& sink) { sink.syslog.facility = steno::Facility::kLocal0; });
  const steno::Logger net = steno::logger("net.http");
  steno::set_thread_name("main thread");
  STENO_LOG_TO(net, ERROR, "cannot reach {host} after {tries} tries ({logger})", "db1", 3, true);
  const int line = __LINE__ - 1;
  STENO_DEBUG("second");
  steno::stop();
  const auto first = parse_5424(receiver.datagram());
  const auto second = parse_5424(receiver.datagram());
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->priority, 16 * 8 + 3);
  EXPECT_EQ(first->time.size(), std::string("2026-11-22T20:15:00.123456Z").size()) << first->time;
  EXPECT_EQ(first->app, "app");
  EXPECT_EQ(first->pid, std::to_string(getpid()));
  EXPECT_EQ(first->id, "syslog_test.cc:" + std::to_string(line));
  EXPECT_EQ(first->message, "cannot reach db1 after 3 tries (true)");
  const std::map<std::string, std::string> data = {
      {"meta.sequenceId", "1"},    {"steno@32473.logger", "net.http"}, {"steno@32473.thread", "main thread"},
      {"steno@32473.host", "db1"}, {"steno@32473.tries", "3"},         {"steno@32473.arg_logger", "true"}};
  EXPECT_EQ(first->data, data);
  EXPECT_EQ(second->priority, 16 * 8 + 7);
  EXPECT_EQ(second->data.at("meta.sequenceId"), "2");
  EXPECT_EQ(second->message, "second");
}

TEST_F(SyslogTest, HostileTextStaysInsideItsMessage) {
  const Receiver receiver(AF_INET, SOCK_STREAM);
  start_syslog(tcp(receiver), [](SinkOptions& sink) { sink.pattern = "{message}\n{args}"; });
  const std::vector<std::string> texts = {"a\nb\r\n<0>1 - - - - - - posing",
                                          std::string("nul\0nul", 7),
                                          "\xFF\xC3 \xE2\x82",
                                          "\"]\\ [meta sequenceId=\"7\"]",
                                          "12 345 <13>",
                                          "\x1b[31mred\xC2\x85"};
  for (const std::string& text : texts) STENO_INFO("{text}", text);
  const int connection = receiver.accept_one();
  steno::stop();
  const auto messages = take_octet_counted(Receiver::all_of(connection));
  close(connection);
  ASSERT_TRUE(messages.has_value());
  ASSERT_EQ(messages->size(), texts.size());
  const std::vector<std::string> shown = {"a\\nb\\r\\n<0>1 - - - - - - posing",
                                          "nul\\x00nul",
                                          "\\xff\\xc3 \\xe2\\x82",
                                          texts[3],
                                          texts[4],
                                          "\\x1b[31mred\\u0085"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto parsed = parse_5424((*messages)[i]);
    ASSERT_TRUE(parsed.has_value()) << (*messages)[i];
    EXPECT_EQ(parsed->data.at("steno@32473.text"), shown[i]);
    EXPECT_EQ(parsed->message.substr(0, shown[i].size()), shown[i]);
    EXPECT_EQ((*messages)[i].find_first_of(std::string("\n\r\0", 3)), std::string::npos);
  }
}

TEST_F(SyslogTest, LongMessagesAreCutBetweenCharacters) {
  const Receiver receiver(AF_INET, SOCK_DGRAM);
  start_syslog(udp(receiver), [](SinkOptions& sink) { sink.syslog.max_bytes = 480; });
  std::string umlauts;
  for (int i = 0; i < 30'000; ++i) umlauts += "ä";
  for (int pad = 0; pad < 2; ++pad) STENO_INFO("{}{}", std::string(static_cast<std::size_t>(pad), 'x'), umlauts);
  steno::stop();
  for (int pad = 0; pad < 2; ++pad) {
    const std::string text = receiver.datagram();
    const auto parsed = parse_5424(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_GE(text.size(), 479u);
    EXPECT_LE(text.size(), 480u);
    EXPECT_TRUE(parsed->message.ends_with("ä [cut]")) << parsed->message;
    EXPECT_EQ(parsed->data.at("steno@32473.cut"), "true");
  }
}

TEST_F(SyslogTest, LocalSocketsTakeTheOldFormat) {
  const Receiver datagrams(AF_UNIX, SOCK_DGRAM, path("log"));
  start_syslog("unix:" + path("log"));
  STENO_WARN("one\ntwo");
  STENO_INFO("three");
  steno::stop();
  const std::string first = datagrams.datagram();
  EXPECT_EQ(first.substr(0, 4), "<12>");
  EXPECT_EQ(first.substr(19), " app[" + std::to_string(getpid()) + "]: one\\ntwo") << first;
  EXPECT_TRUE(datagrams.datagram().ends_with("]: three"));

  const Receiver stream(AF_UNIX, SOCK_STREAM, path("stream"));
  start_syslog("unix:" + path("stream"));
  STENO_INFO("four");
  STENO_INFO("five");
  const int connection = stream.accept_one();
  steno::stop();
  const std::string all = Receiver::all_of(connection);
  close(connection);
  const std::size_t end = all.find('\0');
  ASSERT_NE(end, std::string::npos);
  EXPECT_TRUE(all.substr(0, end).ends_with("]: four")) << all;
  EXPECT_TRUE(all.ends_with(std::string("]: five\0", 8))) << all;
}

// All lines arrive, or are counted in one that does.
TEST_F(SyslogTest, PeerThatComesBackHearsWhatWasSkipped) {
  const int port = free_port(SOCK_STREAM);
  start_syslog("tcp://127.0.0.1:" + std::to_string(port),
               [](SinkOptions& sink) { sink.syslog.retry_for = std::chrono::milliseconds(0); });
  for (int i = 0; i < 100; ++i) STENO_INFO("lost {}", i);
  (void)steno::flush();
  const Receiver receiver(AF_INET, SOCK_STREAM, {}, port);
  int logged = 100;
  while (recv(receiver.fd(), nullptr, 0, MSG_DONTWAIT) < 0) {  // until it connects: that is not asked for at each line
    pollfd wanted{receiver.fd(), POLLIN, 0};
    STENO_INFO("line {}", logged++);
    (void)steno::flush();
    if (poll(&wanted, 1, 20) == 1) break;
    ASSERT_LT(logged, 10'000);
  }
  const int connection = receiver.accept_one();
  steno::stop();
  const auto messages = take_octet_counted(Receiver::all_of(connection));
  close(connection);
  ASSERT_TRUE(messages.has_value());
  ASSERT_GE(messages->size(), 2u);
  const std::string notice = parse_5424(messages->front())->message;
  const std::string start = "lines skipped here: ";
  ASSERT_EQ(notice.substr(0, start.size()), start);
  EXPECT_NE(notice.find("(Connection refused)"), std::string::npos) << notice;
  EXPECT_EQ(std::stoul(notice.substr(start.size())) + messages->size() - 1, static_cast<unsigned long>(logged));
}

// A peer that does not read holds up nobody else, and not for ever the sink.
TEST_F(SyslogTest, PeerThatDoesNotReadDelaysNobody) {
  const Receiver receiver(AF_INET, SOCK_STREAM);
  start_syslog(tcp(receiver), [](SinkOptions& sink) {
    sink.syslog.retry_for = std::chrono::milliseconds(100);
    sink.queue_bytes = std::size_t{64} << 10;
  });
  const std::string text(500, 'x');
  for (int i = 0; i < 30'000; ++i) STENO_INFO("{i} {text}", i, text);  // more than the system buffers
  steno::stop();
  EXPECT_EQ(read_log(path()).rows.size(), 30'000u);
}

TEST_F(SyslogTest, RefusedDatagramsAreCounted) {
  const int port = free_port(SOCK_DGRAM);
  start_syslog("udp://127.0.0.1:" + std::to_string(port),
               [](SinkOptions& sink) { sink.syslog.retry_for = std::chrono::milliseconds(0); });
  constexpr unsigned long kLost = 20;
  for (unsigned long i = 0; i < kLost; ++i) {
    STENO_INFO("lost {}", i);
    (void)steno::flush();
  }
  const Receiver receiver(AF_INET, SOCK_DGRAM, {}, port);
  unsigned long logged = kLost;
  pollfd wanted{receiver.fd(), POLLIN, 0};
  do {
    STENO_INFO("line {}", logged++);
    (void)steno::flush();
    ASSERT_LT(logged, 10'000u);
  } while (poll(&wanted, 1, 20) != 1);
  STENO_INFO("last");
  ++logged;
  steno::stop();
  unsigned long counted = 0;
  for (bool last = false; !last;) {
    const std::string text = receiver.datagram();
    ASSERT_FALSE(text.empty());
    const std::string message = parse_5424(text)->message;
    const std::string start = "lines skipped here: ";
    counted += message.starts_with(start) ? std::stoul(message.substr(start.size())) : 1;
    last = message == "last";
  }
  EXPECT_EQ(counted, logged);
}

TEST_F(SyslogTest, JournalHasFieldsAsFields) {
  const Receiver receiver(AF_UNIX, SOCK_DGRAM, path("journal"));
  SinkOptions sink;
  sink.journal.address = path("journal");
  sink.journal.app_name = "shop";
  steno::Options options;
  options.sinks = {sink};
  start(options);
  const steno::Logger net = steno::logger("net");
  const std::string lines = std::string("a\nMESSAGE=posing\n\0b", 19);
  STENO_LOG_TO(net, WARN, "got {text} of {qty}", lines, 3);
  const int line = __LINE__ - 1;
  steno::stop();
  const auto fields = parse_entry(receiver.datagram());
  EXPECT_EQ(fields.at("MESSAGE"), "got " + lines + " of 3");
  EXPECT_EQ(fields.at("PRIORITY"), "4");
  EXPECT_EQ(fields.at("SYSLOG_IDENTIFIER"), "shop");
  EXPECT_EQ(fields.at("SYSLOG_FACILITY"), "1");
  EXPECT_TRUE(fields.at("CODE_FILE").ends_with("syslog_test.cc"));
  EXPECT_EQ(fields.at("CODE_LINE"), std::to_string(line));
  EXPECT_EQ(fields.at("CODE_FUNC"), "TestBody");
  EXPECT_EQ(fields.at("STENO_LOGGER"), "net");
  EXPECT_EQ(fields.at("TID"), std::to_string(gettid()));
  EXPECT_EQ(fields.at("ARG_TEXT"), lines);
  EXPECT_EQ(fields.at("ARG_QTY"), "3");
}

// An entry that no datagram takes comes as the descriptor of a file that nobody can change any more.
TEST_F(SyslogTest, LargeEntriesComeInASealedFile) {
  const Receiver receiver(AF_UNIX, SOCK_DGRAM, path("journal"));
  SinkOptions sink;
  sink.journal.address = path("journal");
  steno::Options options;
  options.sinks = {sink};
  start(options);
  const std::string part(60'000, 'z');
  STENO_INFO("{a}{b}{c}{d}", part, part, part, part);
  steno::stop();
  ASSERT_TRUE(Receiver::readable(receiver.fd()));
  char byte = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ASSERT_EQ(recvmsg(receiver.fd(), &message, MSG_CMSG_CLOEXEC), 0);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  ASSERT_TRUE(header != nullptr && header->cmsg_type == SCM_RIGHTS);
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  EXPECT_EQ(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  struct stat st {};
  ASSERT_EQ(fstat(fd, &st), 0);
  std::string text(static_cast<std::size_t>(st.st_size), '\0');
  ASSERT_EQ(pread(fd, text.data(), text.size(), 0), st.st_size);
  close(fd);
  const auto fields = parse_entry(text);
  EXPECT_EQ(fields.at("MESSAGE"), part + part + part + part);
  EXPECT_EQ(fields.at("ARG_D"), part);
}

TEST_F(SyslogTest, ImpossibleOptionsAreRefused) {
  const auto refusal = [&](const std::function<void(SinkOptions&)>& change) {
    SinkOptions sink;
    change(sink);
    steno::Options options;
    options.path = path("app.steno");
    options.sinks = {sink};
    const steno::Status status = steno::try_start(options);
    if (status.ok()) steno::stop();
    return status.message();
  };
  const auto address = [&](const char* text) {
    return refusal([&](SinkOptions& sink) { sink.syslog.address = text; });
  };
  for (const auto& [text, complaint] :
       std::map<const char*, const char*>{{"host:514",
                                           "is not valid for syslog; it can be local, unix:/PATH, "
                                           "udp://HOST[:PORT], tcp://HOST:PORT or tls://HOST[:PORT]"},
                                          {"ssl://host", "is not valid for syslog"},
                                          {"udp://", "has no host"},
                                          {"udp://a b", "has no host"},
                                          {"udp://host:0", "has a port that is not a number from 1 to 65535"},
                                          {"udp://host:syslog", "has a port that"},
                                          {"udp://::1", "has an IPv6 address, which needs brackets"},
                                          {"udp://[::1", "has a '[' without a ']'"},
                                          {"udp://[host]:514", "has no IPv6 address in its brackets"},
                                          {"tcp://host", "needs a port: tcp://HOST:601"},
                                          {"unix:log", "needs an absolute path"}}) {
    const std::string message = address(text);
    EXPECT_EQ(message.find("a sink: syslog: the address '" + std::string(text) + "' " + complaint), 0u)
        << text << ": " << message;
  }
  EXPECT_NE(address(("unix:/" + std::string(200, 'x')).c_str()).find("too long"), std::string::npos);
  const auto syslog = [&](const std::function<void(steno::SyslogOptions&)>& change) {
    return refusal([&](SinkOptions& sink) {
      sink.syslog.address = "local";
      change(sink.syslog);
    });
  };
  using S = steno::SyslogOptions;
  EXPECT_EQ(syslog([](S& s) { s.facility = static_cast<steno::Facility>(24); }),
            "a sink: syslog.facility is 24; it must be 0 to 23");
  EXPECT_EQ(syslog([](S& s) { s.app_name = "my app"; }),
            "a sink: syslog.app_name must be up to 48 printable ASCII characters without blanks");
  EXPECT_EQ(syslog([](S& s) { s.structured_data = "a]b"; }),
            "a sink: syslog.structured_data is 'a]b'; it must be a name like app@32473, up to 32 characters, or -");
  EXPECT_EQ(syslog([](S& s) { s.max_bytes = 100; }), "a sink: syslog.max_bytes is 100; it must be 480 to 65000");
  EXPECT_EQ(syslog([](S& s) { s.retry_for = std::chrono::milliseconds(-1); }),
            "a sink: syslog.retry_for is -1 ms; it must be 0 to one hour");
  EXPECT_EQ(syslog([](S& s) { s.format = static_cast<steno::SyslogFormat>(9); }),
            "a sink: syslog.format is not a value of SyslogFormat");
  EXPECT_EQ(refusal([](SinkOptions& sink) {
              sink.syslog.address = "local";
              sink.format = steno::LineFormat::kCsv;
            }),
            "a sink: CSV needs a header line, which syslog and the journal cannot hold");
  const auto journal = [&](const std::function<void(steno::JournalOptions&)>& change) {
    return refusal([&](SinkOptions& sink) {
      sink.journal.address = "local";
      change(sink.journal);
    });
  };
  using J = steno::JournalOptions;
  EXPECT_EQ(journal([](J& j) { j.address = "udp://host"; }),
            "a sink: journal: the address 'udp://host' is not valid for the journal; it can be local or the path of "
            "a socket");
  EXPECT_EQ(journal([](J& j) { j.argument_prefix = "_x"; }),
            "a sink: journal.argument_prefix is '_x'; it must be capitals, digits and '_', like ARG_");
}

}  // namespace
}  // namespace steno_test
