#include "base/own_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool takes_any_advice = false;

}  // namespace

// Replaces the C library's function: an emulator accepts all advice, and does nothing.
extern "C" int madvise(void* at, std::size_t bytes, int advice) noexcept {
  return takes_any_advice ? 0 : static_cast<int>(syscall(SYS_madvise, at, bytes, advice));
}

namespace steno {
namespace {

pid_t child_without_handlers() {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

int status_of(pid_t child) {
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(OwnProcess, AChildWithoutHandlersIsNone) {
  claim_process();
  auto* const wiped = static_cast<std::uint64_t*>(map_wiped(sizeof(std::uint64_t)));
  ASSERT_NE(wiped, nullptr);
  *wiped = 7;
  EXPECT_TRUE(is_own_process());
  const pid_t child = child_without_handlers();
  if (child == 0) _exit(is_own_process() || enter_process() ? 1 : *wiped != 0 ? 2 : 0);
  const int status = status_of(child);
  EXPECT_EQ(*wiped, 7u);
  EXPECT_TRUE(is_own_process());
  if (WEXITSTATUS(status) == 2 && process_id != 0)
    GTEST_SKIP() << "the emulator says that it zeroes memory in children, and does not";
  EXPECT_EQ(status, 0);
}

// The process's id says it then. A child that has been prepared is its own process, and a child of it is none.
TEST(OwnProcess, IsKnownWhereTheSystemZeroesNothing) {
  takes_any_advice = true;
  process_mark = nullptr;  // another test may have run here
  claim_process();
  EXPECT_TRUE(is_own_process());
  const pid_t child = child_without_handlers();
  if (child == 0) {
    if (is_own_process() || enter_process()) _exit(1);
    claim_process();
    if (!is_own_process()) _exit(2);
    const pid_t grandchild = child_without_handlers();
    if (grandchild == 0) _exit(is_own_process() ? 3 : 0);
    int status = -1;
    _exit(waitpid(grandchild, &status, 0) == grandchild ? WEXITSTATUS(status) : 4);
  }
  EXPECT_EQ(status_of(child), 0);
  EXPECT_TRUE(is_own_process());
  takes_any_advice = false;
}

}  // namespace
}  // namespace steno
