// Vectors that leave new elements as they are, for those that are written in full right after: resize() costs no pass
// over the memory.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/arena.h"

namespace steno {

// Its memory is an arena's, where there is one: then the vector must not be used after its reset().
template <class T>
struct RawAllocator {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  RawAllocator() = default;
  explicit RawAllocator(Arena* from) : arena(from) {}
  template <class U>
  RawAllocator(const RawAllocator<U>& other) noexcept : arena(other.arena) {}

  T* allocate(std::size_t n) {
    if (arena != nullptr && n <= SIZE_MAX / (2 * sizeof(T))) return static_cast<T*>(arena->allocate(n * sizeof(T)));
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    if (arena == nullptr) std::allocator<T>().deallocate(p, n);
  }
  RawAllocator select_on_container_copy_construction() const { return {}; }

  template <class U>
  void construct(U*) noexcept {}
  template <class U, class First, class... Rest>
  void construct(U* p, First&& first, Rest&&... rest) {
    ::new (static_cast<void*>(p)) U(std::forward<First>(first), std::forward<Rest>(rest)...);
  }

  template <class U>
  bool operator==(const RawAllocator<U>& other) const {
    return arena == other.arena;
  }

  Arena* arena = nullptr;
};

template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

// An empty one, of an arena or, if that is nullptr, not.
template <class T>
void place_in(Arena* arena, RawVector<T>& vector) {
  vector = RawVector<T>(RawAllocator<T>(arena));
}

// Gives it n elements, which may be anything. With some room to spare where it needs more memory than it has and keeps
// that: the next time it may be a few more.
template <class T>
void resize_anew(RawVector<T>& vector, std::size_t n) {
  vector.clear();
  if (vector.capacity() < n) vector.reserve(vector.get_allocator().arena != nullptr ? n : n + n / 8);
  vector.resize(n);
}

}  // namespace steno
