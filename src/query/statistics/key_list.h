// Many numbers, kept until it is known which of them are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/raw_vector.h"

namespace steno::query {

// Keys (ordered.h) in pieces, which stay where they are when there are more: memory is touched once.
class KeyList {
 public:
  void add(std::uint64_t key) { add(std::span<const std::uint64_t>(&key, 1)); }
  void add(std::span<const std::uint64_t> keys) {
    size_ += keys.size();
    while (!keys.empty()) {
      if (pieces_.empty() || pieces_.back().size() == pieces_.back().capacity()) start_piece();
      RawVector<std::uint64_t>& last = pieces_.back();
      const std::size_t n = std::min(keys.size(), last.capacity() - last.size());
      last.insert(last.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n));
      keys = keys.subspan(n);
    }
  }
  // Takes all of another one.
  void take(KeyList& other) {
    size_ += std::exchange(other.size_, 0);
    bytes_ += std::exchange(other.bytes_, 0);
    std::move(other.pieces_.begin(), other.pieces_.end(), std::back_inserter(pieces_));
    other.pieces_.clear();
  }
  void clear() {
    pieces_ = {};
    size_ = bytes_ = 0;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // The memory that the list takes, that of allocations included.
  std::size_t bytes() const { return bytes_; }

  // The key of that rank (0: the least). Requires rank < size().
  std::uint64_t of_rank(std::uint64_t rank) const;

 private:
  // Each as large as all before it together, within bounds, so that short lists are small.
  void start_piece() {
    constexpr std::size_t kLeast = 8;
    constexpr std::size_t kMost = std::size_t{1} << 13;  // 64 KiB
    constexpr std::size_t kAllocation = 16;
    RawVector<std::uint64_t>& piece = pieces_.emplace_back();
    piece.reserve(std::clamp(size_, kLeast, kMost));
    bytes_ += piece.capacity() * sizeof(std::uint64_t) + sizeof piece + kAllocation;
  }

  std::vector<RawVector<std::uint64_t>> pieces_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace steno::query
