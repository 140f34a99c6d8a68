#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/signal_safe_lock.h"

namespace steno {

namespace {

std::atomic<unsigned> default_threads_{0};

}  // namespace

void set_default_threads(unsigned threads) {
  default_threads_.store(threads, std::memory_order_relaxed);
}

unsigned thread_count(unsigned asked) {
  constexpr unsigned kMost = 64;
  if (asked == 0) asked = default_threads_.load(std::memory_order_relaxed);
  if (asked == 0) {
    cpu_set_t cpus;
    const bool known = sched_getaffinity(0, sizeof cpus, &cpus) == 0;
    asked = known ? static_cast<unsigned>(CPU_COUNT(&cpus)) : std::thread::hardware_concurrency();
  }
  return std::clamp(asked, 1u, kMost);
}

void in_parallel(std::size_t count, std::size_t step, unsigned threads,
                 const std::function<void(unsigned worker, std::size_t begin, std::size_t end)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto run = [&](unsigned worker) {
    try {
      for (std::size_t begin; (begin = next.fetch_add(step, std::memory_order_relaxed)) < count;) {
        work(worker, begin, std::min(begin + step, count));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (error == nullptr) error = std::current_exception();
      next = count;
    }
  };
  const std::size_t pieces = (count + step - 1) / step;
  std::vector<std::thread> others;
  if (threads > 1 && pieces > 1) {
    try {
      const BlockSignals inherited;  // the program's signal handlers run in its own threads
      for (unsigned i = 1; i < threads && i < pieces; ++i) others.emplace_back(run, i);
    } catch (...) {
      // Fewer, then.
    }
  }
  run(0);
  for (std::thread& other : others) other.join();
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace steno
