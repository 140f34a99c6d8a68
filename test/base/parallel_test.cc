#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace steno {
namespace {

TEST(Parallel, EachOnce) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    for (const std::size_t count : {0, 1, 5, 1000}) {
      for (const std::size_t step : {1, 3, 2000}) {
        std::vector<std::atomic<int>> seen(count);
        std::atomic<unsigned> highest{0};
        in_parallel(count, step, threads, [&](unsigned worker, std::size_t begin, std::size_t end) {
          EXPECT_LT(begin, end);
          EXPECT_LE(end - begin, step);
          if (worker > highest) highest = worker;
          for (std::size_t i = begin; i < end; ++i) ++seen[i];
        });
        for (const auto& times : seen) EXPECT_EQ(times, 1);
        EXPECT_LT(highest, threads);
      }
    }
  }
}

TEST(Parallel, TheFirstExceptionEndsIt) {
  std::atomic<int> calls{0};
  const auto fail = [&calls](unsigned, std::size_t begin, std::size_t) {
    ++calls;
    if (begin == 10) throw std::runtime_error("ten");
    if (begin > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_THROW(in_parallel(100'000, 1, 4, fail), std::runtime_error);
  EXPECT_LT(calls, 50'000);
}

TEST(Parallel, ThreadsAreCounted) {
  EXPECT_EQ(thread_count(3), 3u);
  EXPECT_GE(thread_count(), 1u);
  EXPECT_LE(thread_count(1'000'000), 64u);
  set_default_threads(3);
  EXPECT_EQ(thread_count(), 3u);
  EXPECT_EQ(thread_count(2), 2u);
  set_default_threads(0);
}

}  // namespace
}  // namespace steno
