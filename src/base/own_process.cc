#include "base/own_process.h"

#include <sys/mman.h>
#include <unistd.h>

namespace steno {
namespace {

std::atomic<bool (*)()> take_over_child{nullptr};

}  // namespace

std::atomic<const std::uint64_t*> process_mark{nullptr};
std::atomic<int> process_id{0};

void* map_wiped(std::size_t bytes) {
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
#if defined(MADV_WIPEONFORK)
  constexpr int kNoAdvice = -1;
  const bool taken = madvise(room, bytes, MADV_WIPEONFORK) == 0;
  if (taken && madvise(room, bytes, kNoAdvice) == 0) process_id.store(getpid(), std::memory_order_relaxed);
#endif
  return room;
}

void claim_process() {
  const std::uint64_t* mark = process_mark.load(std::memory_order_acquire);
  if (mark == nullptr) {
    constexpr std::size_t kBytes = 4096;
    void* const room = map_wiped(kBytes);
    if (room == nullptr) return;  // then handlers alone know
    __atomic_store_n(static_cast<std::uint64_t*>(room), 1, __ATOMIC_RELAXED);
    // If two threads are here at once, one of them has made it for nothing.
    if (!process_mark.compare_exchange_strong(mark, static_cast<const std::uint64_t*>(room))) munmap(room, kBytes);
    return;
  }
  if (process_id.load(std::memory_order_relaxed) != 0) process_id.store(getpid(), std::memory_order_relaxed);
  __atomic_store_n(const_cast<std::uint64_t*>(mark), 1, __ATOMIC_RELAXED);
}

void set_take_over(bool (*take_over)()) {
  take_over_child.store(take_over, std::memory_order_release);
}

bool enter_process() {
  if (is_own_process()) return true;
  const auto take_over = take_over_child.load(std::memory_order_acquire);
  return take_over != nullptr && take_over();
}

}  // namespace steno
