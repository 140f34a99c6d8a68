// Tests the knowledge about a column of integers from one block to the next: it saves time, and costs next to no bytes.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "format/ints/column.h"

namespace steno::format {
namespace {

using Values = std::vector<std::uint64_t>;

constexpr std::size_t kCount = 3000;
constexpr unsigned kTerms = 5 * KnownInts::kTerm;
constexpr std::uint64_t kColumn = 7;
constexpr double kMost = 1.03;  // times what it takes if nothing is known

enum class Character { kSkewed, kRising, kFewFarApart, kRandom, kSigned };
constexpr Character kAll[] = {Character::kSkewed, Character::kRising, Character::kFewFarApart, Character::kRandom,
                              Character::kSigned};

Values make(Character character, std::mt19937_64& rng) {
  Values values(kCount);
  std::uint64_t sum = rng() % 1'000'000;
  for (std::uint64_t& value : values) {
    switch (character) {
      case Character::kSkewed:
        value = static_cast<std::uint64_t>(std::countr_zero(rng() | std::uint64_t{1} << 40));
        break;
      case Character::kRising:
        value = sum += rng() % 100;
        break;
      case Character::kFewFarApart:
        value = 0x9E3779B97F4A7C15 * (rng() % 5);
        break;
      case Character::kRandom:
        value = rng() >> 20;
        break;
      case Character::kSigned:
        value = 0 - (rng() % 1000 == 0 ? rng() >> 40 : rng() % 4);
        break;
    }
  }
  return values;
}

// The bytes that the column takes; it is read again.
std::size_t encode(const Values& values, IntHint hint, std::uint64_t column, IntScratch* scratch) {
  ByteBuffer out;
  begin_ints(*scratch, column);
  encode_ints(IntSource::array(values.data(), values.size(), kTypeI64), hint, *scratch, out);
  ByteReader in(out.data(), out.size());
  Values read(values.size());
  EXPECT_TRUE(decode_ints(in, kTypeI64, values.size(), 0, read.data()) && in.at_end());
  EXPECT_EQ(read, values);
  return out.size();
}

double anew(const Values& values, IntHint hint) {
  return static_cast<double>(encode(values, hint, 0, std::make_unique<IntScratch>().get()));
}

TEST(KnownInts, CostNoBytesWhereBlocksAreAlike) {
  std::mt19937_64 rng(1);
  for (const IntHint hint : {IntHint::kAny, IntHint::kOffsets, IntHint::kDeltas}) {
    for (const Character character : kAll) {
      const auto scratch = std::make_unique<IntScratch>();
      double known = 0;
      double looked_for = 0;
      for (unsigned k = 0; k < kTerms; ++k) {
        const Values values = make(character, rng);
        known += static_cast<double>(encode(values, hint, kColumn, scratch.get()));
        looked_for += anew(values, hint);
      }
      EXPECT_LE(known, kMost * looked_for) << static_cast<int>(character);
    }
  }
}

TEST(KnownInts, AreLookedForAgainWhereTheColumnChanges) {
  std::mt19937_64 rng(2);
  for (const Character before : kAll) {
    for (const Character after : kAll) {
      const auto scratch = std::make_unique<IntScratch>();
      for (unsigned k = 0; k < kTerms; ++k) encode(make(before, rng), IntHint::kAny, kColumn, scratch.get());
      for (unsigned k = 0; k < 2 * KnownInts::kTerm; ++k) {
        encode(make(after, rng), IntHint::kAny, kColumn, scratch.get());
      }
      const Values values = make(after, rng);
      EXPECT_LE(static_cast<double>(encode(values, IntHint::kAny, kColumn, scratch.get())),
                kMost * anew(values, IntHint::kAny))
          << static_cast<int>(before) << " " << static_cast<int>(after);
    }
  }
}

TEST(KnownInts, ReadBackWhateverCameBefore) {
  std::mt19937_64 rng(3);
  const auto scratch = std::make_unique<IntScratch>();
  for (int k = 0; k < 300; ++k) {
    const Character character = kAll[rng() % std::size(kAll)];
    encode(make(character, rng), static_cast<IntHint>(rng() % 3), 1 + rng() % 2, scratch.get());
  }
}

}  // namespace
}  // namespace steno::format
