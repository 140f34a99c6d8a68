#include "base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace steno {

void futex_wait(std::uint32_t* word, std::uint32_t expected, std::int64_t timeout_ns) {
  const timespec timeout = {static_cast<time_t>(timeout_ns / 1'000'000'000),
                            static_cast<long>(timeout_ns % 1'000'000'000)};
  syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

void futex_wake(std::uint32_t* word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void futex_wait_any(const std::vector<FutexWord>& words, std::int64_t timeout_ns, std::int64_t otherwise_ns) {
  if (words.size() == 1) return futex_wait(words[0].word, words[0].expected, timeout_ns);
  const auto after = [](std::int64_t ns) { return timespec{ns / 1'000'000'000, ns % 1'000'000'000}; };
#if defined(SYS_futex_waitv) && defined(FUTEX_32)
  if (!words.empty() && words.size() <= FUTEX_WAITV_MAX) {
    futex_waitv waiters[FUTEX_WAITV_MAX] = {};
    for (std::size_t i = 0; i < words.size(); ++i) {
      waiters[i].val = words[i].expected;
      waiters[i].uaddr = reinterpret_cast<std::uintptr_t>(words[i].word);
      waiters[i].flags = FUTEX_32;
    }
    timespec end{};
    clock_gettime(CLOCK_MONOTONIC, &end);
    end = after(end.tv_sec * std::int64_t{1'000'000'000} + end.tv_nsec + timeout_ns);
    if (syscall(SYS_futex_waitv, waiters, words.size(), 0, &end, CLOCK_MONOTONIC) >= 0 || errno != ENOSYS) return;
  }
#endif
  const timespec pause = after(words.empty() ? timeout_ns : otherwise_ns);
  nanosleep(&pause, nullptr);
}

}  // namespace steno
