// Tests that a statement reads no byte after the end of a text.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

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
    }
  }
  std::vector<std::string> messages;
  for (const auto& row : finish().rows) messages.push_back(row.message);
  EXPECT_EQ(messages, expected);
  munmap(memory, 2 * page);
}

}  // namespace
}  // namespace steno_test
