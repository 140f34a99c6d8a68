// The limit of memory is that of all inputs, in whatever order they are opened.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "command_line.h"
#include "memory_limit.h"

namespace steno::cli {
namespace {

using test::FileBuilder;
using test::TempFile;

// Returns a log with about that many bytes of numbers that cannot be packed.
std::string log_of(std::size_t bytes) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "number {}", "m");
  std::uint64_t number = 1;
  for (std::uint64_t i = 0; i < bytes / sizeof number; ++i) {
    number = number * 6364136223846793005u + 1442695040888963407u;
    b.log(0, 16, FileBuilder::kStart + i, test::Args().u64(number));
    if (i % 50'000 == 49'999) b.flush();
  }
  return b.end().bytes();
}

// The limit at the end of a command, in a process of its own; 0: it failed.
std::uint64_t limit_after(std::vector<std::string> arguments) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    limit_memory();
    const int code = run_command_line(static_cast<int>(arguments.size()), argv.data());
    rlimit limit{};
    const bool known = code == 0 && ::getrlimit(RLIMIT_DATA, &limit) == 0;
    const std::uint64_t bytes = known ? limit.rlim_cur : 0;
    ::_exit(::write(ends[1], &bytes, sizeof bytes) == ssize_t{sizeof bytes} ? 0 : 1);
  }
  std::uint64_t bytes = 0;
  ::close(ends[1]);
  if (::read(ends[0], &bytes, sizeof bytes) != ssize_t{sizeof bytes}) bytes = 0;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return bytes;
}

TEST(MemoryBound, OfTwoFilesIsThatOfBoth) {
  if (test::kAddressSanitizer || test::kThreadSanitizer) GTEST_SKIP() << "their shadow alone is more than any limit";
  constexpr std::size_t kLarge = std::size_t{4} << 20;
  const TempFile small(log_of(80));
  const TempFile large(log_of(kLarge));
  const std::uint64_t least = limit_after({"steno", "diff", small.path(), small.path()});
  ASSERT_NE(least, 0u);
  for (const auto& [before, after] : {std::pair(&small, &large), std::pair(&large, &small)}) {
    EXPECT_GT(limit_after({"steno", "diff", before->path(), after->path()}), least + kMemoryPerByte * kLarge / 2);
  }
}

}  // namespace
}  // namespace steno::cli
