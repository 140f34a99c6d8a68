// Columns that are read as numbers of 32 bits, some at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "format/codecs/int_column.h"

namespace steno::format {
namespace {

// Either what decode_ints() reads, or nothing: of damaged columns, too.
TEST(NarrowInts, AreTheSameInHalfTheBits) {
  std::mt19937_64 rng(3);
  std::size_t read = 0;
  std::size_t refused = 0;
  const auto scratch = std::make_unique<IntScratch>();
  for (int round = 0; round < 600; ++round) {
    const std::size_t n = 200 + rng() % 1'000;
    const unsigned bits = 1 + static_cast<unsigned>(rng() % 40);
    const std::uint64_t base = rng() >> 24 >> rng() % 40;
    std::vector<std::uint64_t> values(n);
    for (std::uint64_t& v : values) v = base + (rng() >> (64 - bits));
    if (rng() % 4 == 0) values[rng() % n] = rng() >> rng() % 64;
    ByteBuffer out;
    encode_ints(IntSource::array(values.data(), n, kTypeU64), IntHint::kAny, *scratch, out);
    std::vector<std::uint8_t> column(out.data(), out.data() + out.size());
    for (int damage = 0; damage < 20; ++damage) {
      std::vector<std::uint64_t> wide(n);
      ByteReader in(column.data(), column.size());
      const bool sound = decode_ints(in, kTypeU64, n, 0, wide.data());
      const std::size_t end = in.position();
      std::vector<std::uint32_t> narrow(n);
      NarrowInts ints;
      bool good = ints.open(ByteReader(column.data(), end), n);
      while (good && ints.left() != 0) {
        const std::size_t at = n - ints.left();
        good = ints.next(std::min(ints.left(), kMiniBlock * (1 + rng() % 3)), narrow.data() + at);
      }
      if (good) {
        ASSERT_TRUE(sound && ints.at_end());
        ASSERT_EQ(std::vector<std::uint64_t>(narrow.begin(), narrow.end()), wide);
        ++read;
      } else {
        ++refused;
      }
      column[rng() % std::min<std::size_t>(column.size(), 40)] = static_cast<std::uint8_t>(rng());
    }
  }
  EXPECT_GT(read, 300u);
  EXPECT_GT(refused, 1'000u);
}

}  // namespace
}  // namespace steno::format
