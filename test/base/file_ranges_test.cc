// Ranges of a file that are read and written as a whole.
#include "base/file_ranges.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace steno {
namespace {

TEST(FileRanges, AreReadAsTheyWereWritten) {
  const int fd = ::memfd_create("ranges", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  const std::string text = "a range";
  EXPECT_EQ(write_at(fd, 100, text.size(), text.data()), 0);
  std::string found(text.size(), '?');
  EXPECT_TRUE(read_at(fd, 100, found.size(), found.data()));
  EXPECT_EQ(found, text);
  found.assign(5, '?');
  EXPECT_TRUE(read_at(fd, 98, found.size(), found.data()));
  EXPECT_EQ(found, std::string("\0\0a r", 5));
  ::close(fd);
}

TEST(FileRanges, EndWhereTheFileDoes) {
  const int fd = ::memfd_create("ranges", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(write_at(fd, 0, 10, "0123456789"), 0);
  char found[20] = {};
  EXPECT_EQ(read_up_to(fd, 4, sizeof found, found), 6u);
  EXPECT_STREQ(found, "456789");
  EXPECT_FALSE(read_at(fd, 4, 7, found));
  EXPECT_TRUE(read_at(fd, 4, 6, found));
  EXPECT_TRUE(read_at(fd, 40, 0, found));
  EXPECT_EQ(read_up_to(fd, 40, 1, found), 0u);
  ::close(fd);
}

TEST(FileRanges, ErrorsAreSaid) {
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  char byte = 0;
  EXPECT_EQ(write_at(fd, 0, 1, &byte), EBADF);
  EXPECT_FALSE(read_at(fd, 0, 1, &byte));
  ::close(fd);
  EXPECT_EQ(write_at(-1, 0, 0, nullptr), 0);
}

}  // namespace
}  // namespace steno
