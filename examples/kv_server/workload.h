// What the clients ask for: a stream of requests as caches see them. Keys follow Zipf's law, most values are small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kv {

enum class Op : std::uint8_t { kGet, kPut, kDelete, kScan };

constexpr const char* op_name(Op op) {
  constexpr const char* kNames[] = {"GET", "PUT", "DELETE", "SCAN"};
  return kNames[static_cast<int>(op)];
}

struct Request {
  std::uint64_t id = 0;
  std::uint32_t client = 0;
  Op op = Op::kGet;
  char key_text[16] = {};         // "user:0012345"
  std::uint32_t value_bytes = 0;  // PUT
  std::uint32_t scan_keys = 0;    // SCAN

  std::string_view key() const { return {key_text, 12}; }
};

struct Mix {
  std::uint32_t keys = 200'000;
  double zipf = 0.99;  // the exponent that YCSB uses
  unsigned get_percent = 70;
  unsigned put_percent = 22;
  unsigned delete_percent = 4;  // the rest scans
  std::uint32_t clients = 500;
};

// Splitmix64: small, fast, good enough for a workload.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // Uniform in [0, n).
  std::uint32_t below(std::uint32_t n);
  // Uniform in [0, 1).
  double unit();

 private:
  std::uint64_t state_;
};

// Ranks in [0, n), small ones often: Gray et al., "Quickly generating billion-record synthetic databases", 1994.
class Zipf {
 public:
  Zipf(std::uint32_t n, double exponent);
  std::uint32_t rank(Random& random) const;

 private:
  std::uint32_t n_;
  double alpha_, zeta_, eta_, second_;
};

// One worker's requests. The same seed gives the same requests.
class Workload {
 public:
  Workload(const Mix& mix, std::uint64_t seed, std::uint64_t first_id);
  Request next();

 private:
  Op pick_op();
  std::uint32_t pick_value_bytes();

  Mix mix_;
  Zipf zipf_;
  Random random_;
  std::uint64_t next_id_;
};

}  // namespace kv
