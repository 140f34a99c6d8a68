// Arrays of bytes in statements, without <steno/containers.h>: whether they are text does not depend on an include.
#include <steno/context.h>
#include <steno/secret.h>
#include <steno/span.h>

#include <cstdint>

#include "log_test.h"

namespace {

class ByteArrayTest : public LogTest {
 public:
  std::vector<std::string> messages() {
    std::vector<std::string> messages;
    for (const Row& row : finish().rows) messages.push_back(row.message);
    return messages;
  }
};

TEST_F(ByteArrayTest, AreNumbers) {
  start();
  const std::uint8_t mac[6] = {0x02, 0x00, 0x5e, 0x10, 0x00, 0x01};
  std::int8_t steps[4] = {1, 0, -2, 0};
  struct {
    std::uint8_t bytes[2];
  } holder = {{0, 9}};
  STENO_INFO("mac {mac}, {}", mac, holder.bytes);
  STENO_INFO("steps {steps}", steps);
  EXPECT_EQ(messages(), (std::vector<std::string>{"mac [2, 0, 94, 16, 0, 1], [0, 9]", "steps [1, 0, -2, 0]"}));
}

// A conversion for text takes the bytes up to a NUL, as in C, and none after the array.
TEST_F(ByteArrayTest, AreTextWherePrintfSaysSo) {
  start();
  const unsigned char text[] = "text";
  const unsigned char full[3] = {'a', 'b', 'c'};
  const signed char cut[] = {'x', 0, 'y'};
  STENO_INFOF("%s %.2s %s %s", text, text, full, cut);
  EXPECT_EQ(messages(), std::vector<std::string>{"text te abc x"});
}

// Text is what is of a character type, or a pointer.
TEST_F(ByteArrayTest, OthersAreText) {
  start();
  const unsigned char* const pointer = reinterpret_cast<const unsigned char*>("pointer");
  char cut[] = {'a', 0, 'b'};
  STENO_INFO("{} {} {}", u8"\u00e4", pointer, cut);
  EXPECT_EQ(messages(), std::vector<std::string>{"\u00e4 pointer a"});
}

TEST_F(ByteArrayTest, InContextsSpansAndSecrets) {
  start();
  const std::uint8_t mac[3] = {2, 0, 1};
  {
    const steno::ScopedContext context("field", mac);
    STENO_SPAN("span {mac}", mac);
    STENO_INFO("{}", steno::secret(mac));
  }
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 3u);
  EXPECT_EQ(log.rows[0].message, "span [2, 0, 1]: begin");
  EXPECT_EQ(log.rows[1].message, "[redacted]");
}

}  // namespace
