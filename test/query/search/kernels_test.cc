// Each version of the hot loops gives what the baseline gives.
#include "query/search/kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "format/multiversion.h"
#include "query/search/digit_kernels.h"
#include "query/search/digit_test.h"
#include "text/number.h"

namespace steno::query {
namespace {

using format::best_machine;
using format::Machine;

struct Input {
  std::vector<std::uint64_t> wide;
  std::vector<std::uint32_t> narrow;
  std::vector<std::uint8_t> keep;
  std::vector<std::uint8_t> other;

  std::size_t size() const { return wide.size(); }
};

Input random_input(std::size_t n, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Input input;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t v = random() % 4 == 0 ? random() : random() % 1000;
    input.wide.push_back(v);
    input.narrow.push_back(static_cast<std::uint32_t>(v));
    input.keep.push_back(random() % 2);
    input.other.push_back(random() % 2);
  }
  return input;
}

using Bytes = std::vector<std::uint8_t>;

template <class... T>
Bytes bytes_of(const T&... values) {
  Bytes out;
  const auto add = [&](const auto& v) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(&v);
    out.insert(out.end(), p, p + sizeof v);
  };
  (add(values), ...);
  return out;
}

// Sums of doubles are left out: whether a product is rounded before it is added depends on the machine.
struct Loop {
  const char* name;
  std::function<Bytes(Input)> run;
};

const Loop kLoops[] = {
    {"keep_in_range 64",
     [](Input in) {
       keep_in_range(in.wide.data(), in.size(), 100, 500, 1, in.keep.data());
       return in.keep;
     }},
    {"keep_in_range 32",
     [](Input in) {
       keep_in_range(in.narrow.data(), in.size(), 100, 500, 0, in.keep.data());
       return in.keep;
     }},
    {"keep_either",
     [](Input in) {
       keep_either(in.other.data(), in.size(), in.keep.data());
       return in.keep;
     }},
    {"keep_both",
     [](Input in) {
       keep_both(in.other.data(), in.size(), in.keep.data());
       return in.keep;
     }},
    {"keep_among",
     [](Input in) {
       StateSet few(3);
       few.add(200);
       Bytes states;
       for (const std::uint64_t v : in.wide) states.push_back(static_cast<std::uint8_t>(v));
       keep_among(states.data(), states.size(), few, in.keep.data());
       return in.keep;
     }},
    {"replace",
     [](Input in) {
       replace(1, 7, in.size(), in.keep.data());
       return in.keep;
     }},
    {"choose",
     [](Input in) {
       choose(in.other.data(), 9, 4, 0, in.size(), in.keep.data());
       return in.keep;
     }},
    {"count_kept", [](Input in) { return bytes_of(count_kept(in.keep.data(), in.size())); }},
    {"count_below 64",
     [](Input in) { return bytes_of(count_below(in.wide.data(), in.size(), 1ull << 63, 1ull << 63)); }},
    {"count_below 32", [](Input in) { return bytes_of(count_below(in.narrow.data(), in.size(), 500)); }},
    {"count_in_range", [](Input in) { return bytes_of(count_in_range(in.wide.data(), in.size(), 0, 100, 500)); }},
    {"select_in_range",
     [](Input in) {
       std::vector<std::uint32_t> out(in.size() + 1);
       const std::size_t n = select_in_range(in.narrow.data(), in.size(), 100, 500, out.data());
       Bytes found = bytes_of(n);
       for (std::size_t i = 0; i < n; ++i) {
         const Bytes value = bytes_of(out[i]);
         found.insert(found.end(), value.begin(), value.end());
       }
       return found;
     }},
    {"sum_of", [](Input in) { return bytes_of(sum_of(in.narrow.data(), in.size())); }},
    {"sum_of kept", [](Input in) { return bytes_of(sum_of(in.narrow.data(), in.keep.data(), in.size())); }},
    {"sum_halves",
     [](Input in) {
       std::uint64_t low = 0;
       std::int64_t high = 0;
       sum_halves(in.wide.data(), in.size(), &low, &high);
       return bytes_of(low, high);
     }},
    {"extremes_of 64",
     [](Input in) {
       std::uint64_t least = ~std::uint64_t{0};
       std::uint64_t greatest = 0;
       extremes_of(in.wide.data(), in.size(), 1ull << 63, &least, &greatest);
       return bytes_of(least, greatest);
     }},
    {"extremes_of 32",
     [](Input in) {
       std::uint32_t least = ~0u;
       std::uint32_t greatest = 0;
       extremes_of(in.narrow.data(), in.size(), &least, &greatest);
       return bytes_of(least, greatest);
     }},
};

