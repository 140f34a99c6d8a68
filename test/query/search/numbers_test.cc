// Packed numbers, moments and quantiles against what is computed one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "../random_cases.h"
#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "base/parallel.h"
#include "query/search/kernels.h"
#include "query/search/number_stream.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/moments.h"
#include "query/statistics/quantile.h"
#include "query/statistics/tally.h"
#include "reader/log_set.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

// One statement with one integer of each width and sign, and both floats.
constexpr char kTypes[] = "asilhtjmfd";

struct Shape {
  const char* name;
  std::function<std::uint64_t(std::mt19937_64&, std::size_t)> value;
};

const Shape kShapes[] = {
    {"random", [](std::mt19937_64& random, std::size_t) { return random(); }},
    {"small", [](std::mt19937_64& random, std::size_t) { return random() % 100; }},
    {"negative", [](std::mt19937_64& random, std::size_t) { return std::uint64_t{0} - random() % 50; }},
    {"counting", [](std::mt19937_64&, std::size_t i) { return i; }},
    {"falling", [](std::mt19937_64&, std::size_t i) { return std::uint64_t{0} - 3 * i; }},
    {"growing", [](std::mt19937_64& random, std::size_t i) { return 1000 * i + random() % 300; }},
    {"multiples", [](std::mt19937_64& random, std::size_t) { return (random() % 1000) * 26; }},
    {"outliers", [](std::mt19937_64& random, std::size_t) { return random() % 50 == 0 ? random() : random() % 8; }},
    {"constant", [](std::mt19937_64&, std::size_t) { return std::uint64_t{77}; }},
    {"edges", [](std::mt19937_64& random,
                 std::size_t) { return random() % 2 == 0 ? INT64_MAX : static_cast<std::uint64_t>(INT64_MIN); }},
};

std::string log_of(const Shape& shape, std::size_t n, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "{} {} {} {} {} {} {} {} {} {}", kTypes);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t v = shape.value(random, i);
    Args args;
    args.add('a', static_cast<std::int8_t>(v))
        .add('s', static_cast<std::int16_t>(v))
        .add('i', static_cast<std::int32_t>(v));
    args.add('l', static_cast<std::int64_t>(v))
        .add('h', static_cast<std::uint8_t>(v))
        .add('t', static_cast<std::uint16_t>(v));
    args.add('j', static_cast<std::uint32_t>(v)).add('m', v).add('f', static_cast<float>(static_cast<std::int32_t>(v)));
    args.add('d', static_cast<double>(static_cast<std::int64_t>(v)) / 8);
    b.log(0, 16, FileBuilder::kStart + i, args);
  }
  return b.end().bytes();
}

// Through streams as through DataBlock::decode_column, packed or not, kept in part or whole.
TEST(NumberStream, AgreesWithDecodedColumns) {
  std::size_t packed = 0;
  for (const Shape& shape : kShapes) {
    for (const std::size_t n : {1u, 63u, 64u, 256u, 300u, 5000u}) {
      const TempFile file(log_of(shape, n, 1));
      reader::LogSet logs;
      ASSERT_TRUE(logs.add(file.path()).ok());
      const reader::LogFile& log = *logs.files()[0];
      for (std::size_t c = 0; c < sizeof kTypes - 1; ++c) {
        BlockView view;
        ASSERT_TRUE(view.open(log, log.blocks()[0]).ok());
        const auto type = static_cast<ArgType>(kTypes[c]);
        format::ColumnValues expected;
        ASSERT_TRUE(view.data().decode_column(0, c, type, &expected).ok());
        NumberStream stream(view, 0, c, kind_of_type(type));
        std::size_t row = 0;
        for (Numbers numbers; stream.next(&numbers); row += numbers.n) {
          packed += numbers.offsets != nullptr ? 1 : 0;
          std::uint64_t buffer[format::kMiniBlock];
          const std::uint64_t* values = numbers.unpack(buffer);
          for (std::size_t i = 0; i < numbers.n; ++i) {
            std::uint64_t wanted = expected.ints[row + i];
            if (type == ArgType::kF32) {
              wanted = std::bit_cast<std::uint64_t>(
                  static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(wanted))));
            }
            ASSERT_EQ(values[i], wanted) << shape.name << " " << kTypes[c] << " row " << row + i;
          }
        }
        ASSERT_EQ(row, n) << shape.name << " " << kTypes[c];
      }
    }
  }
  EXPECT_GT(packed, 300u);
}

