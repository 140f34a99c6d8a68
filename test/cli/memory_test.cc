// What happens when a log wants more memory than there is.
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

// 200 blocks of 50,000 records, each of a ring of its own, all of one moment: 200 MB decoded, 24 KB as a file.
std::string overlapping() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "the same", "");
  for (std::uint32_t ring = 0; ring < 200; ++ring) {
    b.thread(ring, ring + 1, "t");
    for (int i = 0; i < 50'000; ++i) b.log(ring, 16, FileBuilder::kStart);
    b.flush();
  }
  return b.end().bytes();
}

TEST(Memory, MoreThanThereMayBeIsOneSentence) {
  if (test::kAddressSanitizer || test::kThreadSanitizer) GTEST_SKIP() << "their shadow alone is more than any limit";
  const TempFile file(overlapping());
  const Ran ran = run_shell("ulimit -d 150000; $STENO cat $FILE --jobs 2 | wc -l; echo ${PIPESTATUS[0]}", file.path());
  EXPECT_NE(ran.out.find("steno: out of memory: it may take 146 MiB ('ulimit -d'); 'cat --no-sort'"), ran.out.npos)
      << ran.out;
  EXPECT_EQ(ran.out.substr(ran.out.size() - 2), "3\n");
  EXPECT_EQ(run_shell("ulimit -d 150000; $STENO cat --no-sort --memory 16M $FILE --jobs 2 | wc -l", file.path()).out,
            "10000000\n");
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