TEST(QueryKernels, EveryMachineGivesTheSame) {
  for (const std::size_t n : {0, 1, 15, 16, 255, 256, 1000}) {
    const Input input = random_input(n, static_cast<std::uint32_t>(n));
    for (const Loop& loop : kLoops) {
      best_machine = Machine::kBaseline;
      const Bytes expected = loop.run(input);
      for (const Machine machine : {Machine::kAvx2, Machine::kAvx512}) {
        best_machine = machine;
        EXPECT_EQ(loop.run(input), expected) << loop.name << " of " << n << " on machine " << static_cast<int>(machine);
      }
    }
  }
  best_machine = Machine::kAvx512;
}

// Wide and narrow numbers, padded and not, digits of them and others.
TEST(QueryKernels, KeepAmongKeepsThoseOfTheSet) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::uint8_t most = round % 2 == 0 ? 9 : 255;
    StateSet set;
    for (std::uint64_t k = random() % 20; k != 0; --k) set.add(static_cast<std::uint8_t>(random() % (most + 1u)));
    Bytes states(random() % 700);
    for (std::uint8_t& state : states) state = static_cast<std::uint8_t>(random() % (most + 1u));
    Bytes keep(states.size());
    for (std::uint8_t& k : keep) k = random() % 4 != 0 ? 1 : 0;
    Bytes expected = keep;
    for (std::size_t i = 0; i < states.size(); ++i) expected[i] &= set.has(states[i]) ? 1 : 0;
    keep_among(states.data(), states.size(), set, keep.data());
    ASSERT_EQ(keep, expected);
  }
}