TEST(Numbers, OffsetsBetweenKeys) {
  std::mt19937_64 random(3);
  for (int round = 0; round < test::sampled(20'000); ++round) {
    Numbers numbers;
    numbers.base = random() % 1000 - (round % 2 == 0 ? 500 : 0);
    numbers.factor = 1 + random() % 5;
    const std::uint64_t flip = round % 2 == 0 ? kSignBit : 0;
    const std::uint64_t a = (random() % 3000 - (round % 2 == 0 ? 1500 : 0)) ^ flip;
    const std::uint64_t b = (random() % 3000 - (round % 2 == 0 ? 1500 : 0)) ^ flip;
    const std::uint64_t least = std::min(a, b);
    const std::uint64_t greatest = std::max(a, b);
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    const bool any = offsets_between(numbers, flip, least, greatest, &low, &high);
    for (std::uint32_t offset = 0; offset < 1200; offset += 7) {
      const std::uint64_t key = (numbers.base + offset * numbers.factor) ^ flip;
      ASSERT_EQ(key >= least && key <= greatest, any && offset >= low && offset <= high);
    }
  }
}

TEST(Moments, AgreeWithSums) {
  std::mt19937_64 random(5);
  for (const NumberKind kind : {NumberKind::kSigned, NumberKind::kUnsigned}) {
    for (const std::uint64_t range : {std::uint64_t{10}, std::uint64_t{1} << 33, ~std::uint64_t{0}}) {
      for (const bool keeps : {false, true}) {
        Moments moments;
        long double sum = 0;
        text::Int128 exact = 0;
        std::vector<long double> all;
        for (int part = 0; part < 20; ++part) {
          std::vector<std::uint64_t> values(1 + random() % 256);
          std::vector<std::uint8_t> keep(values.size(), 1);
          for (std::uint64_t& v : values) v = random() % range + (range == 10 ? 1'000'000'000'000 : 0);
          for (std::uint8_t& k : keep) k = keeps ? random() % 2 : 1;
          Numbers numbers;
          numbers.n = values.size();
          numbers.values = values.data();
          add_numbers(kind, numbers, keeps ? keep.data() : nullptr, {true, true, true}, &moments);
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (keep[i] == 0) continue;
            const text::Int128 v = kind == NumberKind::kSigned ? text::Int128{static_cast<std::int64_t>(values[i])}
                                                               : static_cast<text::Int128>(values[i]);
            exact += v;
            sum += static_cast<long double>(v);
            all.push_back(static_cast<long double>(v));
          }
        }
        EXPECT_EQ(moments.count, all.size());
        EXPECT_TRUE(moments.sum == exact);
        const long double mean = sum / static_cast<long double>(all.size());
        long double m2 = 0;
        for (const long double v : all) m2 += (v - mean) * (v - mean);
        const auto deviation = static_cast<double>(std::sqrt(m2 / static_cast<long double>(all.size() - 1)));
        EXPECT_NEAR(moments.deviation() / deviation, 1, 1e-9);
        EXPECT_EQ(cell_of_key(kind, moments.least).as_double(),
                  static_cast<double>(*std::min_element(all.begin(), all.end())));
        EXPECT_EQ(cell_of_key(kind, moments.greatest).as_double(),
                  static_cast<double>(*std::max_element(all.begin(), all.end())));
      }
    }
  }
}

// Parts of numbers with their bounds, shown as the aggregation does.
struct Parts {
  std::vector<std::vector<std::uint64_t>> parts;
  std::vector<std::uint64_t> sorted;

  Parts(std::mt19937_64& random, int shape) {
    for (int p = 0; p < 60; ++p) {
      auto& part = parts.emplace_back();
      for (std::size_t i = 0; i < 200; ++i) {
        switch (shape) {
          case 0:
            part.push_back(random());
            break;
          case 1:
            part.push_back(static_cast<std::uint64_t>(p) * 1000 + random() % 1000);
            break;
          case 2:
            part.push_back(random() % 4);
            break;
          default:
            part.push_back(random() % 20 == 0 ? random() : random() % 1000);
        }
      }
      sorted.insert(sorted.end(), part.begin(), part.end());
    }
    std::sort(sorted.begin(), sorted.end());
  }
};

