// Numbers for distinct strings.
#include "format/strings/index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace steno::format {
namespace {

// A string, with what must be readable before it.
struct Padded {
  std::string bytes;
  explicit Padded(const std::string& text) : bytes(std::string(16, ' ') + text) {}
  StringRef ref() const {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()) + 16, static_cast<std::uint32_t>(bytes.size() - 16)};
  }
};

// However many there are: long ways to a free slot are common in tables that are half full.
TEST(StringIndex, NumbersAllDistinctStrings) {
  std::mt19937_64 rng(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Padded> strings;
    for (int i = 0; i < 1'100; ++i) strings.emplace_back("string " + std::to_string(rng()));
    StringIndex index;
    index.clear(strings.size());
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < strings.size(); ++i) ASSERT_EQ(index.add(strings[i].ref()), i) << "round " << round;
    }
    ASSERT_EQ(index.distinct().size(), strings.size());
  }
}

TEST(StringIndex, SortsByFrequency) {
  StringIndex index;
  index.clear(10);
  const std::vector<Padded> strings = {Padded("once"), Padded("thrice"), Padded("twice")};
  std::vector<std::uint32_t> numbers;
  for (const int i : {0, 1, 1, 2, 1, 2}) numbers.push_back(index.add(strings[static_cast<std::size_t>(i)].ref()));
  index.sort_by_frequency(&numbers);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{2, 0, 0, 1, 0, 1}));
  EXPECT_EQ(index.counts(), (std::vector<std::uint32_t>{3, 2, 1}));
}

}  // namespace
}  // namespace steno::format
