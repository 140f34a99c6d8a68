// A program's own allocator, of which allocations fail when they are told to. For the one source file of a test
// program.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace steno_test {

// The n-th allocation fails, and so many in a row; 0: none does.
inline std::atomic<long> fail_at{0};
inline std::atomic<long> fail_count{0};
inline std::atomic<long> allocations{0};
// Returns whether an allocation of the calling thread counts; nullptr: those of all threads count.
inline bool (*counts)() = nullptr;

inline bool is_to_fail() {
  const long at = fail_at.load(std::memory_order_relaxed);
  if (at == 0 || (counts != nullptr && !counts())) return false;
  const long number = allocations.fetch_add(1) + 1;
  return number >= at && number < at + fail_count.load();
}

inline void* allocate(std::size_t size) {
  if (is_to_fail()) throw std::bad_alloc();
  void* const memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace steno_test

void* operator new(std::size_t size) {
  return steno_test::allocate(size);
}
void* operator new[](std::size_t size) {
  return steno_test::allocate(size);
}
// The library's own might not come by here (AddressSanitizer's does not), and what it gave would be freed below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return steno_test::is_to_fail() ? nullptr : std::malloc(size != 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
