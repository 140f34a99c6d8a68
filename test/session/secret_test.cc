// steno::secret: values that readers and sinks do not show. steno::secret_hash: what the log has in place of one.
#include <steno/chrono.h>
#include <steno/containers.h>
#include <steno/detail/brace_call.h>
#include <steno/named_enum.h>
#include <steno/secret.h>
#include <steno/sink.h>
#include <steno/span.h>
#include <steno/struct.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/siphash.h"
#include "log_test.h"

namespace bank {
struct Payment {
  int id;
  steno::Secret<std::string> card;
};
}  // namespace bank
STENO_STRUCT(bank::Payment, id, card)
enum class Tier : char { kBasic = 'b', kGold = 'g' };
STENO_NAMED_ENUM(Tier, kBasic, kGold)

namespace steno_test {
namespace {

class SecretTest : public LogTest {
 protected:
  std::vector<std::string> finish_messages() {
    std::vector<std::string> messages;
    for (const Row& row : finish().rows) messages.push_back(row.message);
    return messages;
  }
  std::vector<std::string> messages_of(bool show_secrets) {
    std::vector<std::string> messages;
    auto reader = steno::LogReader::open({path()}, {.show_secrets = show_secrets});
    if (!reader.ok()) return messages;
    reader->for_each([&](const steno::Record& record) {
      std::string line = record.message() + " |";
      for (std::size_t i = 0; i < record.argument_count(); ++i) {
        const steno::Argument argument = record.argument(i);
        if (argument.name() == "span" || argument.name() == "parent" || argument.name() == "duration") continue;
        line += " " + std::string(1, static_cast<char>(argument.type())) + ":" + std::string(argument.meaning()) + ":";
        argument.append_text(&line);
      }
      messages.push_back(line.substr(0, line.find(": end")));
    });
    return messages;
  }
  std::string text_of(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(SecretTest, IsShownWhenAsked) {
  start();
  const std::string card = "4111 1111";
  const char array[8] = "pin";
  const char* const null = nullptr;
  const std::string owner = "5500 0000";
  const bank::Payment payment{7, steno::secret(owner)};
  STENO_INFO("{user} pays with {card:>12} {pin}", "ada", steno::secret(card), steno::secret(4711));
  STENO_INFO("{} {} {} {}", steno::secret(array), steno::secret(null), steno::secret("literal"), steno::secret(2.5));
  STENO_INFO("{took} {tier} {list}", steno::secret(std::chrono::milliseconds(15)), steno::secret(Tier::kGold),
             steno::secret(std::vector<int>{1, 2}));
  STENO_INFO("{} {}", steno::secret(true), steno::secret(std::u16string(u"wide")));
  STENO_INFO("{}", std::vector<steno::Secret<std::string>>{steno::secret(card)});
  STENO_INFO("{payment}", payment);
  { STENO_SPAN("serve {token}", steno::secret(card)); }
  steno::stop();
  EXPECT_EQ(messages_of(false), (std::vector<std::string>{
                                    "ada pays with   [redacted] [redacted] | S::ada S::[redacted] S::[redacted]",
                                    "[redacted] [redacted] [redacted] [redacted] | S::[redacted] S::[redacted] "
                                    "S::[redacted] S::[redacted]",
                                    "[redacted] [redacted] [redacted] | S::[redacted] S::[redacted] S::[redacted]",
                                    "[redacted] [redacted] | S::[redacted] S::[redacted]",
                                    "[[redacted]] | S::[[redacted]]",
                                    "{id=7, card=[redacted]} | i::7 S::[redacted]",
                                    "serve [redacted]: begin | S::[redacted]",
                                    "serve [redacted]",
                                }));
  EXPECT_EQ(messages_of(true), (std::vector<std::string>{
                                   "ada pays with    4111 1111 4711 | S::ada S::4111 1111 i::4711",
                                   "pin (null) literal 2.5 | S::pin S::(null) S::literal d::2.5",
                                   "15ms kGold [1, 2] | l:ms:15ms l:=98 kBasic,103 kGold:kGold S:[i:[1, 2]",
                                   "true wide | b::true U::wide",
                                   "[[redacted]] | S::[[redacted]]",
                                   "{id=7, card=5500 0000} | i::7 S::5500 0000",
                                   "serve 4111 1111: begin | S::4111 1111",
                                   "serve 4111 1111",
                               }));
}

// A format that comes at run time and does not fit what stands for a secret is logged as it is.
TEST_F(SecretTest, RunTimeFormatsFitBoth) {
  start();
  const auto log = [](std::string_view format) {
    steno::detail::log_braces(steno::Logger(), steno::Origin(steno::Level::kInfo, __FILE__, __LINE__, ""), format,
                              steno::secret(4711));
  };
  log("pin {}");
  log("pin {:08d}");
  steno::stop();
  const auto all = messages_of(false);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], "pin [redacted] | S::[redacted]");
  EXPECT_EQ(all[1], "pin {:08d} [redacted] | S::pin {:08d} S::[redacted]");
}

// Whatever they are of, and whatever prints them.
TEST_F(SecretTest, SinksNeverShowThem) {
  steno::Options options;
  for (const auto& [kind, name] : {std::pair(steno::LineFormat::kText, "text"),
                                   {steno::LineFormat::kJson, "json"},
                                   {steno::LineFormat::kCsv, "csv"},
                                   {steno::LineFormat::kLogfmt, "logfmt"}}) {
    steno::SinkOptions sink;
    sink.path = path(name);
    sink.format = kind;
    options.sinks.push_back(sink);
  }
  std::string heard;
  steno::SinkOptions callback;
  callback.callback = [&heard](const steno::Line& line) { heard += line.text; };
  options.sinks.push_back(callback);
  start(options);
  for (int i = 0; i < 100; ++i) {
    const std::string token(static_cast<std::size_t>(i), 'z');
    STENO_INFO("{token} {pin} {plain}", steno::secret(token), steno::secret(424242), i);
  }
  steno::stop();
  for (const char* const name : {"text", "json", "csv", "logfmt"}) {
    const std::string text = text_of(name);
    EXPECT_NE(text.find("[redacted]"), std::string::npos) << name;
    EXPECT_EQ(text.find("zz"), std::string::npos) << name;
    EXPECT_EQ(text.find("424242"), std::string::npos) << name;
  }
  EXPECT_NE(heard.find("[redacted]"), std::string::npos);
  EXPECT_EQ(heard.find("zz"), std::string::npos);
  EXPECT_EQ(heard.find("424242"), std::string::npos);
}

// Records that wait in staging are read by the same rules.
TEST_F(SecretTest, OfARunningSession) {
  start();
  STENO_INFO("{token}", steno::secret("first"));
  EXPECT_EQ(messages_of(false), std::vector<std::string>{"[redacted] | S::[redacted]"});
  EXPECT_EQ(messages_of(true), std::vector<std::string>{"first | S::first"});
}

// These are the values of the paper, appendix A.
TEST(SipHash, OfThePaper) {
  unsigned char bytes[16];
  for (unsigned char i = 0; i < 16; ++i) bytes[i] = i;
  const steno::SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(steno::siphash(key, bytes, 15), 0xa129ca6149be45e5);
  EXPECT_EQ(steno::siphash(key, bytes, 0), 0x726fdb47dd0e0e31);
  EXPECT_EQ(steno::siphash(key, bytes, 8), 0x93f5f5799a932462);
}

// These run in processes of their own, because the first hash decides. They come before tests that give this process a
// key, which children have.
TEST_F(SecretTest, TheKeyIsOfTheEnvironmentOrOfTheProcess) {
  in_process_of_its_own([this] {
    const auto hash = [this](const char* key, const std::string& name) {
      in_child_that_leaves([&] {
        if (key != nullptr) {
          setenv("STENO_SECRET_KEY", key, 1);
        } else {
          unsetenv("STENO_SECRET_KEY");
        }
        if (!steno::try_start({.path = path(name), .scribe_thread = false}).ok()) std::_Exit(1);
        STENO_INFO("{}", steno::secret_hash("token"));
        steno::stop();
      });
      const Log log = read_log(path(name));
      return log.rows.empty() ? std::string() : log.rows[0].message;
    };
    const std::string by_key = hash("a key", "one.steno");
    EXPECT_EQ(by_key.size(), 17u);
    EXPECT_EQ(hash("a key", "two.steno"), by_key);
    EXPECT_NE(hash("b key", "three.steno"), by_key);
    EXPECT_NE(hash(nullptr, "four.steno"), hash(nullptr, "five.steno"));
  });
}

TEST_F(SecretTest, TheSameValueIsTheSameText) {
  start();
  steno::set_secret_key("a key");
  const char array[8] = "token";
  const std::string text = "token";
  STENO_INFO("{}", steno::secret_hash("token"));
  STENO_INFOF("%s", steno::secret_hash(text));
  STENO_INFO("{}", steno::secret_hash(array));
  STENO_INFO("{}", steno::secret_hash(std::string_view(text)));
  STENO_INFO("{}", steno::secret_hash("tokem"));
  STENO_INFO("{}", steno::secret_hash(17));
  STENO_INFO("{}", steno::secret_hash("17"));
  STENO_INFO("{}", steno::secret_hash(-17LL));
  STENO_INFO("{}", steno::secret_hash(static_cast<const char*>(nullptr)));
  STENO_INFO("{}", steno::secret_hash(""));
  steno::set_secret_key("another key");
  STENO_INFO("{}", steno::secret_hash("token"));
  steno::set_secret_key("a key");
  STENO_INFO("{}", steno::secret_hash("token"));
  const auto all = finish_messages();
  ASSERT_EQ(all.size(), 12u);
  EXPECT_EQ(all[0].size(), 17u);
  EXPECT_EQ(all[0][0], '#');
  EXPECT_EQ(all[0].find_first_not_of("0123456789abcdef", 1), std::string::npos);
  for (const int same : {1, 2, 3, 11}) EXPECT_EQ(all[static_cast<std::size_t>(same)], all[0]);
  EXPECT_NE(all[4], all[0]);
  EXPECT_EQ(all[6], all[5]);
  EXPECT_NE(all[7], all[5]);
  EXPECT_EQ(all[9], all[8]);
  EXPECT_NE(all[10], all[0]);
}

}  // namespace
}  // namespace steno_test
