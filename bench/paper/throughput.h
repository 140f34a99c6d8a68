// Measures how fast threads log together, until all is written.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "common/harness.h"

namespace steno::bench {

// Returns million messages a second. `log(n)` runs in each of so many threads, which begin together after `prepare()`,
// with its part of the messages; the time ends when `flush()` has returned.
inline double threads_rate(std::size_t messages, unsigned threads, const std::function<void()>& prepare,
                           const std::function<void(std::size_t)>& log, const std::function<void()>& flush) {
  std::atomic<unsigned> ready{0};
  std::atomic<bool> go{false};
  const std::size_t each = messages / threads;
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      prepare();
      ++ready;
      go.wait(false);
      log(each);
    });
  }
  while (ready < threads) std::this_thread::yield();
  const double begin = seconds_now();
  go = true;
  go.notify_all();
  for (std::thread& thread : running) thread.join();
  flush();
  return static_cast<double>(each * threads) / (seconds_now() - begin) / 1e6;
}

}  // namespace steno::bench
