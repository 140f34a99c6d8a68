#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "temp_file.h"

namespace steno {
namespace {

std::string text_of(const MappedFile& file) {
  return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
}

TEST(MappedFile, MapsAndMoves) {
  const test::TempFile temp("hello");
  auto file = MappedFile::open(temp.path());
  ASSERT_TRUE(file.ok());
  const std::uint8_t* address = file->bytes().data();
  MappedFile moved = std::move(file).value();
  EXPECT_EQ(moved.bytes().data(), address);
  EXPECT_EQ(text_of(moved), "hello");
}

TEST(MappedFile, SizeIsThatAtOpen) {
  const test::TempFile temp("hello");
  auto file = MappedFile::open(temp.path());
  ASSERT_TRUE(file.ok());
  std::ofstream(temp.path(), std::ios::app) << " more";
  EXPECT_EQ(text_of(*file), "hello");
}

TEST(MappedFile, EmptyFile) {
  const test::TempFile temp;
  const auto file = MappedFile::open(temp.path());
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFile, PipesAreRead) {
  test::TempFile temp;
  const std::string fifo = temp.path() + ".fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string content(300'000, 'x');
  std::thread writer([&] { std::ofstream(fifo) << content; });
  const auto file = MappedFile::open(fifo);
  writer.join();
  ::unlink(fifo.c_str());
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(text_of(*file), content);
}

TEST(MappedFile, Errors) {
  EXPECT_EQ(MappedFile::open("/nonexistent/x").status().code(), StatusCode::kNotFound);
  EXPECT_NE(MappedFile::open("/nonexistent/x").status().message().find("/nonexistent/x: no such file"),
            std::string::npos);
  EXPECT_EQ(MappedFile::open("/tmp").status().code(), StatusCode::kInvalidArgument);
}

TEST(MappedFile, NoPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const test::TempFile temp("secret");
  ASSERT_EQ(::chmod(temp.path().c_str(), 0), 0);
  EXPECT_EQ(MappedFile::open(temp.path()).status().code(), StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace steno
