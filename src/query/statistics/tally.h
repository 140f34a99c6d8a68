// How often each value came: for distinct counts and the most frequent values.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace steno::query {

// Numbers by their bits. Open addressing; grows by doubling.
class NumberTally {
 public:
  void add(std::uint64_t value, std::uint64_t count);
  std::size_t size() const { return used_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.count != 0) visit(slot.value, slot.count);
    }
  }

 private:
  struct Slot {
    std::uint64_t value = 0;
    std::uint64_t count = 0;  // 0: free
  };
  // Seeded: a log must not be able to choose values that all fall into one place.
  static std::size_t hash(std::uint64_t value) {
    static const std::uint64_t seed = std::random_device()();
    value = (value ^ seed) * 0x9E3779B97F4A7C15;
    return (value ^ value >> 32) * 0xC2B2AE3D27D4EB4F >> 16;
  }
  void grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

class TextTally {
 public:
  void add(std::string_view text, std::uint64_t count);
  std::size_t size() const { return counts_.size(); }
  std::size_t bytes() const { return bytes_; }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [text, count] : counts_) visit(std::string_view(text), count);
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> counts_;
  std::size_t bytes_ = 0;
};

}  // namespace steno::query
