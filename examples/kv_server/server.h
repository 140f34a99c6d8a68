// Serves a workload with a few threads, as fast as it comes, and counts what it did.
#pragma once

#include <cstdint>

#include "store.h"
#include "workload.h"

namespace kv {

struct Options {
  unsigned threads = 2;
  unsigned shards = 16;
  std::size_t capacity_bytes = 48u << 20;
  double slow_us = 500;  // requests that take longer are reported
  Mix mix;
};

// Every message that requests log beyond the kMessagesPerRequest that each does.
struct Counts {
  std::uint64_t requests = 0;
  std::uint64_t evictions = 0;
  std::uint64_t slow = 0;
  std::uint64_t connects = 0;
  std::uint64_t started = 0;  // workers
};

// request, shard, outcome, response
inline constexpr unsigned kMessagesPerRequest = 4;

struct Run {
  Counts counts;
  double seconds = 0;      // from the first request to the last
  double cpu_seconds = 0;  // of the workers
  std::uint64_t messages() const {
    return counts.requests * kMessagesPerRequest + counts.evictions + counts.slow + counts.connects +
           2 * counts.started;
  }
};

class Server {
 public:
  explicit Server(const Options& options);
  // Serves `requests` in all, split among the threads. The same seed asks for the same.
  Run serve(std::uint64_t requests, std::uint64_t seed);

 private:
  class Worker;

  const Options options_;
  Store store_;
};

}  // namespace kv
