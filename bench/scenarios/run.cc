#include "scenarios/run.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>

#include "base/pause.h"
#include "common/harness.h"

namespace steno::bench {

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

rusage used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double cpu_seconds(const rusage& usage) {
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct Elapsed {
  double seconds = 0;  // from the first thread's beginning to the last one's end
  double cpu = 0;      // seconds of all of them
};

// Runs f(thread) in so many threads, which wait for each other before they begin.
Elapsed at_once(unsigned threads, const std::function<void(unsigned)>& f) {
  std::barrier all(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::int64_t> begin(threads);
  std::vector<std::int64_t> end(threads);
  std::vector<std::int64_t> cpu(threads);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      all.arrive_and_wait();
      const std::int64_t before = now_ns(CLOCK_THREAD_CPUTIME_ID);
      begin[t] = now_ns();
      f(t);
      end[t] = now_ns();
      cpu[t] = now_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    });
  }
  for (std::thread& thread : running) thread.join();
  Elapsed elapsed;
  elapsed.seconds =
      static_cast<double>(*std::max_element(end.begin(), end.end()) - *std::min_element(begin.begin(), begin.end())) /
      1e9;
  elapsed.cpu = static_cast<double>(std::accumulate(cpu.begin(), cpu.end(), std::int64_t{0})) / 1e9;
  return elapsed;
}

std::vector<double> distribution(std::vector<std::vector<float>> of_threads) {
  std::vector<double> all;
  for (const std::vector<float>& one : of_threads) all.insert(all.end(), one.begin(), one.end());
  std::sort(all.begin(), all.end());
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  double squares = 0;
  for (const double us : all) squares += (us - mean) * (us - mean);
  return {percentile(all, 0.5),
          percentile(all, 0.99),
          percentile(all, 0.999),
          percentile(all, 0.9999),
          all.back(),
          mean,
          std::sqrt(squares / static_cast<double>(all.size()))};
}

void wait_until(std::int64_t due, bool sleep) {
  if (sleep) {
    const timespec at = {due / 1'000'000'000, due % 1'000'000'000};
    while (now_ns() < due) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  } else {
    while (now_ns() < due) cpu_pause();
  }
}

}  // namespace

std::vector<double> work(Logger& logger, const std::string& path, unsigned threads, std::size_t messages) {
  const std::size_t each = messages / threads;
  const auto all = static_cast<double>(each * threads);
  const rusage at_start = used();
  logger.start(path);
  const rusage before = used();
  const double begin = seconds_now();
  const Elapsed calls = at_once(threads, [&](unsigned t) { logger.log(t, t * each, each); });
  logger.flush();
  const double on_file = seconds_now() - begin;
  const rusage after = used();
  logger.stop();
  const rusage at_end = used();
  std::vector<double> numbers(kWorkNumbers);
  numbers[kCallsPerSecond] = all / calls.seconds / 1e6;
  numbers[kOnFilePerSecond] = all / on_file / 1e6;
  numbers[kCpu] = (cpu_seconds(after) - cpu_seconds(before)) * 1e9 / all;
  numbers[kCallersCpu] = calls.cpu * 1e9 / all;
  numbers[kMinorFaults] = static_cast<double>(at_end.ru_minflt - at_start.ru_minflt);
  numbers[kMajorFaults] = static_cast<double>(at_end.ru_majflt - at_start.ru_majflt);
  numbers[kMissing] = all - static_cast<double>(logger.messages_on_file(path));
  return numbers;
}

std::vector<double> latency(Logger& logger, const std::string& path, unsigned threads, std::size_t messages) {
  const std::size_t each = messages / threads;
  std::vector<std::vector<float>> us(threads, std::vector<float>(each));
  const double us_per_tick = ns_per_tick() / 1e3;
  logger.start(path);
  at_once(threads, [&](unsigned t) {
    for (std::size_t i = 0; i < each; ++i) {
      const std::uint64_t begin = ticks_now();
      logger.log(t, t * each + i, 1);
      us[t][i] = static_cast<float>(static_cast<double>(ticks_now() - begin) * us_per_tick);
    }
  });
  logger.flush();
  logger.stop();
  return distribution(std::move(us));
}

std::vector<double> response(Logger& logger, const std::string& path, unsigned threads, double per_second,
                             std::size_t messages) {
  const std::size_t each = messages / threads;
  const auto interval = static_cast<std::int64_t>(1e9 / per_second);
  std::vector<std::vector<float>> us(threads, std::vector<float>(each));
  logger.start(path);
  const std::int64_t begin = now_ns() + 5'000'000;  // by then all are there
  at_once(threads, [&](unsigned t) {
    prctl(PR_SET_TIMERSLACK, 1UL);
    logger.log(t, 0, 1);  // what a thread's first call prepares
    for (std::size_t i = 0; i < each; ++i) {
      const std::int64_t due = begin + static_cast<std::int64_t>(i * threads + t) * interval;
      wait_until(due, threads > 1);
      logger.log(t, t * each + i, 1);
      us[t][i] = static_cast<float>(static_cast<double>(now_ns() - due) / 1e3);
    }
  });
  logger.flush();
  logger.stop();
  return distribution(std::move(us));
}

std::vector<double> peak(Logger& logger, const std::string& path, unsigned threads, std::size_t messages) {
  constexpr int kMost = 5;
  constexpr double kEnough = 0.3;  // seconds
  const std::size_t each = messages / threads;
  logger.start(path);
  const auto burst = [&](std::size_t count) {
    const double seconds = at_once(threads, [&](unsigned t) { logger.log(t, t * count, count); }).seconds;
    logger.flush();
    return static_cast<double>(count) / seconds / 1e3;
  };
  burst(std::max<std::size_t>(1, each / 8));
  std::vector<double> rates;
  const double begin = seconds_now();
  do {
    rates.push_back(burst(each));
  } while (rates.size() < kMost && seconds_now() - begin < kEnough);
  logger.stop();
  return {median(rates)};
}

}  // namespace steno::bench
