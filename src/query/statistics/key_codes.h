// Few distinct numbers of a column as small codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace steno::query {

// The numbers of one column by codes 0 .. size() - 1. Reused from column to column.
class KeyCodes {
 public:
  // Gives each distinct number a code, at most `most` of them (1 .. 2^16). False: there are more, or they are hard to
  // tell apart quickly.
  bool read(std::span<const std::uint64_t> numbers, std::size_t most);

  std::size_t size() const { return size_; }
  std::uint32_t code(std::uint64_t number, std::size_t row) const {
    return distinct_.empty() ? static_cast<std::uint32_t>(number - base_) : codes_[row];
  }
  std::uint64_t number(std::uint32_t code) const { return distinct_.empty() ? base_ + code : distinct_[code]; }

 private:
  bool read_scattered(std::span<const std::uint64_t> numbers, std::size_t most);

  std::size_t size_ = 0;
  std::uint64_t base_ = 0;               // of numbers near to each other: code 0
  std::vector<std::uint64_t> distinct_;  // of others: by code
  std::vector<std::uint32_t> codes_;     // and by row
  std::vector<std::uint32_t> slots_;     // code + 1; 0: free
};

}  // namespace steno::query