TEST(DigitTests, AreThoseOfPrintedNumbers) {
  std::mt19937_64 random(5);
  std::size_t held = 0;
  std::size_t in_32_bits = 0;
  for (int round = 0; round < 4'000; ++round) {
    const bool decimal = random() % 2 == 0;
    const unsigned width = 1 + static_cast<unsigned>(random() % (random() % 2 == 0 ? 8 : 16));
    const auto printed = [&](std::uint64_t v) {
      return decimal ? fmt::format("{:0{}}", v, width) : fmt::format("{:0{}x}", v, width);
    };
    const unsigned bits = 1 + static_cast<unsigned>(random() % 64);
    std::vector<std::uint64_t> values(1 + random() % 300);
    for (std::uint64_t& v : values) v = random() >> (64 - bits) >> (random() % 4 == 0 ? random() % bits : 0);
    std::string digits = printed(values[random() % values.size()]);
    digits = digits.substr(random() % digits.size()).substr(0, 1 + random() % 12);
    if (random() % 8 == 0) digits.insert(0, "0");
    best_machine = static_cast<Machine>(random() % 3);
    for (const auto where :
         {DigitTest::Where::kAll, DigitTest::Where::kFirst, DigitTest::Where::kLast, DigitTest::Where::kAnywhere}) {
      std::vector<std::uint8_t> keep(values.size(), 1);
      DigitTest test;
      if (DigitTest::make(where, decimal ? 10 : 16, width, digits, &test)) {
        test.apply(values, keep);
        if (const std::uint64_t greatest = greatest_of(values); test.is_narrow(greatest)) {
          const std::vector<std::uint32_t> narrow(values.begin(), values.end());
          std::vector<std::uint8_t> found(narrow.size());
          test.find(narrow, greatest, found.data());
          ASSERT_EQ(found, keep) << digits;
          ++in_32_bits;
        }
      } else {
        keep.assign(keep.size(), 0);
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string text = printed(values[i]);
        const bool expected = where == DigitTest::Where::kAll     ? text == digits
                              : where == DigitTest::Where::kFirst ? text.starts_with(digits)
                              : where == DigitTest::Where::kLast  ? text.ends_with(digits)
                                                                  : text.find(digits) != std::string::npos;
        ASSERT_EQ(keep[i] != 0, expected) << text << ", " << digits << ", " << static_cast<int>(where);
        held += expected ? 1 : 0;
      }
    }
  }
  best_machine = Machine::kAvx512;
  EXPECT_GT(held, 10'000u);
  EXPECT_GT(in_32_bits, 1'000u);
}

// Numbers around multiples of what they are divided by, up to where floats divide them.
TEST(DigitTests, AreThoseOfNumbersNearMultiples) {
  std::mt19937_64 random(6);
  constexpr std::uint32_t kEnd = 1u << 22;
  for (std::uint32_t period = 10; period < kEnd; period *= 10) {
    std::vector<std::uint32_t> values;
    for (std::uint32_t at = period; at < kEnd && values.size() < 60'000; at += period * (1 + random() % 3)) {
      values.insert(values.end(), {at - 1, at, std::min(at + 1, kEnd - 1)});
    }
    values.insert(values.end(), {0, 1, kEnd - 1});
    for (int round = 0; round < 20; ++round) {
      const std::string whole = std::to_string(values[random() % values.size()]);
      const std::string digits = whole.substr(random() % whole.size(), 1 + random() % whole.size());
      const unsigned width = 1 + static_cast<unsigned>(random() % 9);
      DigitTest test;
      ASSERT_TRUE(DigitTest::make(DigitTest::Where::kAnywhere, 10, width, digits, &test));
      std::vector<std::uint8_t> found(values.size());
      best_machine = static_cast<Machine>(random() % 3);
      test.find(values, kEnd - 1, found.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool expected = fmt::format("{:0{}}", values[i], width).find(digits) != std::string::npos;
        ASSERT_EQ(found[i] != 0, expected) << values[i] << ", " << digits << ", " << width;
      }
    }
  }
  best_machine = Machine::kAvx512;
}

TEST(DigitTests, MayHoldWhereOneDoes) {
  std::mt19937_64 random(8);
  std::size_t impossible = 0;
  for (int round = 0; round < 30'000; ++round) {
    const bool decimal = random() % 2 == 0;
    const unsigned width = 1 + static_cast<unsigned>(random() % 6);
    const std::uint64_t least = random() >> (random() % 3 == 0 ? random() % 64 : 44 + random() % 20);
    const std::uint64_t greatest = least + std::min(random() % (1 + random() % 300), UINT64_MAX - least);
    const auto printed = [&](std::uint64_t v) {
      return decimal ? fmt::format("{:0{}}", v, width) : fmt::format("{:0{}x}", v, width);
    };
    std::string digits = printed(least + random() % 400);
    digits = digits.substr(random() % digits.size()).substr(0, 1 + random() % 5);
    const auto where = static_cast<DigitTest::Where>(random() % 2 == 0   ? DigitTest::Where::kLast
                                                     : random() % 8 == 0 ? DigitTest::Where::kAll
                                                                         : DigitTest::Where::kAnywhere);
    DigitTest test;
    if (!DigitTest::make(where, decimal ? 10 : 16, width, digits, &test)) continue;
    bool any = false;
    for (std::uint64_t v = least;; ++v) {
      const std::string text = printed(v);
      any = any || (where == DigitTest::Where::kAll    ? text == digits
                    : where == DigitTest::Where::kLast ? text.ends_with(digits)
                                                       : text.find(digits) != std::string::npos);
      if (v == greatest) break;
    }
    ASSERT_EQ(test.may_hold_between(least, greatest), any)
        << least << " to " << greatest << ", " << digits << ", " << width;
    impossible += any ? 0 : 1;
  }
  EXPECT_GT(impossible, 3'000u);
}

TEST(DigitTests, WordsAreDividedAndRounded) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 3'000; ++round) {
    std::uint32_t divisor = 10;
    for (std::uint64_t k = random() % 9; k > 0; --k) divisor *= 10;
    std::vector<std::uint32_t> values(1 + random() % 600);
    for (std::uint32_t& v : values) {
      v = static_cast<std::uint32_t>(random() >> (33 + random() % 31));
      if (random() % 4 == 0) v = v / divisor * divisor + divisor / 2;
      v = std::min(v, 0x7fffffffu);
    }
    best_machine = static_cast<Machine>(random() % 3);
    const bool rest = random() % 2 == 0;
    std::vector<std::uint32_t> divided = values;
    divide_words(divided.data(), divided.size(), divisor, rest);
    std::vector<std::uint32_t> rounded = values;
    std::vector<std::uint8_t> ties(values.size());
    const bool any = round_words(rounded.data(), rounded.size(), divisor, ties.data()) != 0;
    ASSERT_EQ(any, std::count(ties.begin(), ties.end(), 1) != 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t left = values[i] % divisor;
      ASSERT_EQ(divided[i], rest ? left : values[i] / divisor);
      ASSERT_EQ(ties[i], left == divisor / 2 ? 1 : 0);
      ASSERT_EQ(rounded[i], values[i] / divisor + (left > divisor / 2 ? 1 : 0));
    }
  }
  best_machine = Machine::kAvx512;
}

// Numbers are like those that programs log, or any; some are in the middle of two results, or just beside it.
TEST(DigitTests, SplitFixedIsWhatIsPrinted) {
  std::mt19937_64 random(7);
  std::size_t split = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto precision = static_cast<unsigned>(random() % (text::kMaxFixedPrecision + 1));
    const unsigned kind = random() % 8;
    std::vector<double> numbers(1 + random() % 40);
    for (double& number : numbers) {
      number = static_cast<double>(random() >> random() % 64) / std::pow(10.0, static_cast<double>(random() % 12));
      if (kind == 0) number = std::bit_cast<double>(random());
      if (kind == 1) number = static_cast<double>(random() % 4096) / 64;
      if (kind == 2) number = std::nextafter((static_cast<double>(random() % 4096) + 0.5) / 1000, random() % 2 * 100.0);
      if (kind == 3) number = std::pow(10.0, static_cast<double>(random() % 10)) - static_cast<double>(random() % 2);
    }
    std::vector<std::uint64_t> bits(numbers.size());
    std::memcpy(bits.data(), numbers.data(), bits.size() * sizeof bits[0]);
    std::vector<std::uint64_t> wholes(bits.size());
    std::vector<std::uint64_t> parts(bits.size());
    best_machine = static_cast<Machine>(random() % 3);
    const bool all = split_fixed(bits.data(), bits.size(), precision, wholes.data(), parts.data());
    EXPECT_EQ(all, std::find(parts.begin(), parts.end(), kUnsplit) == parts.end());
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (parts[i] == kUnsplit) continue;
      ++split;
      const std::string text =
          precision == 0 ? fmt::format("{}", wholes[i]) : fmt::format("{}.{:0{}}", wholes[i], parts[i], precision);
      ASSERT_EQ(text, fmt::format("{:.{}f}", numbers[i], precision));
    }
  }
  best_machine = Machine::kAvx512;
  EXPECT_GT(split, 100'000u);
}

}  // namespace
}  // namespace steno::query
