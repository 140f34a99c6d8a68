// Packed integers (file.md §9.2), by the instructions of each machine.
#include "format/ints/bitpack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "format/ints/codec.h"
#include "format/multiversion.h"

namespace steno::format {
namespace {

// Each test runs with what the machine has and with what lesser machines have.
class BitPack : public ::testing::TestWithParam<Machine> {
 protected:
  void SetUp() override { best_machine = GetParam(); }
  void TearDown() override { best_machine = Machine::kAvx512; }
};

INSTANTIATE_TEST_SUITE_P(Machines, BitPack, ::testing::Values(Machine::kBaseline, Machine::kAvx2, Machine::kAvx512));

TEST_P(BitPack, RoundTripOfEveryWidth) {
  std::mt19937_64 rng(1);
  for (unsigned width = 0; width <= 32; ++width) {
    std::uint32_t values[kMiniBlock];
    std::uint32_t back[kMiniBlock];
    for (std::uint32_t& v : values) v = width == 0 ? 0 : static_cast<std::uint32_t>(rng()) >> (32 - width);
    std::vector<std::uint8_t> packed(width * 32);
    EXPECT_EQ(packed_size(kMiniBlock, width), packed.size());
    pack(values, width, packed.data());
    unpack(packed.data(), width, back);
    EXPECT_TRUE(std::equal(values, values + kMiniBlock, back)) << width;
  }
  for (unsigned width = 0; width <= 64; ++width) {
    std::uint64_t values[kShortColumn];
    std::uint64_t back[kShortColumn];
    for (std::uint64_t& v : values) v = width == 0 ? 0 : rng() >> (64 - width);
    for (const std::size_t n : {1, 2, 20, 63, 64}) {
      ByteBuffer out;
      pack_sequential(values, n, 0, width, out);
      ASSERT_EQ(out.size(), sequential_size(n, width));
      const std::vector<std::uint8_t> exact(out.data(), out.data() + out.size());
      unpack_sequential(exact.data(), n, width, back);
      EXPECT_TRUE(std::equal(values, values + n, back)) << width << " " << n;
    }
  }
}

// file.md §9.2: value i in lane i % 8, at bit i / 8 * width of it.
TEST_P(BitPack, LayoutIsAsSpecified) {
  constexpr unsigned kWidth = 5;
  std::uint32_t values[kMiniBlock];
  for (std::size_t i = 0; i < kMiniBlock; ++i) values[i] = i * 7 % 32;
  std::uint8_t packed[kWidth * 32];
  pack(values, kWidth, packed);
  for (std::size_t i = 0; i < kMiniBlock; ++i) {
    std::uint32_t v = 0;
    for (unsigned b = 0; b < kWidth; ++b) {
      const std::size_t bit = i / 8 * kWidth + b;
      const auto word = load<std::uint32_t>(packed + (bit / 32 * 8 + i % 8) * 4);
      v |= (word >> bit % 32 & 1) << b;
    }
    ASSERT_EQ(v, values[i]) << i;
  }
}

}  // namespace
}  // namespace steno::format
