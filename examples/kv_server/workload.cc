#include "workload.h"

#include <cmath>

namespace kv {

namespace {

// Spreads the hot ranks over the key space: a permutation of [0, n), since the multiplier is a prime above any n.
std::uint32_t scramble(std::uint32_t rank, std::uint32_t n) {
  return static_cast<std::uint32_t>(std::uint64_t{rank} * 2'654'435'761u % n);
}

void write_key(std::uint32_t key, char* out) {
  constexpr char kPrefix[] = "user:";
  for (int i = 0; i < 5; ++i) out[i] = kPrefix[i];
  for (int i = 11; i >= 5; --i, key /= 10) out[i] = static_cast<char>('0' + key % 10);
  out[12] = '\0';
}

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint32_t Random::below(std::uint32_t n) {
  return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

Zipf::Zipf(std::uint32_t n, double exponent) : n_(n), alpha_(1 / (1 - exponent)), zeta_(0) {
  for (std::uint32_t i = 1; i <= n; ++i) zeta_ += 1 / std::pow(i, exponent);
  second_ = 1 + std::pow(0.5, exponent);
  eta_ = (1 - std::pow(2.0 / n, 1 - exponent)) / (1 - second_ / zeta_);
}

std::uint32_t Zipf::rank(Random& random) const {
  const double u = random.unit();
  const double uz = u * zeta_;
  if (uz < 1) return 0;
  if (uz < second_) return 1;
  const double rank = n_ * std::pow(eta_ * u - eta_ + 1, alpha_);
  return rank < n_ ? static_cast<std::uint32_t>(rank) : n_ - 1;
}

Workload::Workload(const Mix& mix, std::uint64_t seed, std::uint64_t first_id)
    : mix_(mix), zipf_(mix.keys, mix.zipf), random_(seed), next_id_(first_id) {}

Op Workload::pick_op() {
  const unsigned percent = random_.below(100);
  if (percent < mix_.get_percent) return Op::kGet;
  if (percent < mix_.get_percent + mix_.put_percent) return Op::kPut;
  if (percent < mix_.get_percent + mix_.put_percent + mix_.delete_percent) return Op::kDelete;
  return Op::kScan;
}

// Most values are counters and short profiles, some are documents, and one in 10,000 is what nobody should have sent.
std::uint32_t Workload::pick_value_bytes() {
  const std::uint32_t kind = random_.below(10'000);
  if (kind == 0) return 1'000'000 + random_.below(1'000'000);
  if (kind < 500) return 2'048 + random_.below(14'336);
  if (kind < 3'000) return 256 + random_.below(1'792);
  return 16 + random_.below(240);
}

Request Workload::next() {
  Request request;
  request.id = next_id_++;
  request.client = random_.below(mix_.clients);
  request.op = pick_op();
  write_key(scramble(zipf_.rank(random_), mix_.keys), request.key_text);
  if (request.op == Op::kPut) request.value_bytes = pick_value_bytes();
  if (request.op == Op::kScan) request.scan_keys = random_.below(200) == 0 ? 5'000 : 1 + random_.below(20);
  return request;
}

}  // namespace kv
