// Memory for arrays that are written, looked at once and forgotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/raw_vector.h"

namespace steno {

// A pool of arrays for reuse: they are never zeroed, and their pages stay allocated. Not thread-safe.
class Scratch {
  using Bytes = RawVector<std::byte>;

 public:
  // An array, until it is destroyed; the Scratch must outlive it. Its values are whatever they are.
  template <class T>
  class Array {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

   public:
    explicit Array(Scratch& owner) : owner_(&owner) {}
    Array(Scratch& owner, std::size_t n) : Array(owner) { resize(n); }
    ~Array() { owner_->take_back(std::move(bytes_)); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    // Forgets the values.
    void resize(std::size_t n) {
      if (bytes_.data() == nullptr) bytes_ = owner_->lend();
      resize_anew(bytes_, n * sizeof(T));
      size_ = n;
    }
    T* data() { return reinterpret_cast<T*>(bytes_.data()); }
    T& operator[](std::size_t i) { return data()[i]; }
    std::size_t size() const { return size_; }
    std::span<T> span() { return {data(), size_}; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }

   private:
    Scratch* owner_;
    Bytes bytes_;
    std::size_t size_ = 0;
  };

  // Keeps at most so many bytes that nobody has.
  explicit Scratch(std::size_t most_kept = SIZE_MAX) : most_kept_(most_kept) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // The thread's own, for functions that need memory while they run. It keeps 16 MiB at most.
  static Scratch& of_thread();

  // Gives back what no array has.
  void release() {
    free_.clear();
    kept_ = 0;
  }

 private:
  Bytes lend() {
    if (free_.empty()) return {};
    Bytes bytes = std::move(free_.back());
    free_.pop_back();
    kept_ -= bytes.capacity();
    return bytes;
  }
  void take_back(Bytes bytes) {
    if (bytes.data() == nullptr || bytes.capacity() > most_kept_ - kept_) return;
    kept_ += bytes.capacity();
    free_.push_back(std::move(bytes));
  }

  const std::size_t most_kept_;
  std::size_t kept_ = 0;
  std::vector<Bytes> free_;
};

}  // namespace steno
