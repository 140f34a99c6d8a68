#include "memory_count.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> held{0};
std::atomic<std::size_t> peak{0};
std::atomic<std::size_t> total{0};

void* take(std::size_t size) noexcept {
  void* p = std::malloc(size != 0 ? size : 1);
  if (p == nullptr) return nullptr;
  total.fetch_add(size);
  const std::size_t now = held.fetch_add(malloc_usable_size(p)) + malloc_usable_size(p);
  std::size_t before = peak.load();
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
  return p;
}

void give(void* p) noexcept {
  if (p != nullptr) held.fetch_sub(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) {
  void* p = take(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return take(size);
}
void operator delete(void* p) noexcept {
  give(p);
}
void operator delete[](void* p) noexcept {
  give(p);
}
void operator delete(void* p, std::size_t) noexcept {
  give(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  give(p);
}

namespace steno::test {

std::size_t total_bytes() {
  return total.load();
}
std::size_t held_bytes() {
  return held.load();
}
std::size_t peak_bytes() {
  return peak.load();
}
void reset_peak() {
  peak.store(held.load());
}

}  // namespace steno::test
