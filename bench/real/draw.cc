#include "real/draw.h"

#include <algorithm>
#include <cmath>

namespace steno::bench {

Choice::Choice(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) up_to_.push_back(sum += weight);
  for (const double weight : weights) bits_.push_back(static_cast<float>(std::log2(sum / weight)));
}

Choice Choice::zipf(std::size_t n, double exponent) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < n; ++i) weights.push_back(std::pow(static_cast<double>(i + 1), -exponent));
  return Choice(weights);
}

// Splitmix64.
std::uint64_t Draw::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint32_t Draw::below(std::uint64_t n) {
  bits_ += std::log2(static_cast<double>(n));
  return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
}

bool Draw::chance(double probability) {
  const bool yes = static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
  bits_ -= std::log2(yes ? probability : 1 - probability);
  return yes;
}

std::size_t Draw::pick(const Choice& choice) {
  const double at = static_cast<double>(next() >> 11) * 0x1.0p-53 * choice.up_to_.back();
  const auto found = std::upper_bound(choice.up_to_.begin(), choice.up_to_.end() - 1, at);
  const auto outcome = static_cast<std::size_t>(found - choice.up_to_.begin());
  bits_ += static_cast<double>(choice.bits_[outcome]);
  return outcome;
}

std::uint64_t Draw::magnitude(int first, const Choice& powers) {
  const std::uint64_t least = std::uint64_t{1} << (static_cast<std::size_t>(first) + pick(powers));
  return least + below(least);
}

}  // namespace steno::bench
