// The facts that a writer keeps of the columns that it made last, for it makes the same ones again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace steno::format {

// T: made anew by T::forget(), which may keep its memory.
template <class T, std::size_t kMost>
class KnownColumns {
 public:
  // The facts kept of a column; a new T if there are none. It stays as long as fewer than kMost others are asked for.
  // Key 0 is no column's: always new.
  T& of(std::uint64_t key) {
    std::size_t at = 0;
    while (at < slots_.size() && (slots_[at].key != key || key == 0)) ++at;
    if (at == slots_.size()) {
      at = place_for_new();
      slots_[at].key = key;
      slots_[at].column->forget();
    }
    slots_[at].used = ++uses_;
    return *slots_[at].column;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t used = 0;
    std::unique_ptr<T> column;
  };

  std::size_t place_for_new() {
    if (slots_.size() < kMost) {
      slots_.push_back({0, 0, std::make_unique<T>()});
      return slots_.size() - 1;
    }
    std::size_t oldest = 0;
    for (std::size_t i = 1; i < slots_.size(); ++i) {
      if (slots_[i].used < slots_[oldest].used) oldest = i;
    }
    return oldest;
  }

  std::vector<Slot> slots_;
  std::uint64_t uses_ = 0;
};

// When to try what may bring nothing: the rarer, the more often it did not.
class Patience {
 public:
  // It waits for 2^most_doublings occasions at most.
  explicit Patience(unsigned most_doublings = 6) : most_doublings_(most_doublings) {}

  bool is_due() {
    if (wait_ == 0) return true;
    --wait_;
    return false;
  }
  void failed() { wait_ = failures_ < most_doublings_ ? 1u << failures_++ : 1u << most_doublings_; }
  void worked() { failures_ = 0; }
  void forget() { wait_ = failures_ = 0; }

 private:
  unsigned most_doublings_;
  unsigned wait_ = 0;
  unsigned failures_ = 0;
};

}  // namespace steno::format
