#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "base/raw_vector.h"

namespace steno {
namespace {

TEST(Arena, ArraysAreApartAndAligned) {
  std::mt19937 random(3);
  Arena arena;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::span<std::uint8_t>> arrays;
    for (std::size_t i = 0; i < 100; ++i) {
      const std::size_t n = random() % (random() % 20 == 0 ? 300'000 : 3'000);
      auto* const p = static_cast<std::uint8_t*>(arena.allocate(n));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % Arena::kAlign, 0u);
      std::memset(p, static_cast<int>(i), n);
      arrays.emplace_back(p, n);
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      for (const std::uint8_t byte : arrays[i]) ASSERT_EQ(byte, i);
    }
    if (round % 7 == 0) {
      arena.release();
      EXPECT_EQ(arena.bytes_held(), 0u);
    } else {
      arena.reset();
    }
  }
}

TEST(Arena, KeepsItsMemory) {
  Arena arena;
  for (int i = 0; i < 10; ++i) std::memset(arena.allocate(100'000), 1, 100'000);
  const std::size_t held = arena.bytes_held();
  EXPECT_GE(held, 1'000'000u);
  EXPECT_LE(held, 4'000'000u);
  arena.reset();
  for (int i = 0; i < 10; ++i) std::memset(arena.allocate(100'000), 2, 100'000);
  EXPECT_EQ(arena.bytes_held(), held);
}

TEST(RawVector, LiesInAnArena) {
  Arena arena;
  RawVector<std::uint64_t> numbers;
  place_in(&arena, numbers);
  resize_anew(numbers, 1000);
  const std::size_t held = arena.bytes_held();
  EXPECT_GE(held, 8000u);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const RawVector<std::uint64_t> copy = numbers;  // of nobody's arena
  EXPECT_EQ(arena.bytes_held(), held);
  arena.reset();
  place_in(nullptr, numbers);
  EXPECT_EQ(copy[999], 999u);
}

}  // namespace
}  // namespace steno
