// Vectors that leave new elements as they are, for those that are written in full right after: resize() costs no pass
// over the memory.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace steno {

template <class T>
struct RawAllocator : std::allocator<T> {
  static_assert(std::is_trivial_v<T>);
  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  RawAllocator() = default;
  template <class U>
  RawAllocator(const RawAllocator<U>&) noexcept {}

  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class First, class... Rest>
  void construct(U* p, First&& first, Rest&&... rest) {
    ::new (static_cast<void*>(p)) U(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
};

template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace steno
