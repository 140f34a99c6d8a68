// Tokens found many at a time are those that the specification's words give one by one (file.md §9.2.1).
#include "format/ints/entropy_tokens.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "format/multiversion.h"

namespace steno::format {
namespace {

class EntropyTokens : public ::testing::TestWithParam<Machine> {
 protected:
  void SetUp() override { best_machine = GetParam(); }
  void TearDown() override { best_machine = Machine::kAvx512; }
};

// Around each power of two, up to `bits` bits, and any between.
std::vector<std::uint64_t> offsets_below(unsigned bits) {
  std::mt19937_64 random(bits);
  std::vector<std::uint64_t> offsets = {0};
  for (unsigned bit = 0; bit < bits; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t offset : {power - 1, power, power + 1, power + power / 2, 2 * power - 1}) {
      offsets.push_back(offset);
      offsets.push_back(random() & (power | (power - 1)));
    }
  }
  return offsets;
}

void expect_tokens(const std::vector<std::uint64_t>& offsets) {
  for (const TokenForm form : kTokenForms) {
    std::vector<std::uint16_t> ids(offsets.size());
    find_tokens(offsets.data(), offsets.size(), form, ids.data());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      ASSERT_LT(ids[i], tokens_of(form));
      const TokenMeaning meaning = meaning_of(ids[i], form);
      ASSERT_EQ(offsets[i] >> meaning.open, meaning.least >> meaning.open) << offsets[i] << ' ' << form.direct;
      ASSERT_TRUE(meaning.open == 0 || std::countr_zero(meaning.least) >= static_cast<int>(meaning.open));
      ASSERT_TRUE(offsets[i] >> form.direct != 0 || ids[i] == offsets[i]);
    }
  }
}

TEST_P(EntropyTokens, AreThoseOfTheirOffsets) {
  expect_tokens(offsets_below(52));
  expect_tokens(offsets_below(64));
}

TEST_P(EntropyTokens, AreFoundInAnyNumber) {
  const std::vector<std::uint64_t> all = offsets_below(52);
  for (std::size_t n = 1; n < 40; ++n) expect_tokens({all.end() - static_cast<std::ptrdiff_t>(n), all.end()});
}

TEST_P(EntropyTokens, OfDifferences) {
  std::mt19937_64 random(7);
  for (const std::size_t n : {1u, 2u, 255u, 256u, 257u, 258u, 1000u}) {
    std::vector<std::uint64_t> values(n);
    for (std::uint64_t& value : values) value = random();
    const std::uint64_t base = random();
    std::vector<std::uint64_t> differences = values;
    to_differences(differences.data(), n, base);
    EXPECT_EQ(differences[0], 0u);
    for (std::size_t i = 1; i < n; ++i) ASSERT_EQ(differences[i] + base + values[i - 1], values[i]) << n << ' ' << i;
  }
}

TEST_P(EntropyTokens, OfMultiples) {
  std::mt19937_64 random(8);
  for (const std::uint64_t divisor : {1u, 2u, 3u, 26u, 1000u, 4096u}) {
    std::vector<std::uint64_t> multiples(300);
    for (std::uint64_t& multiple : multiples) {
      multiple = static_cast<std::uint64_t>(static_cast<std::int64_t>(random()) >> 20);  // of both signs
    }
    std::vector<std::uint64_t> offsets = multiples;
    for (std::uint64_t& offset : offsets) offset *= divisor;
    std::vector<std::uint64_t> divided = offsets;
    EXPECT_TRUE(to_multiples(divided.data(), divided.size(), Divisor(divisor)));
    EXPECT_EQ(divided, multiples);
    if (divisor % 2 != 0) continue;  // modulo 2^64, every number is its multiple
    ++offsets[299];
    divided = offsets;
    EXPECT_FALSE(to_multiples(divided.data(), divided.size(), Divisor(divisor)));
    EXPECT_EQ(divided, offsets);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, EntropyTokens,
                         ::testing::Values(Machine::kBaseline, Machine::kAvx2, Machine::kAvx512));

}  // namespace
}  // namespace steno::format
