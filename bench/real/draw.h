// What generated logs are drawn from: random numbers that keep account of how much information was drawn, so that a log
// knows its own entropy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace steno::bench {

// Some of n outcomes, each with a weight of its own.
class Choice {
 public:
  explicit Choice(const std::vector<double>& weights);
  // Rank i has weight 1 / (i + 1)^exponent.
  static Choice zipf(std::size_t n, double exponent);

 private:
  friend class Draw;
  std::vector<double> up_to_;  // the sum of the weights up to and with each
  std::vector<float> bits_;    // what each outcome tells
};

// The same seed draws the same in the same build.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  // -log2 of the probability of all that was drawn.
  double bits() const { return bits_; }
  // A value that came before is logged once more, in another record: no choice, but nothing in a column says so.
  void count_again(double bits) { bits_ += bits; }

  // Uniform in [0, n); n from 1 to 2^32.
  std::uint32_t below(std::uint64_t n);
  bool chance(double probability);
  std::size_t pick(const Choice& choice);
  // In [2^first, 2^(first + n)) for n weights: the power of two by its weight, uniform within it.
  std::uint64_t magnitude(int first, const Choice& powers);

 private:
  std::uint64_t next();

  std::uint64_t state_;
  double bits_ = 0;
};

}  // namespace steno::bench
