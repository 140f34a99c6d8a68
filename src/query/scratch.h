// Memory for columns that are decoded, looked at once and forgotten.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace steno::query {

// Lends arrays and takes them back for the next block: they are never zeroed, and their pages stay. Not thread-safe.
class Scratch {
 public:
  // An array, until it is destroyed; the Scratch must outlive it. Its values are whatever they are.
  template <class T>
  class Array {
    static_assert(std::is_trivial_v<T>);

   public:
    explicit Array(Scratch& owner) : owner_(&owner) {}
    Array(Scratch& owner, std::size_t n) : Array(owner) { resize(n); }
    ~Array() { owner_->take_back(std::move(bytes_)); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    // Forgets the values.
    void resize(std::size_t n) {
      if (bytes_.data() == nullptr) bytes_ = owner_->lend();
      bytes_.clear();
      (void)bytes_.grow(n * sizeof(T));
      size_ = n;
    }
    T* data() { return reinterpret_cast<T*>(bytes_.data()); }
    T& operator[](std::size_t i) { return data()[i]; }
    std::size_t size() const { return size_; }
    std::span<T> span() { return {data(), size_}; }

   private:
    Scratch* owner_;
    ByteBuffer bytes_;
    std::size_t size_ = 0;
  };

  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Gives back what no array has.
  void release() { free_.clear(); }

 private:
  ByteBuffer lend() {
    if (free_.empty()) return {};
    ByteBuffer bytes = std::move(free_.back());
    free_.pop_back();
    return bytes;
  }
  void take_back(ByteBuffer bytes) {
    if (bytes.data() != nullptr) free_.push_back(std::move(bytes));
  }

  std::vector<ByteBuffer> free_;
};

}  // namespace steno::query
