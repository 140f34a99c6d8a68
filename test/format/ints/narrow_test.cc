// Columns that are read as numbers of 32 bits, some at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "format/ints/column.h"
#include "format/ints/narrow.h"

namespace steno::format {
namespace {

struct Column {
  IntType type;
  std::size_t n;
  std::vector<std::uint8_t> bytes;
};

// Near each other, or growing, or in equal steps; most of them fit into 32 bits.
Column random_column(std::mt19937_64& rng, IntScratch& scratch) {
  Column column{rng() % 2 == 0 ? kTypeU64 : rng() % 2 == 0 ? kTypeI64 : kTypeU32, 200 + rng() % 1'000, {}};
  const unsigned bits = 1 + static_cast<unsigned>(rng() % (rng() % 2 == 0 ? 40 : 8));
  const std::uint64_t base = rng() >> 24 >> rng() % 40;
  const std::uint64_t factor = rng() % 4 == 0 ? 1 + rng() % 1'000 : 1;
  const unsigned kind = static_cast<unsigned>(rng() % 3);
  std::vector<std::uint64_t> values(column.n);
  std::uint64_t sum = base;
  for (std::uint64_t& v : values) {
    sum += kind == 1 ? factor * (rng() >> (64 - bits)) : kind == 2 ? factor : 0;
    v = kind == 0 ? base + factor * (rng() >> (64 - bits)) : sum;
  }
  for (std::uint64_t odd = rng() % 4 == 0 ? 1 + rng() % 20 : 0; odd > 0; --odd) {
    values[rng() % column.n] = rng() >> rng() % 64;
  }
  ByteBuffer out;
  if (column.type.bytes == 8) {
    encode_ints(IntSource::array(values.data(), column.n, column.type), IntHint::kAny, scratch, out);
  } else {
    const std::vector<std::uint32_t> narrow(values.begin(), values.end());
    encode_ints(IntSource::array(narrow.data(), column.n, column.type), IntHint::kAny, scratch, out);
  }
  column.bytes.assign(out.data(), out.data() + out.size());
  return column;
}

bool read_whole(const Column& column, std::vector<std::uint64_t>* values, std::size_t* size) {
  values->resize(column.n);
  ByteReader in(column.bytes.data(), column.bytes.size());
  const bool sound = decode_ints(in, column.type, column.n, 0, values->data());
  *size = in.position();
  return sound;
}

// Either what decode_ints() reads, or nothing: of damaged columns, too.
TEST(NarrowInts, AreTheSameInHalfTheBits) {
  std::mt19937_64 rng(3);
  std::size_t read = 0;
  std::size_t refused = 0;
  const auto scratch = std::make_unique<IntScratch>();
  for (int round = 0; round < 1'200; ++round) {
    Column column = random_column(rng, *scratch);
    const std::size_t n = column.n;
    for (int damage = 0; damage < 20; ++damage) {
      std::vector<std::uint64_t> wide;
      std::size_t end = 0;
      const bool sound = read_whole(column, &wide, &end);
      std::vector<std::uint32_t> narrow(n);
      NarrowInts ints;
      bool good = ints.open(ByteReader(column.bytes.data(), end), column.type, n);
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
      column.bytes[rng() % std::min<std::size_t>(column.bytes.size(), 40)] = static_cast<std::uint8_t>(rng());
    }
  }
  EXPECT_GT(read, 1'500u);
  EXPECT_GT(refused, 2'000u);
}

// Some values are passed over: later ones are read as if these had been read, and these lie in the stated bounds.
TEST(NarrowInts, ArePassedOverInTheirBounds) {
  std::mt19937_64 rng(4);
  std::size_t skipped = 0;
  const auto scratch = std::make_unique<IntScratch>();
  for (int round = 0; round < 2'000; ++round) {
    Column column = random_column(rng, *scratch);
    if (round % 2 != 0) column.bytes[rng() % std::min<std::size_t>(column.bytes.size(), 60)] = 0xA5;
    const std::size_t n = column.n;
    std::vector<std::uint64_t> wide;
    std::size_t end = 0;
    const bool sound = read_whole(column, &wide, &end);
    NarrowInts ints;
    bool good = ints.open(ByteReader(column.bytes.data(), end), column.type, n);
    while (good && ints.left() != 0) {
      const std::size_t at = n - ints.left();
      const std::size_t count = std::min(ints.left(), kMiniBlock * (1 + rng() % 3));
      const std::uint64_t span = std::uint64_t{1} << rng() % 40;
      NarrowInts ahead = ints;
      Zone bounds;
      std::vector<std::uint32_t> narrow(count);
      if (ahead.skip(count, span, &bounds)) {
        ints = ahead;
        ++skipped;
        ASSERT_LT(bounds.greatest - bounds.least, span);
        for (std::size_t i = 0; sound && i < count; ++i) {
          ASSERT_GE(wide[at + i], bounds.least);
          ASSERT_LE(wide[at + i], bounds.greatest);
        }
      } else if (good = ints.next(count, narrow.data()); good && sound) {
        ASSERT_TRUE(std::equal(narrow.begin(), narrow.end(), wide.begin() + static_cast<std::ptrdiff_t>(at)));
      }
    }
  }
  EXPECT_GT(skipped, 500u);
}

// The places of values are those that reading all of them gives, or none.
TEST(FindValues, FindsThoseThatAreThere) {
  std::mt19937_64 rng(5);
  const auto scratch = std::make_unique<IntScratch>();
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 600; ++round) {
    const std::size_t n = 1'100 + rng() % 2'000;
    const std::uint64_t distinct = 2 + rng() % 3'000;
    std::vector<std::uint32_t> values(n);
    for (std::uint32_t& v : values) {  // the small ones come often
      const double u = static_cast<double>(rng() >> 11) / 0x1p53;
      v = static_cast<std::uint32_t>(static_cast<double>(distinct) * u * u * u * u);
    }
    ByteBuffer out;
    encode_ints(IntSource::array(values.data(), n, kTypeU32), IntHint::kOffsets, *scratch, out);
    Column column{kTypeU32, n, {out.data(), out.data() + out.size()}};
    std::vector<std::uint64_t> wanted;
    const std::size_t count = round % 10 == 9 ? 300 : 1 + static_cast<std::size_t>(round % 5);
    while (wanted.size() < count) wanted.push_back(values[rng() % n] + rng() % 2);
    std::sort(wanted.begin(), wanted.end());
    for (int damage = 0; damage < 10; ++damage) {
      std::vector<std::uint64_t> wide;
      std::size_t end = 0;
      const bool sound = read_whole(column, &wide, &end);
      std::vector<PlacedValue> found;
      if (!find_values(ByteReader(column.bytes.data(), end), kTypeU32, n, wanted, n, &found)) {
        ++refused;
      } else if (sound) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (std::find(wanted.begin(), wanted.end(), wide[i]) == wanted.end()) continue;
          ASSERT_LT(at, found.size());
          ASSERT_EQ(found[at].row, i);
          ASSERT_EQ(found[at++].value, wide[i]);
        }
        ASSERT_EQ(at, found.size());
        ++read;
        std::vector<PlacedValue> fewer;
        ASSERT_EQ(find_values(ByteReader(column.bytes.data(), end), kTypeU32, n, wanted, found.size() / 2, &fewer),
                  found.empty());
      }
      column.bytes[rng() % std::min<std::size_t>(column.bytes.size(), 80)] = static_cast<std::uint8_t>(rng());
    }
  }
  EXPECT_GT(read, 150u);
  EXPECT_GT(refused, 200u);
}

}  // namespace
}  // namespace steno::format
