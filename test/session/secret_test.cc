// steno::secret_hash: what the log has in place of a value.
#include <steno/secret.h>

#include <cstdlib>

#include "base/siphash.h"
#include "log_test.h"

namespace steno_test {
namespace {

class SecretTest : public LogTest {
 protected:
  std::vector<std::string> finish_messages() {
    std::vector<std::string> messages;
    for (const Row& row : finish().rows) messages.push_back(row.message);
    return messages;
  }
};

// Of the paper, appendix A.
TEST(SipHash, OfThePaper) {
  unsigned char bytes[16];
  for (unsigned char i = 0; i < 16; ++i) bytes[i] = i;
  const steno::SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(steno::siphash(key, bytes, 15), 0xa129ca6149be45e5);
  EXPECT_EQ(steno::siphash(key, bytes, 0), 0x726fdb47dd0e0e31);
  EXPECT_EQ(steno::siphash(key, bytes, 8), 0x93f5f5799a932462);
}

// In processes of their own: the first hash decides. Before tests that give this process a key, which children have.
TEST_F(SecretTest, TheKeyIsOfTheEnvironmentOrOfTheProcess) {
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
