// Memory of decoded strings, and what is known of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/raw_vector.h"
#include "base/string_facts.h"

namespace steno::format {

// Where decoded strings point to if not into the block. Resized by who writes all of it.
class StringArena {
 public:
  static constexpr std::size_t kSlack = kStringSlack;  // bytes after the end that can be read and are anything

  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }
  std::span<const std::uint8_t> bytes() const { return {data(), size_}; }
  std::size_t capacity() const { return bytes_.capacity(); }
  void resize(std::size_t size) {
    if (bytes_.capacity() < size + kSlack) {
      resize_anew(bytes_, size + kSlack);
    } else {
      bytes_.resize(size + kSlack);
    }
    std::memset(bytes_.data() + size, ' ', kSlack);
    size_ = size;
  }
  void clear() {
    bytes_.clear();
    size_ = 0;
    facts_ = {};
  }
  // Clears it likewise; the next strings lie in memory of that arena, or, if it is nullptr, in its own.
  void place_in(Arena* arena) {
    steno::place_in(arena, bytes_);
    size_ = 0;
    facts_ = {};
  }

  // Facts about the strings that were decoded since it was clear, also about those that lie elsewhere.
  const StringFacts& facts() const { return facts_; }
  void add(const StringFacts& facts) { facts_.add(facts); }

 private:
  RawVector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
  StringFacts facts_;
};

}  // namespace steno::format
