#include "server.h"

#include <steno/log.h>
#include <steno/session.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "measure.h"

namespace kv {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

class Server::Worker {
 public:
  Worker(Store& store, const Options& options, unsigned index, std::uint64_t requests, std::uint64_t seed)
      : store_(store),
        slow_us_(options.slow_us),
        index_(index),
        requests_(requests),
        workload_(options.mix, seed + index, 1 + index * requests),
        sent_(Store::kMaxValueBytes * 4, 'v') {}

  void run() {
    steno::set_thread_name("worker-" + std::to_string(index_));
    const double cpu_at_start = thread_cpu_seconds();
    STENO_NOTICE("worker {worker} serves {requests} requests", index_, requests_);
    for (std::uint64_t i = 0; i < requests_; ++i) handle(workload_.next());
    STENO_NOTICEF("worker %u is done: %.1f%% of its gets hit", index_,
                  gets_ > 0 ? 100.0 * static_cast<double>(hits_) / static_cast<double>(gets_) : 0.0);
    cpu_seconds_ = thread_cpu_seconds() - cpu_at_start;
    counts_.requests = requests_;
    counts_.started = 1;
  }

  const Counts& counts() const { return counts_; }
  double cpu_seconds() const { return cpu_seconds_; }

 private:
  struct Response {
    const char* status;
    std::size_t bytes;
  };

  void handle(const Request& request) {
    const auto begin = Clock::now();
    if (request.id % 1'000 == 0) {
      STENO_INFO("client {client} connected from {address}", request.client, address_of(request.client));
      ++counts_.connects;
    }
    STENO_DEBUG("request {id} of client {client}: {op} {key}", request.id, request.client, op_name(request.op),
                request.key());
    const Response response = execute(request);
    const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    STENO_INFO("response {id}: {status}, {bytes} bytes in {us:.1f} us", request.id, response.status, response.bytes,
               us);
    if (us > slow_us_) {
      STENO_WARNF("slow request %llu: %s %s took %.3f ms", static_cast<unsigned long long>(request.id),
                  op_name(request.op), request.key_text, us / 1000);
      ++counts_.slow;
    }
  }

  Response execute(const Request& request) {
    switch (request.op) {
      case Op::kGet:
        ++gets_;
        if (!store_.get(request.key(), &received_)) return {"not found", 0};
        ++hits_;
        return {"ok", received_.size()};
      case Op::kPut:
        if (!store_.put(request.key(), std::string_view(sent_).substr(0, request.value_bytes))) return {"too large", 0};
        return {"ok", 0};
      case Op::kDelete:
        return {store_.erase(request.key()) ? "ok" : "not found", 0};
      case Op::kScan:
        break;
    }
    return {"ok", store_.scan(request.key(), request.scan_keys).bytes};
  }

  const char* address_of(std::uint32_t client) {
    std::snprintf(address_, sizeof address_, "10.0.%u.%u:%u", client / 256, client % 256, 40'000 + client % 20'000);
    return address_;
  }

  Store& store_;
  const double slow_us_;
  const unsigned index_;
  const std::uint64_t requests_;
  Workload workload_;
  const std::string sent_;
  std::string received_;
  char address_[32] = {};
  std::uint64_t gets_ = 0;
  std::uint64_t hits_ = 0;
  Counts counts_;
  double cpu_seconds_ = 0;
};

Server::Server(const Options& options) : options_(options), store_(options.shards, options.capacity_bytes) {}

Run Server::serve(std::uint64_t requests, std::uint64_t seed) {
  const std::uint64_t share = (requests + options_.threads - 1) / options_.threads;
  const std::uint64_t evictions_before = store_.evictions();
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < options_.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(store_, options_, i, share, seed));
  }

  Run run;
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (auto& worker : workers) threads.emplace_back([&worker] { worker->run(); });
  for (auto& thread : threads) thread.join();
  run.seconds = std::chrono::duration<double>(Clock::now() - begin).count();

  for (const auto& worker : workers) {
    run.cpu_seconds += worker->cpu_seconds();
    run.counts.requests += worker->counts().requests;
    run.counts.slow += worker->counts().slow;
    run.counts.connects += worker->counts().connects;
    run.counts.started += worker->counts().started;
  }
  run.counts.evictions = store_.evictions() - evictions_before;
  return run;
}

}  // namespace kv
