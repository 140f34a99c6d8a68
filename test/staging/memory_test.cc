// The memory of staging by whole pages, of the sizes that machines have.
#include "staging/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace steno::staging {
namespace {

constexpr std::size_t kLargestPage = std::size_t{1} << 16;
constexpr std::size_t kRoom = 16 * kLargestPage;

// Private memory that begins with a page of any size, filled with 0xFF.
class PagesTest : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (page_bytes() > GetParam()) GTEST_SKIP() << "this machine's pages are larger";
    assume_page_bytes(GetParam());
    all_ = ::mmap(nullptr, kRoom + kLargestPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(all_, MAP_FAILED);
    const auto at = reinterpret_cast<std::uintptr_t>(all_);
    memory_ = reinterpret_cast<std::byte*>((at + kLargestPage - 1) / kLargestPage * kLargestPage);
    std::memset(memory_, 0xFF, kRoom);
  }
  void TearDown() override {
    assume_page_bytes(0);
    if (all_ != MAP_FAILED) ::munmap(all_, kRoom + kLargestPage);
  }
  // Returns whether bytes [begin, end) are all `value`.
  bool are(std::byte value, std::size_t begin, std::size_t end) const {
    return std::all_of(memory_ + begin, memory_ + end, [value](std::byte byte) { return byte == value; });
  }

  void* all_ = MAP_FAILED;
  std::byte* memory_ = nullptr;
};

TEST_P(PagesTest, TakeWholeOnes) {
  const std::size_t page = GetParam();
  EXPECT_EQ(whole_pages(0), 0u);
  EXPECT_EQ(whole_pages(1), page);
  EXPECT_EQ(whole_pages(page), page);
  EXPECT_EQ(whole_pages(4096 + (std::uint64_t{1} << 30)), (std::uint64_t{1} << 30) + page);
}

// A ring's data begins 4096 bytes after its pages do: what lies before the part to be given back stays.
TEST_P(PagesTest, GiveBackWhatBeginsInAPart) {
  const std::size_t page = GetParam();
  for (const std::size_t capacity : {std::size_t{4096}, std::size_t{1} << 14, std::size_t{1} << 16}) {
    std::memset(memory_, 0xFF, kRoom);
    const std::size_t begin = 4096 + capacity;
    const std::size_t end = 4096 + 4 * capacity;
    const std::size_t first = (begin + page - 1) / page * page;
    EXPECT_EQ(give_back(memory_, begin, end), first < end ? end - first : 0);
    EXPECT_TRUE(are(std::byte{0xFF}, 0, std::min(first, kRoom)));
    EXPECT_TRUE(are(std::byte{0}, std::min(first, end), end));
    EXPECT_TRUE(are(std::byte{0xFF}, std::max(first, end), kRoom));
  }
}

TEST_P(PagesTest, ArePopulatedFromAnywhere) {
  for (const std::size_t begin : {std::size_t{0}, std::size_t{4096}, std::size_t{5 * 4096}}) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 14, std::size_t{1} << 17}) {
      ASSERT_EQ(::madvise(memory_, kRoom, MADV_DONTNEED), 0);
      populate(memory_, begin, begin + size);
      unsigned char resident[kRoom / 4096] = {};
      ASSERT_EQ(::mincore(memory_, kRoom, resident), 0);
      for (std::size_t at = begin; at < begin + size; at += 4096) {
        ASSERT_EQ(resident[at / static_cast<std::size_t>(::getpagesize())] & 1, 1) << begin << " " << size << " " << at;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PagesTest, testing::Values(std::size_t{1} << 12, std::size_t{1} << 14, kLargestPage));

}  // namespace
}  // namespace steno::staging
