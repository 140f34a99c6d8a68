// Threads that log running numbers through an event, and the count afterwards: every number of every thread once, in
// order, or named as dropped.
#pragma once

#include <gtest/gtest.h>
#include <steno/log.h>
#include <steno/session.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../sanitizers.h"
#include "session/log_test.h"

namespace steno_test {

// Waits until it holds; false after half a minute, which only a defect or a stalled machine takes.
inline bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// The warnings that Options::on_warning was given.
class Warnings {
 public:
  std::function<void(const std::string&)> listener() {
    return [this](const std::string& what) {
      const std::lock_guard lock(mutex_);
      heard_.push_back(what);
    };
  }
  std::vector<std::string> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  std::size_t count() const { return heard().size(); }
  std::size_t count(const std::string& part) const {
    std::size_t n = 0;
    for (const std::string& what : heard()) n += what.find(part) != std::string::npos;
    return n;
  }
  std::string text() const {
    std::string out;
    for (const std::string& what : heard()) out += "\n  " + what;
    return out.empty() ? "none" : out;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> heard_;
};

// Every hundredth number is logged as ERROR, the others as INFO.
inline void log_number(int thread, std::uint64_t number) {
  if (number % 100 == 99) {
    STENO_ERROR("{} {} {}", thread, number, number * 3);
  } else {
    STENO_INFO("{} {} {}", thread, number, number * 3);
  }
}

// Threads that log from construction until stop(), under the numbers from `first` on.
class Producers {
 public:
  explicit Producers(int threads, int first = 0) : logged_(static_cast<std::size_t>(threads)) {
    const std::chrono::milliseconds pause((steno::test::kAddressSanitizer ? 4 : 1) * (1 + threads / 16));
    for (int t = 0; t < threads; ++t) {
      threads_.emplace_back([this, t, first, pause] {
        for (std::uint64_t i = 0; !stopping_.load(std::memory_order_relaxed); ++i) {
          log_number(first + t, i);
          logged_[static_cast<std::size_t>(t)].store(i + 1, std::memory_order_release);  // the call has returned
          // Fast enough to fill any ring while nobody drains, slow enough to be read back in a test, of all threads
          // together.
          if (i % 64 == 0) std::this_thread::sleep_for(pause);
        }
      });
    }
  }
  ~Producers() { stop(); }

  void stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> out;
    for (const auto& count : logged_) out.push_back(count.load(std::memory_order_acquire));
    return out;
  }
  // Waits until each thread has logged n more.
  bool logs(std::uint64_t n) const {
    const std::vector<std::uint64_t> before = counts();
    return eventually([&] {
      const std::vector<std::uint64_t> now = counts();
      for (std::size_t t = 0; t < now.size(); ++t) {
        if (now[t] < before[t] + n) return false;
      }
      return true;
    });
  }
  // Waits until no thread gets on any more.
  bool all_wait() const {
    return eventually([&] {
      const std::vector<std::uint64_t> before = counts();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return counts() == before;
    });
  }

 private:
  std::atomic<bool> stopping_{false};
  std::vector<std::atomic<std::uint64_t>> logged_;
  std::vector<std::thread> threads_;
};

struct Tally {
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;  // by the log's own account
  std::uint64_t missing = 0;  // numbers that are not there
  std::uint64_t errors_missing = 0;
};

// Checks that a file reports no losses.
inline void expect_no_losses(const std::string& path, const Log& log) {
  for (const std::string& loss : log.losses) ADD_FAILURE() << path << ": " << loss;
}

// Adds one log to the tally: numbers of a thread must go on after `next`, its last.
inline void tally(const Log& log, std::vector<std::uint64_t>* next, Tally* out) {
  for (const Row& row : log.rows) {
    if (row.message.find("records dropped") != std::string::npos ||
        row.message.find("record dropped") != std::string::npos) {
      out->dropped += std::stoull(row.message);
      continue;
    }
    unsigned thread = 0;
    unsigned long long number = 0;
    unsigned long long triple = 0;
    ASSERT_EQ(sscanf(row.message.c_str(), "%u %llu %llu", &thread, &number, &triple), 3) << row.message;
    ASSERT_EQ(triple, number * 3) << row.message;
    ASSERT_LT(thread, next->size()) << row.message;
    std::uint64_t& expected = (*next)[thread];
    ASSERT_GE(number, expected) << row.message << ": a number again, or out of order";
    for (; expected < number; ++expected) {
      ++out->missing;
      out->errors_missing += expected % 100 == 99;
    }
    ++expected;
    ++out->records;
  }
}

using Check = std::function<void(const std::string& path, const Log& log)>;

// Reads the files in the order they were written, has each checked, and counts. `counts`: how many numbers each thread
// has logged.
inline Tally tally(
    const std::vector<std::string>& paths, const std::vector<std::uint64_t>& counts,
    const Check& check = [](const std::string&, const Log&) {}) {
  Tally out;
  std::vector<std::uint64_t> next(counts.size());
  for (const std::string& path : paths) {
    const Log log = read_log(path, false);
    tally(log, &next, &out);
    check(path, log);
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    EXPECT_LE(next[t], counts[t]) << "thread " << t;
    for (; next[t] < counts[t]; ++next[t]) {
      ++out.missing;
      out.errors_missing += next[t] % 100 == 99;
    }
  }
  return out;
}

// All is there: each number once, in order, and no file misses anything, nor fails the check.
inline void expect_complete(const std::vector<std::string>& paths, const std::vector<std::uint64_t>& counts,
                            const Check& check = {}) {
  const Tally found = tally(paths, counts, [&check](const std::string& path, const Log& log) {
    expect_no_losses(path, log);
    if (check) check(path, log);
  });
  EXPECT_EQ(found.missing, 0u);
  EXPECT_EQ(found.dropped, 0u);
  EXPECT_GT(found.records, 0u);
}

// Checks that exactly those records are missing that the log reports as dropped, none of the protected level, and that
// no file has another damage. `must_drop`: there must have been drops.
inline void expect_drops_only(const std::vector<std::string>& paths, const std::vector<std::uint64_t>& counts,
                              bool must_drop) {
  const Tally found = tally(paths, counts, [](const std::string& path, const Log& log) {
    for (const std::string& loss : log.losses) {
      EXPECT_NE(loss.find("drop"), std::string::npos) << path << ": " << loss;
    }
  });
  EXPECT_EQ(found.missing, found.dropped);
  EXPECT_EQ(found.errors_missing, 0u);
  EXPECT_EQ(found.dropped != 0, must_drop);
}

}  // namespace steno_test
