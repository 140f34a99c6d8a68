// Columns of numbers (file.md §9.1, §9.2): every type, many distributions, the sizes around the codecs' limits; then
// damage.
#include "format/ints/column.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "../sanitizers.h"
#include "format/multiversion.h"

namespace steno::format {
namespace {

using Rng = std::mt19937_64;
using Values = std::vector<std::uint64_t>;

constexpr std::size_t kSizes[] = {1, 2, 7, 63, 64, 65, 255, 256, 257, 1000, 1025, 5003, test::sampled(40002)};

struct Numbers {
  const char* name;
  std::function<std::uint64_t(std::size_t i, Rng& rng)> value;
};

std::uint64_t bits(double v) {
  return std::bit_cast<std::uint64_t>(v);
}

// Made for 64 bits; a narrower type takes their low bits.
const Numbers kInts[] = {
    {"constant", [](std::size_t, Rng&) { return 42u; }},
    {"constant_negative", [](std::size_t, Rng&) { return ~std::uint64_t{0} - 6; }},
    {"counter", [](std::size_t i, Rng&) { return i; }},
    {"countdown", [](std::size_t i, Rng&) { return 1'000'000 - i; }},
    {"counter_with_holes", [](std::size_t i, Rng& rng) { return i * 3 + rng() % 3; }},
    {"random", [](std::size_t, Rng& rng) { return rng(); }},
    {"random_16", [](std::size_t, Rng& rng) { return rng() & 0xFFFF; }},
    {"random_signed_16", [](std::size_t, Rng& rng) { return (rng() & 0xFFFF) - 0x8000; }},
    {"bits", [](std::size_t, Rng& rng) { return rng() & 1; }},
    {"outlier", [](std::size_t i, Rng& rng) { return i % 300 == 17 ? rng() : rng() & 7; }},
    {"outliers", [](std::size_t, Rng& rng) { return rng() % 10 == 0 ? rng() & 0xFFFFFFFF : rng() & 7; }},
    {"low_outlier", [](std::size_t i, Rng& rng) { return i % 200 == 9 ? 0 : 0x7F00'0000'0000 + (rng() & 0xFF0); }},
    {"minus_one_among_large", [](std::size_t i, Rng& rng) { return i % 90 == 5 ? ~0ull : 1'000'000 + rng() % 10; }},
    {"multiples", [](std::size_t, Rng& rng) { return 4096 * (rng() & 0xFF) + 5; }},
    {"multiples_but_one", [](std::size_t i, Rng& rng) { return i == 700 ? 1 : 1000 * (rng() & 0xFF); }},
    {"wide_multiples", [](std::size_t, Rng& rng) { return 10'000'000'000 * (rng() & 0xFFF); }},
    {"clock", [](std::size_t i, Rng& rng) { return (std::uint64_t{1} << 40) + i * 52 + 26 * (rng() & 1); }},
    {"slow_clock", [](std::size_t i, Rng& rng) { return (std::uint64_t{1} << 40) + i * 2'600'000'000 + rng() % 99; }},
    {"clock_of_runs", [](std::size_t i, Rng& rng) { return (std::uint64_t{1} << 40) + i % 777 * 26 + rng() % 2 * 26; }},
    {"few_far_apart", [](std::size_t, Rng& rng) { return 0x9E3779B97F4A7C15 * (rng() % 5); }},
    {"extremes", [](std::size_t, Rng& rng) { return rng() % 2 == 0 ? std::uint64_t{1} << 63 : (1ull << 63) - 1; }},
    {"width_63", [](std::size_t, Rng& rng) { return rng() >> 1; }},
    {"width_33", [](std::size_t, Rng& rng) { return rng() >> 31; }},
    {"skewed", [](std::size_t, Rng& rng) { return static_cast<std::uint64_t>(std::countr_zero(rng() | 1ull << 40)); }},
    {"skewed_wide", [](std::size_t, Rng& rng) { return (rng() >> 1 | 1ull << 62) >> (63 - rng() % 4 * (rng() % 16)); }},
    {"mostly_one", [](std::size_t, Rng& rng) { return rng() % 50 == 0 ? 0u : 1u; }},
    {"one_after_another", [](std::size_t i, Rng& rng) { return rng() % 40 == 0 ? rng() % 9 : i % 9; }},
    {"skewed_steps", [](std::size_t i, Rng& rng) { return i * 1000 + (rng() % 8 == 0 ? rng() % 1000 : rng() % 4); }},
    {"often_none", [](std::size_t, Rng& rng) { return rng() % 3 != 0 ? 0 : rng() % 700; }},
    {"late_change", [](std::size_t i, Rng& rng) { return i < 900 ? 5 : rng(); }},
};

const Numbers kFloats[] = {
    {"zero", [](std::size_t, Rng&) { return bits(0.0); }},
    {"cents", [](std::size_t, Rng& rng) { return bits(static_cast<double>(rng() % 100'000) / 100); }},
    {"signed_thousandths",
     [](std::size_t, Rng& rng) { return bits((static_cast<double>(rng() % 100'000) - 50'000) / 1000); }},
    {"integers", [](std::size_t i, Rng&) { return bits(static_cast<double>(i)); }},
    {"uniform", [](std::size_t, Rng& rng) { return bits(std::uniform_real_distribution<double>()(rng)); }},
    {"any_bits", [](std::size_t, Rng& rng) { return rng(); }},
    {"cents_and_specials",
     [](std::size_t i, Rng& rng) {
       const std::uint64_t specials[] = {bits(-0.0),
                                         bits(std::numeric_limits<double>::infinity()),
                                         bits(-std::numeric_limits<double>::infinity()),
                                         bits(std::numeric_limits<double>::denorm_min()),
                                         bits(std::numeric_limits<double>::max()),
                                         0x7FF8'0000'0000'1234,   // NaN with a payload
                                         0x7FF0'0000'0000'0001,   // signalling NaN
                                         0xFFF8'0000'0000'0000};  // negative NaN
       return i % 20 == 3 ? specials[rng() % 8] : bits(static_cast<double>(rng() % 1000) / 100);
     }},
    {"nan", [](std::size_t, Rng&) { return bits(std::nan("7")); }},
    {"some_full",
     [](std::size_t i, Rng& rng) {
       return i % 6 == 0 ? bits(1.0 / static_cast<double>(i + 3)) : bits(0.5 * static_cast<double>(rng() % 9));
     }},
    {"huge", [](std::size_t, Rng& rng) { return bits(static_cast<double>(rng() % 1000) * 1e300); }},
    {"seconds", [](std::size_t i, Rng&) { return bits(1.7e9 + static_cast<double>(i) / 1000); }},
};

// Bits of a double as bits of the type's float; special bits are spread over a binary32 too.
std::uint64_t as_float(std::uint64_t v, IntType type) {
  if (type.bytes == 8) return v;
  const auto d = std::bit_cast<double>(v);
  if (std::isnan(d)) return 0x7F800001u | (v & 0x8000'0000) | (v >> 32 & 0x7FFFFF);
  return std::bit_cast<std::uint32_t>(static_cast<float>(d));
}

Values make(const Numbers& distribution, IntType type, std::size_t n) {
  Rng rng(n);
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = distribution.value(i, rng);
    values[i] = type.extend(type.is_float ? as_float(values[i], type) : values[i]);
  }
  return values;
}

// The values as a record would hold them, one every 24 bytes, at an odd place.
struct Strided {
  Strided(const Values& values, IntType type) : bytes(values.size() * 24 + 16), offsets(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      offsets[i] = static_cast<std::uint32_t>(i * 3);
      std::memcpy(bytes.data() + i * 24 + 13, &values[i], type.bytes);
    }
  }
  IntSource source(IntType type) const { return {type, offsets.size(), bytes.data() + 13, offsets.data()}; }

  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> offsets;
};

// Decodes from memory of exactly the column's size, so that a sanitizer sees a byte too many.
bool decode(const ByteBuffer& column, std::size_t size, IntType type, std::size_t n, Values* out) {
  const std::vector<std::uint8_t> exact(column.data(), column.data() + size);
  ByteReader in(exact.data(), exact.size());
  out->assign(n, 0);
  return decode_ints(in, type, n, 0, out->data()) && in.at_end();
}

void expect_zone(const ByteBuffer& column, const Values& values, IntType type) {
  Zone zone;
  if (!read_zone(ByteReader(column.data(), column.size()), type, values.size(), &zone)) {
    EXPECT_TRUE(values.size() < kZonedColumn || type.is_float);
    return;
  }
  const auto less = [&](std::uint64_t a, std::uint64_t b) {
    return type.is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  };
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end(), less);
  EXPECT_EQ(zone.least, *least);
  EXPECT_EQ(zone.greatest, *greatest);
}

void round_trip(const Numbers& distribution, IntType type, IntHint hint, IntScratch& scratch) {
  for (const std::size_t n : kSizes) {
    SCOPED_TRACE(std::string(distribution.name) + " n=" + std::to_string(n) + " bytes=" + std::to_string(type.bytes) +
                 (type.is_signed ? " signed" : ""));
    const Values values = make(distribution, type, n);
    const Strided records(values, type);
    ByteBuffer out;
    encode_ints(records.source(type), hint, scratch, out);
    // Raw with its codec byte and zone is the most that a column may take, but for heads, rows that are not full, and a
    // sample that promised more than the rest of the column keeps.
    if (hint == IntHint::kAny) {
      EXPECT_LE(out.size(), n * type.bytes * 11 / 10 + 64);
    }
    Values decoded;
    ASSERT_TRUE(decode(out, out.size(), type, n, &decoded));
    ASSERT_EQ(decoded, values);
    expect_zone(out, values, type);
  }
}

// Each test that packs runs with what the machine has and with what lesser machines have.
class OnEachMachine : public ::testing::TestWithParam<Machine> {
 protected:
  void SetUp() override { best_machine = GetParam(); }
  void TearDown() override { best_machine = Machine::kAvx512; }
};

INSTANTIATE_TEST_SUITE_P(Machines, OnEachMachine,
                         ::testing::Values(Machine::kBaseline, Machine::kAvx2, Machine::kAvx512));

TEST_P(OnEachMachine, RoundTripOfIntegers) {
  const auto scratch = std::make_unique<IntScratch>();
  for (const std::uint8_t bytes : {1, 2, 4, 8}) {
    for (const bool is_signed : {false, true}) {
      for (const Numbers& distribution : kInts) {
        round_trip(distribution, {bytes, is_signed, false}, IntHint::kAny, *scratch);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(OnEachMachine, RoundTripWithHints) {
  const auto scratch = std::make_unique<IntScratch>();
  for (const Numbers& distribution : kInts) {
    round_trip(distribution, kTypeU32, IntHint::kOffsets, *scratch);
    round_trip(distribution, kTypeU64, IntHint::kDeltas, *scratch);
    round_trip(distribution, kTypeU64, IntHint::kOffsets, *scratch);
    if (HasFatalFailure()) return;
  }
}

TEST_P(OnEachMachine, RoundTripOfFloats) {
  const auto scratch = std::make_unique<IntScratch>();
  for (const std::uint8_t bytes : {4, 8}) {
    for (const Numbers& distribution : kFloats) {
      round_trip(distribution, {bytes, false, true}, IntHint::kAny, *scratch);
      if (HasFatalFailure()) return;
    }
  }
}

// Every codec by itself, also where it would not be chosen.
TEST_P(OnEachMachine, EachCodecTakesWhatItAccepts) {
  const auto scratch = std::make_unique<IntScratch>();
  for (const IntCodec* codec : int_codecs()) {
    EXPECT_EQ(find_int_codec(static_cast<std::uint8_t>(codec->id)), codec);
    for (const Numbers& distribution : kInts) {
      const std::size_t n = 1000;
      const Values values = make(distribution, kTypeI64, n);
      const IntSource source = IntSource::array(values.data(), n, kTypeI64);
      // Leaves a sample of the column in the scratch, as encoders expect.
      ByteBuffer out;
      encode_ints(source, IntHint::kAny, *scratch, out);
      out.clear();
      Zone zone;
      if (codec->id == CodecId::kDecimal || !codec->encode(source, scratch->sample, *scratch, &zone, out)) continue;
      Values decoded(n);
      ByteReader in(out.data(), out.size());
      ASSERT_TRUE(codec->decode(in, kTypeI64, n, 0, decoded.data())) << codec->name << " " << distribution.name;
      EXPECT_TRUE(in.at_end());
      ASSERT_EQ(decoded, values) << codec->name << " " << distribution.name;
    }
  }
}

// Whatever it is told of the values: of differences or not, of both signs or not, with any tokens.
TEST(IntColumn, EntropyTakesAnything) {
  const auto scratch = std::make_unique<IntScratch>();
  std::size_t contexts = 0;
  for (const Numbers& distribution : kInts) {
    for (const std::size_t n : {65, 302, 1103}) {
      const Values values = make(distribution, kTypeI64, n);
      const IntSource source = IntSource::array(values.data(), n, kTypeI64);
      ByteBuffer out;
      encode_ints(source, IntHint::kAny, *scratch, out);
      for (const TokenForm form :
           {TokenForm{8, 3}, TokenForm{8, 0}, TokenForm{6, 3}, TokenForm{4, 1}, TokenForm{1, 0}}) {
        for (const unsigned kind : {0, 1, 2, 3}) {
          const bool of_differences = (kind & 1) != 0;
          SCOPED_TRACE(std::string(distribution.name) + " n=" + std::to_string(n) +
                       " d=" + std::to_string(form.direct) + " kind=" + std::to_string(kind));
          scratch->entropy.choice.of_both_signs = (kind & 2) != 0;
          scratch->entropy.choice.form = form;
          scratch->entropy.choice.of_differences = of_differences;
          scratch->entropy.base = of_differences ? values[1] - values[0] : values[n / 2];
          scratch->entropy.limit = SIZE_MAX;
          out.clear();
          Zone zone;
          ASSERT_TRUE(kEntropyCodec.encode(source, scratch->sample, *scratch, &zone, out));
          contexts += scratch->entropy.rans.contexts() ? 1 : 0;
          const std::vector<std::uint8_t> exact(out.data(), out.data() + out.size());
          ByteReader in(exact.data(), exact.size());
          Values decoded(n);
          ASSERT_TRUE(kEntropyCodec.decode(in, kTypeI64, n, 0, decoded.data()));
          EXPECT_TRUE(in.at_end());
          ASSERT_EQ(decoded, values);
        }
      }
    }
  }
  EXPECT_NE(contexts, 0u);
}

// Many columns of random frequencies, with contexts and without, of all numbers of tokens up to 64: a token that is
// rare in one row is the only one of the next.
TEST(IntColumn, EntropyOfRandomFrequencies) {
  const auto scratch = std::make_unique<IntScratch>();
  std::mt19937_64 random(23);
  std::size_t with_contexts = 0;
  for (std::uint64_t tokens = 1; tokens <= 64; ++tokens) {
    const std::size_t n = 1024 + random() % 700;
    Values values(n);
    const std::uint64_t stays = random() % 100;
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint64_t most = 1 + random() % tokens;
      values[i] = random() % 100 < stays ? values[i - 1] : random() % most;
    }
    const IntSource source = IntSource::array(values.data(), n, kTypeU64);
    ByteBuffer out;
    encode_ints(source, IntHint::kAny, *scratch, out);
    scratch->entropy = EntropyScratch();
    scratch->entropy.choice.form = TokenForm{8, 3};
    out.clear();
    Zone zone;
    ASSERT_TRUE(kEntropyCodec.encode(source, scratch->sample, *scratch, &zone, out)) << tokens;
    with_contexts += scratch->entropy.rans.contexts() ? 1 : 0;
    const std::vector<std::uint8_t> exact(out.data(), out.data() + out.size());
    Values decoded(n);
    ByteReader in(exact.data(), exact.size());
    ASSERT_TRUE(kEntropyCodec.decode(in, kTypeU64, n, 0, decoded.data())) << tokens;
    EXPECT_TRUE(in.at_end());
    ASSERT_EQ(decoded, values) << tokens;
    // A column without its end is damaged, and is not read beyond it.
    const std::vector<std::uint8_t> shorter(exact.begin(), exact.end() - 1);
    ByteReader cut(shorter.data(), shorter.size());
    EXPECT_FALSE(kEntropyCodec.decode(cut, kTypeU64, n, 0, decoded.data())) << tokens;
  }
  EXPECT_GT(with_contexts, 8u);
  EXPECT_LT(with_contexts, 64u);
}

std::string hex(const ByteBuffer& bytes) {
  std::string text;
  char byte[4];
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::snprintf(byte, sizeof byte, "%02x ", bytes.data()[i]);
    text += byte;
  }
  return text;
}

TEST(IntColumn, ExamplesOfTheSpecification) {  // file.md §9.7
  const auto scratch = std::make_unique<IntScratch>();
  const std::uint32_t five[] = {7, 9, 8, 7, 12};
  ByteBuffer out;
  encode_ints(IntSource::array(five, 5, {4, true}), IntHint::kAny, *scratch, out);
  EXPECT_EQ(hex(out), "02 03 0e 50 50 ");
  Values clocks(64);
  for (std::size_t i = 0; i < clocks.size(); ++i) clocks[i] = 26'000 + 26 * i;
  out.clear();
  encode_ints(IntSource::array(clocks.data(), clocks.size(), kTypeU64), IntHint::kDeltas, *scratch, out);
  EXPECT_EQ(hex(out), "03 01 a0 96 03 00 34 ");
  std::uint32_t skewed[16] = {};
  skewed[1] = skewed[6] = 1;
  skewed[15] = 300;
  out.clear();
  Zone zone;
  const IntSource source = IntSource::array(skewed, 16, kTypeU32);
  ASSERT_TRUE(kEntropyCodec.encode(source, IntSample(), *scratch, &zone, out));
  EXPECT_EQ(hex(out),
            "37 01 00 02 00 00 ff 01 80 1a 80 04 80 02 00 00 d5 0e 00 00 d8 0e 00 00 44 02 00 00 ec 1d 00 0c ");
}

struct SizeCase {
  const char* distribution;
  IntType type;
  double most;  // bytes a value
};

TEST(IntColumn, Sizes) {
  const SizeCase cases[] = {
      {"constant", kTypeU32, 0.001},
      {"counter", kTypeU32, 0.05},
      {"countdown", kTypeI64, 0.05},
      {"bits", {1, false}, 0.14},
      {"random_16", kTypeU32, 2.05},
      {"outlier", kTypeI64, 0.5},
      {"outliers", kTypeI64, 1.2},
      {"low_outlier", kTypeU64, 1.2},
      {"multiples", kTypeU32, 1.05},
      {"few_far_apart", kTypeU64, 0.45},
      {"skewed", kTypeU32, 0.27},             // its entropy is 2 bits
      {"mostly_one", {1, false}, 0.025},      // 0.14 bits
      {"one_after_another", kTypeU32, 0.07},  // 0.45 bits
      {"skewed_steps", kTypeU64, 0.85},
      {"often_none", kTypeU64, 0.6},  // 4.1 bits; a dictionary of 700 values would take as much again
      {"clock", kTypeU64, 0.35},
      {"clock_of_runs", kTypeU64, 0.45},
      {"minus_one_among_large", kTypeI64, 0.8},
      {"cents", {8, false, true}, 2.2},
      {"seconds", {8, false, true}, 0.1},
      {"cents", {4, false, true}, 2.2},
      {"integers", {8, false, true}, 0.1},
      {"uniform", {8, false, true}, 8.1},
  };
  const auto scratch = std::make_unique<IntScratch>();
  for (const SizeCase& c : cases) {
    const Numbers* found = nullptr;
    for (const Numbers& d : kInts) found = std::string(d.name) == c.distribution && !c.type.is_float ? &d : found;
    for (const Numbers& d : kFloats) found = std::string(d.name) == c.distribution && c.type.is_float ? &d : found;
    ASSERT_NE(found, nullptr) << c.distribution;
    const std::size_t n = 10'000;
    const Values values = make(*found, c.type, n);
    const Strided records(values, c.type);
    ByteBuffer out;
    encode_ints(records.source(c.type), IntHint::kAny, *scratch, out);
    EXPECT_LE(static_cast<double>(out.size()) / n, c.most)
        << c.distribution << " by " << find_int_codec(out.data()[0])->name;
  }
}

TEST(IntColumn, DamageIsAnErrorOrOtherValues) {
  const auto scratch = std::make_unique<IntScratch>();
  const auto damage = [&](const Numbers& distribution, IntType type, std::size_t n) {
    const Values values = make(distribution, type, n);
    const Strided records(values, type);
    ByteBuffer out;
    encode_ints(records.source(type), IntHint::kAny, *scratch, out);
    Values decoded;
    for (std::size_t size = 0; size < out.size(); ++size) EXPECT_FALSE(decode(out, size, type, n, &decoded));
    const std::size_t step = 1 + out.size() / 400;
    for (std::size_t i = 0; i < out.size(); i += step) {
      for (const std::uint8_t flip : {0x01, 0x80, 0x40, 0xFF}) {
        out.data()[i] ^= flip;
        (void)decode(out, out.size(), type, n, &decoded);
        out.data()[i] ^= flip;
      }
    }
  };
  for (const std::size_t n : {1, 5, 63, 64, 70, 300}) {
    for (const Numbers& d : kInts) {
      damage(d, kTypeI64, n);
      damage(d, {2, true}, n);
    }
    for (const Numbers& d : kFloats) damage(d, {8, false, true}, n);
  }
}

TEST(IntColumn, DamageOfEntropyCodes) {
  const auto scratch = std::make_unique<IntScratch>();
  constexpr std::pair<const char*, IntHint> kCoded[] = {{"skewed", IntHint::kOffsets},
                                                        {"mostly_one", IntHint::kAny},
                                                        {"skewed_wide", IntHint::kOffsets},
                                                        {"one_after_another", IntHint::kAny},
                                                        {"skewed_steps", IntHint::kDeltas}};
  for (const auto& [coded, hint] : kCoded) {
    const std::string_view name = coded;
    const auto* found =
        std::find_if(std::begin(kInts), std::end(kInts), [&](const Numbers& d) { return d.name == name; });
    ASSERT_NE(found, std::end(kInts));
    const std::size_t n = 1101;
    const Values values = make(*found, kTypeI64, n);
    ByteBuffer out;
    encode_ints(IntSource::array(values.data(), n, kTypeI64), hint, *scratch, out);
    ASSERT_EQ(out.data()[0], static_cast<std::uint8_t>(CodecId::kEntropy)) << name;
    Values decoded;
    for (std::size_t size = 0; size < out.size(); ++size) EXPECT_FALSE(decode(out, size, kTypeI64, n, &decoded));
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (const std::uint8_t flip : {0x01, 0x10, 0x80, 0xFF}) {
        out.data()[i] ^= flip;
        (void)decode(out, out.size(), kTypeI64, n, &decoded);
        out.data()[i] ^= flip;
      }
    }
  }
}

// Heads and models that no writer makes: refused, and nothing is read outside of what they have.
TEST(IntColumn, ImpossibleEntropyCodes) {
  const auto refused = [](std::vector<std::uint8_t> column) {
    column.resize(column.size() + 64);  // states, words, bits
    column.insert(column.begin(), static_cast<std::uint8_t>(CodecId::kEntropy));
    ByteReader in(column.data(), column.size());
    Values values(100);
    return !decode_ints(in, kTypeU32, values.size(), 0, values.data());
  };
  const std::uint8_t d = 7;                                                  // 8
  EXPECT_TRUE(refused({0x10, 1, 0, 0, 0, 0x80, 0x20}));                      // a sound head, but states of 0
  EXPECT_TRUE(refused({0x20, 1, 0, 0, 0, 0x80, 0x20}));                      // m > d
  EXPECT_TRUE(refused({d, 1, 0, 0x80, 0x02, 0}));                            // 257 tokens
  EXPECT_TRUE(refused({static_cast<std::uint8_t>(d | 0x80), 1, 0, 64, 0}));  // 65 with contexts
  EXPECT_TRUE(refused({d, 1, 0, 1, 0, 0xFF, 0x7F}));                         // a token out of range
  EXPECT_TRUE(refused({d, 1, 0, 1, 0, 0, 0x80, 0x20, 1}));                   // more than 2^12
  EXPECT_TRUE(refused({d, 1, 0, 1, 0, 0, 0x80, 0x10, 1}));                   // less
  EXPECT_TRUE(refused({d, 1, 0, 1, 0, 0, 0, 2}));                            // more zeros than tokens
  EXPECT_TRUE(refused({d, 1, 0, 0, 0, 0x80, 0x20, 0xFF, 0x7F}));             // more words than values
}

TEST(IntColumn, ColumnsWithinColumnsWithoutEnd) {
  // A dictionary of one value whose indices are a dictionary whose indices ...
  std::vector<std::uint8_t> column;
  for (int i = 0; i < 100'000; ++i) {
    column.insert(column.end(), {static_cast<std::uint8_t>(CodecId::kDictionary), 1, 0, 0, 0, 0});
  }
  ByteReader in(column.data(), column.size());
  std::uint64_t values[10];
  EXPECT_FALSE(decode_ints(in, kTypeU32, 10, 0, values));
}

}  // namespace
}  // namespace steno::format
