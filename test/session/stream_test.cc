// Messages that are printed to a stream.
#include <steno/stream.h>

#include <cstdint>
#include <iomanip>
#include <string>

#include "../sanitizers.h"
#include "log_test.h"

namespace steno_test {
namespace {

using steno::StackStream;

class StreamTest : public LogTest {
 protected:
  std::vector<std::string> finish_messages() const {
    steno::stop();
    std::vector<std::string> messages;
    for (const Row& row : read_log(path()).rows) messages.push_back(row.message);
    return messages;
  }
};

struct Point {
  int x;
  int y;
};
std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << '(' << point.x << ", " << point.y << ')';
}

// Returns whether `stream` still has its text in the object.
template <std::size_t kSize>
bool is_inside(const StackStream<kSize>& stream) {
  const auto at = reinterpret_cast<std::uintptr_t>(stream.text().data());
  const auto begin = reinterpret_cast<std::uintptr_t>(&stream);
  return at >= begin && at < begin + sizeof stream;
}

TEST_F(StreamTest, LogsWhatIsPrinted) {
  start();
  const int ms = 12;
  STENO_STREAM(INFO, "took " << ms << " ms at " << Point{1, -2} << std::setw(5) << std::hex << 255);
  STENO_STREAM(WARN, std::string("text, with {braces}") << std::boolalpha << ' ' << (ms > 3));
  StackStream<> out;
  out << Point{3, 4} << std::endl;
  STENO_INFO("at {text}", out.text());
  EXPECT_EQ(finish_messages(),
            (std::vector<std::string>{"took 12 ms at (1, -2)   ff", "text, with {braces} true", "at (3, 4)\n"}));
}

TEST_F(StreamTest, HasLevelAndLoggerOfAStatement) {
  start();
  steno::set_level(steno::Level::kInfo);
  int evaluated = 0;
  const auto count = [&evaluated] { return ++evaluated; };
  steno::Logger quiet = steno::logger("stream.quiet", steno::Level::kError);
  STENO_STREAM(DEBUG, "disabled " << count());
  STENO_STREAM_TO(quiet, INFO, "disabled " << count());
  EXPECT_EQ(evaluated, 0);
  STENO_STREAM_TO(quiet, ERROR, "enabled " << count());
  EXPECT_EQ(evaluated, 1);
  steno::stop();
  const Log log = read_log(path());
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].message, "enabled 1");
  EXPECT_EQ(log.rows[0].logger, "stream.quiet");
  EXPECT_EQ(log.rows[0].level, steno::Level::kError);
  EXPECT_NE(log.rows[0].file.find("stream_test.cc"), std::string::npos);
}

TEST_F(StreamTest, LongTextsAreWhole) {
  start();
  std::vector<std::string> expected;
  for (const std::size_t size : {0, 1, 1023, 1024, 1025, 5000, 100000}) {
    const std::string text(size, static_cast<char>('a' + size % 26));
    STENO_STREAM(INFO, text);
    STENO_STREAM(INFO, "after " << text << ' ' << size);
    expected.push_back(text);
    expected.push_back("after " + text + " " + std::to_string(size));
  }
  EXPECT_EQ(finish_messages(), expected);
}

TEST_F(StreamTest, TextStaysInTheObjectWhileItFits) {
  StackStream<16> small;
  EXPECT_EQ(small.text(), "");
  small << "sixteen letters.";
  EXPECT_EQ(small.text(), "sixteen letters.");
  EXPECT_TRUE(is_inside(small));
  small.put('!');
  EXPECT_EQ(small.text(), "sixteen letters.!");
  EXPECT_FALSE(is_inside(small));
  std::string expected(small.text());
  for (int i = 0; i < 1000; ++i) {
    small << i << ' ';
    expected += std::to_string(i) + " ";
  }
  EXPECT_EQ(small.text(), expected);
  EXPECT_TRUE(small.good());
}

TEST_F(StreamTest, WithoutMemoryTheTextEndsThere) {
  if (steno::test::kAddressSanitizer || steno::test::kThreadSanitizer)
    GTEST_SKIP() << "whose allocators end the program";
  volatile std::streamsize more_than_there_is = std::streamsize{1} << 60;
  StackStream<8> out;
  out << "before";
  out.write("", more_than_there_is);
  EXPECT_TRUE(out.bad());
  out << "after";
  EXPECT_EQ(out.text(), "before");
}

}  // namespace
}  // namespace steno_test
