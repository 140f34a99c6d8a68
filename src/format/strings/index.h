// Numbers for the distinct strings of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/strings/codec.h"
#include "format/strings/hash.h"

namespace steno::format {

// A hash table. Not thread-safe; used again and again. Memory: 100 to 120 bytes for each distinct string.
class StringIndex {
 public:
  static constexpr std::uint32_t kGiveUp = UINT32_MAX;

  // `expected`: strings that come, at most.
  void clear(std::size_t expected);
  // The number of a string, in the order in which they came first. kGiveUp: too many have much of their hash in common.
  std::uint32_t add(const StringRef& s);
  const std::vector<StringRef>& distinct() const { return distinct_; }

  // Numbers the strings anew by how often they come, the most frequent first; those that are equal stay in their order.
  // `numbers` are those of all strings, and become the new ones. No string may be added after that.
  void sort_by_frequency(std::vector<std::uint32_t>* numbers);
  // After that: how often each comes.
  const std::vector<std::uint32_t>& counts() const { return counts_; }

 private:
  void grow();

  std::vector<std::uint64_t> slots_;  // the upper half of a hash, then number + 1
  std::vector<StringRef> distinct_;
  std::vector<StringBlocks> blocks_;  // of the distinct strings
  std::vector<std::uint32_t> counts_;
};

}  // namespace steno::format
