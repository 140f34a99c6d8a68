// Tests logs that need more memory than there is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "../reader/file_builder.h"
#include "../sanitizers.h"
#include "run_command.h"

namespace steno {
namespace {

using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::TempFile;

// 60 blocks of 50,000 records, each of a ring of its own, all of one moment: 60 MB decoded, 8 KB as a file.
std::string overlapping() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "the same", "");
  for (std::uint32_t ring = 0; ring < 60; ++ring) {
    b.thread(ring, ring + 1, "t");
    for (int i = 0; i < 50'000; ++i) b.log(ring, 16, FileBuilder::kStart);
    b.flush();
  }
  return b.end().bytes();
}

TEST(Memory, MoreThanThereMayBeIsOneSentence) {
  if (test::kAddressSanitizer || test::kThreadSanitizer) GTEST_SKIP() << "their shadow alone is more than any limit";
  const TempFile file(overlapping());
  const Ran ran = run_shell("ulimit -d 60000; $STENO cat $FILE --jobs 2 | wc -l; echo ${PIPESTATUS[0]}", file.path());
  EXPECT_NE(ran.out.find("steno: out of memory: the limit is 58 MiB ('ulimit -d'); 'cat --no-sort'"), ran.out.npos)
      << ran.out;
  EXPECT_EQ(ran.out.substr(ran.out.size() - 2), "3\n");
  EXPECT_EQ(run_shell("ulimit -d 60000; $STENO cat --no-sort --memory 8M $FILE --jobs 2 | wc -l", file.path()).out,
            "3000000\n");
}

// 1,000 blocks of two million equal records each, all of one moment: 200 GB decoded, 140 KB as a file.
std::string bomb() {
  constexpr std::uint32_t kRecords = 1 << 21;
  FileBuilder b;
  b.session().thread(0, 1, "t").site(16, Level::kInfo, "{}", "m").log(0, 16, FileBuilder::kStart, test::Args().u64(7));
  std::string bytes = b.flush().bytes();
  for (std::uint32_t ring = 1; ring <= 1000; ++ring) {
    ByteBuffer out;
    const std::size_t start = format::begin_block(out, format::BlockType::kColumns, format::session_tag(0x1234));
    ByteBuffer directory;
    for (const std::uint32_t count : {0u, 0u, kRecords, 0u, 0u, 0u, 0u}) directory.put_varint(count);
    for (const std::uint32_t run : {1u, ring, kRecords, 0u, 0u}) directory.put_varint(run);
    for (const std::uint32_t group : {16u, 0u, kRecords, 1u, 2u}) directory.put_varint(group);
    directory.put_varint(2);   // order
    directory.put_varint(10);  // clock
    out.put(std::uint64_t{FileBuilder::kStart});
    out.put(std::uint64_t{FileBuilder::kStart});
    for (const std::uint32_t n : {kRecords, 1u, 1u, static_cast<std::uint32_t>(directory.size())}) out.put(n);
    out.put_bytes(directory.data(), directory.size());
    out.put_bytes("\1\0\1", 3);  // constants, as all columns are
    out.put_varint(FileBuilder::kStart);
    out.put_bytes("\1\7", 2);
    format::end_block(out, start);
    bytes.append(reinterpret_cast<const char*>(out.data()), out.size());
  }
  return bytes;
}

// No command takes more than a multiple of its input and a constant, whatever the input wants (docs/security.md).
TEST(Memory, IsBoundedByTheSizeOfTheInput) {
  if (test::kAddressSanitizer || test::kThreadSanitizer) GTEST_SKIP() << "their shadow alone is more than any limit";
  const TempFile file(bomb());
  const Ran cat = run_shell("$STENO cat $FILE --jobs 2 --memory 16M > /dev/null; echo $?", file.path());
  const std::size_t at = cat.out.find("steno: out of memory: the limit is ");
  ASSERT_NE(at, cat.out.npos) << cat.out;
  EXPECT_LT(std::strtoull(cat.out.c_str() + at + 34, nullptr, 10), 1500u) << cat.out;
  EXPECT_EQ(cat.out.substr(cat.out.size() - 2), "3\n");
  // Commands that do not hold all records at once read the file.
  EXPECT_EQ(run_shell("$STENO agg $FILE --op count --format csv", file.path()).out, "count\r\n2097152001\r\n");
  EXPECT_EQ(run_shell("$STENO cat --count $FILE", file.path()).out, "2097152001\n") << "no record is looked at";
}

TEST(Memory, ThereIsALimit) {
  // The pipe can be opened when the command has opened it.
  const Ran ran = run_shell(
      "mkfifo $FILE; $STENO cat $FILE 2>/dev/null & exec 3> $FILE; "
      "awk '/^Max data size/ { print $4 }' /proc/$!/limits; exec 3>&-; rm $FILE; wait",
      "/tmp/steno-memory-test-" + std::to_string(::getpid()));
  EXPECT_GT(std::strtoull(ran.out.c_str(), nullptr, 10), 1u << 20) << ran.out;
}

}  // namespace
}  // namespace steno
