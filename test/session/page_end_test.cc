// Tests that a statement reads all bytes of a text and none after its end.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "log_test.h"

namespace steno_test {
namespace {

class PageEndTest : public LogTest {};

// C strings of every length, up to the last byte of a page after which there is none.
TEST_F(PageEndTest, TextsMayEndWithTheirPage) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  char* const end = static_cast<char*>(memory) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  start();
  std::vector<std::string> expected;
  for (std::size_t behind = 1; behind <= 17; ++behind) {
    for (std::size_t size = 0; size < 70; ++size) {
      std::memset(memory, 'z', page);
      end[-static_cast<std::ptrdiff_t>(behind)] = '\0';
      const char* const text = end - behind - size;
      STENO_INFO("{}", text);
      expected.emplace_back(size, 'z');
      STENO_INFO("{} {}", text, behind);
      expected.push_back(expected.back() + " " + std::to_string(behind));
    }
  }
  std::vector<std::string> messages;
  for (const auto& row : finish().rows) messages.push_back(row.message);
  EXPECT_EQ(messages, expected);
  munmap(memory, 2 * page);
}

// Texts of every length to beyond those that are copied in the statement's own code, and around the size of records
// that are written otherwise: alone, beside numbers and twice; with statements that wake the scribe, and of loggers.
class WholeTexts : public LogTest {
 protected:
  void expect_whole(const steno::Options& options, int most = 2060) {
    start(options);
    const steno::Logger logger = steno::logger("texts");
    std::vector<std::string> expected;
    std::string text;
    for (int size = 0; size < most; size = size == 300 ? 1990 : size + 1) {
      while (static_cast<int>(text.size()) < size) text += static_cast<char>('a' + text.size() % 26);
      const char* const terminated = text.c_str();
      const std::string_view view = text;
      STENO_INFO("{}", terminated);
      STENO_ERROR("{}", view);
      STENO_LOG_TO(logger, INFO, "{}", terminated);
      STENO_INFO("{} {}", size, terminated);
      STENO_ERROR("{} {}", view, size + 0.5);
      STENO_LOG_TO(logger, ERROR, "{} {}", view, size);
      STENO_ERROR("{} {}", terminated, view);
      STENO_INFO("{} {} {}", size, view, terminated);
      const std::string number = std::to_string(size);
      for (const std::string& message : {text, text, text, number + " " + text, text + " " + number + ".5",
                                         text + " " + number, text + " " + text, number + " " + text + " " + text}) {
        expected.push_back(message);
      }
    }
    const char* const null = nullptr;
    STENO_INFO("{}", null);
    STENO_INFO("{} {}", null, 1);
    expected.insert(expected.end(), {"(null)", "(null) 1"});
    const Log log = finish();
    EXPECT_EQ(messages(log), expected);
    EXPECT_TRUE(log.losses.empty());
  }
};

TEST_F(WholeTexts, InALargeRing) {
  expect_whole({});
}

// Many calls find no room, and begin anew. Longer texts would be cut for so small a ring.
TEST_F(WholeTexts, InASmallRing) {
  steno::Options options;
  options.ring_bytes = 4096;
  expect_whole(options, 300);
}

std::atomic<std::uint64_t> own_time{1};
std::uint64_t tick() {
  return ++own_time;
}

// Each call begins anew, for its clock is a function.
TEST_F(WholeTexts, WithAClockThatIsCalled) {
  steno::Options options;
  options.clock = steno::Clock::kUser;
  options.user_clock = tick;
  expect_whole(options);
}

}  // namespace
}  // namespace steno_test
