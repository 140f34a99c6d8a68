// Generated logs draw from this source: random numbers that keep account of how much information was drawn, so that a
// log knows its own entropy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace steno::bench {

// A choice of one of n outcomes, each with a weight of its own.
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

// Draws random numbers. One seed always gives the same numbers in the same build.
class Draw {
 public:
  // `tells_pools`: whether what a Pool has is news where this draws it. In one thread of a log it is.
  explicit Draw(std::uint64_t seed, bool tells_pools = true) : state_(seed), tells_pools_(tells_pools) {}

  // -log2 of the probability of all that was drawn.
  double bits() const { return bits_; }
  bool tells_pools() const { return tells_pools_; }
  // A value that came before is logged once more, in another record: no choice, but nothing in a column says so.
  void count_again(double bits) { bits_ += bits; }

  // Uniform in [0, n); n from 1 to 2^32.
  std::uint32_t below(std::uint64_t n);
  bool chance(double probability);
  std::size_t pick(const Choice& choice);
  // Draws from [2^first, 2^(first + n)) for n weights: the power of two by its weight, uniform within it.
  std::uint64_t magnitude(int first, const Choice& powers);

 private:
  std::uint64_t next();

  std::uint64_t state_;
  bool tells_pools_;
  double bits_ = 0;
};

// Items that are made up once and come again and again. Each counts its information when it comes first.
template <class T>
class Pool {
 public:
  template <class Make>
  Pool(Draw& draw, std::size_t n, Make&& make) {
    for (std::size_t i = 0; i < n; ++i) {
      const double before = draw.bits();
      items_.push_back(make(draw));
      bits_.push_back(draw.bits() - before);
    }
  }

  std::size_t size() const { return items_.size(); }
  const T& get(std::size_t i, Draw& draw) {
    if (draw.tells_pools()) draw.count_again(bits_[i]);
    bits_[i] = 0;
    return items_[i];
  }

 private:
  std::vector<T> items_;
  std::vector<double> bits_;
};

}  // namespace steno::bench