TEST(QuantileSearch, FindsRanksInRounds) {
  std::mt19937_64 random(7);
  for (int shape = 0; shape < 4; ++shape) {
    for (const std::size_t gathered : {std::size_t{10}, std::size_t{500}, std::size_t{1} << 20}) {
      const Parts all(random, shape);
      QuantileSearch search(2, gathered);
      std::vector<std::pair<std::size_t, std::uint64_t>> targets;
      for (const double q : {0.0, 0.25, 0.5, 0.99, 0.999, 1.0}) {
        const std::uint64_t rank = rank_of(q, all.sorted.size());
        targets.emplace_back(search.add_target(0, rank, all.sorted.front(), all.sorted.back(), all.sorted.size(), 0),
                             rank);
      }
      int rounds = 0;
      while (search.begin_round()) {
        ASSERT_LT(++rounds, 12);
        for (std::size_t p = 0; p < all.parts.size(); ++p) {
          const auto [least, greatest] = std::minmax_element(all.parts[p].begin(), all.parts[p].end());
          if (!search.needs(0, *least, *greatest)) continue;
          Numbers numbers;
          numbers.n = all.parts[p].size();
          numbers.values = all.parts[p].data();
          search.take(p % 2, 0, *least, *greatest, numbers, 0);
        }
        search.end_round();
      }
      for (const auto& [target, rank] : targets) EXPECT_EQ(search.result(target), all.sorted[rank]) << shape;
    }
  }
}

// The whole way: many blocks, so that a sample guesses; also where the guess must fail.
TEST(Aggregate, QuantilesOfManyBlocks) {
  set_default_threads(2);
  constexpr int kBlockCount = 240;
  const int each = std::max(test::random_cases(900), 700);  // fewer are no sample to guess by
  for (const int shape : {0, 1, 2, 3}) {
    std::mt19937 random(static_cast<std::uint32_t>(shape));
    FileBuilder b;
    b.session().thread(0, 1, "main").site(16, Level::kInfo, "n {n} {d}", "id");
    std::vector<std::int64_t> all;
    std::vector<double> reals;
    for (int block = 0; block < kBlockCount; ++block) {
      for (int i = 0; i < each; ++i) {
        std::int32_t n = static_cast<std::int32_t>(random());
        if (shape == 1) n = block * each + i;
        // Half of the blocks, those that the sample does not see, are far from the others.
        if (shape == 2) n = block % 10 == 5 ? 5 : static_cast<std::int32_t>(random() % 1000) + 1'000'000;
        if (shape == 3) n = static_cast<std::int32_t>(random() % 3);
        all.push_back(n);
        reals.push_back(n / 4.0);
        b.log(0, 16, FileBuilder::kStart + all.size(), Args().i32(n).f64(n / 4.0));
      }
      b.flush();
    }
    const TempFile file(b.end().bytes());
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    const auto statement = find_statement(logs, "n {n} {d}");
    ASSERT_TRUE(statement.ok());
    std::sort(all.begin(), all.end());
    std::sort(reals.begin(), reals.end());
    // With little memory no numbers are kept, so that bounds and rounds find the quantiles.
    for (const auto& [name, memory] : {std::pair{"n", 1 << 30}, {"d", 1 << 30}, {"n", 1 << 10}, {"d", 1 << 10}}) {
      Question question;
      question.memory = static_cast<std::size_t>(memory);
      question.subject.logs = &logs;
      question.subject.statement = &*statement;
      question.argument = *find_argument(*statement, name);
      question.operations = *parse_operations({"p0,p1,p50,p99,p99.9,p100,count,min,max"});
      const auto answer = aggregate(question);
      ASSERT_TRUE(answer.ok());
      const auto& cells = answer->rows[0].values;
      const double quantiles[] = {0, 0.01, 0.5, 0.99, 0.999, 1};
      for (std::size_t i = 0; i < 6; ++i) {
        const std::uint64_t rank = rank_of(quantiles[i], all.size());
        if (std::string(name) == "n") {
          EXPECT_TRUE(cells[i].integer == all[rank]) << shape << " " << quantiles[i];
        } else {
          EXPECT_EQ(cells[i].real, reals[rank]) << shape << " " << quantiles[i];
        }
      }
      EXPECT_TRUE(cells[6].integer == kBlockCount * each);
    }
  }
  set_default_threads(0);
}

TEST(Tally, Counts) {
  std::mt19937_64 random(9);
  NumberTally tally;
  std::map<std::uint64_t, std::uint64_t> expected;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t v = random() % 700;
    tally.add(v, 1 + i % 3);
    expected[v] += 1 + i % 3;
  }
  std::map<std::uint64_t, std::uint64_t> got;
  tally.for_each([&](std::uint64_t value, std::uint64_t count) { got[value] = count; });
  EXPECT_EQ(got, expected);
  EXPECT_EQ(tally.size(), expected.size());
}

}  // namespace
}  // namespace steno::query
