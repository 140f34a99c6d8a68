// Columns that follow from others of their group (file.md §9.2.2).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../random_cases.h"
#include "block_log.h"
#include "format/ints/related.h"

namespace steno::format {
namespace {

constexpr std::uint32_t kSite = 16;
using Rng = std::mt19937_64;
using Row = std::vector<std::uint64_t>;

Log log_of(const std::string& types, std::size_t records, const std::function<Row(std::size_t)>& row) {
  Log log;
  log.builder.declare(kSite, types);
  for (std::size_t i = 0; i < records; ++i) {
    std::vector<Arg> args;
    for (const std::uint64_t bits : row(i)) {
      Arg& arg = args.emplace_back();
      arg.bits = bits;
    }
    log.add(kSite, 1000 * i, args);
  }
  return log;
}

// Returns how many columns of the first group follow from another. Checks that all are as they were written, and so are
// their zones.
std::size_t count_related(const Log& log, const ByteBuffer& block) {
  const Opened opened(block, log.builder);
  EXPECT_TRUE(opened.status.ok()) << opened.status.message();
  expect_same(log, opened.data);
  std::size_t related = 0;
  for (std::size_t k = 0; k < opened.data.groups()[0].columns; ++k) {
    if (std::string(opened.data.column_info(0, k).codec) != "related") continue;
    ++related;
    EXPECT_TRUE(opened.data.column_bytes(0, k).empty());
    const ArgType type = log.builder.layout_of(kSite)->fields[k].type;
    ColumnValues values;
    EXPECT_TRUE(opened.data.decode_column(0, k, type, &values).ok());
    std::uint64_t least = 0;
    std::uint64_t greatest = 0;
    EXPECT_TRUE(opened.data.column_zone(0, k, type, &least, &greatest));
    const auto flip = order_flip<std::uint64_t>(IntType::of(type));
    const auto before = [flip](std::uint64_t a, std::uint64_t b) { return (a ^ flip) < (b ^ flip); };
    const auto [first, last] = std::minmax_element(values.ints.begin(), values.ints.end(), before);
    EXPECT_EQ(*first, least);
    EXPECT_EQ(*last, greatest);
  }
  return related;
}

TEST(RelatedColumns, AreFoundForEachRelationAndType) {
  for (const std::string types : {"mm", "ll", "ii", "jj", "mj", "jm", "il", "lj", "pm", "im"}) {
    for (int relation = 0; relation < 3; ++relation) {
      for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{1'000'000}, ~std::uint64_t{0} - 5'000,
                                        std::uint64_t{0x7FFF'FF00}, std::uint64_t{0x7FFF'FFFF'FFFF'FF00}}) {
        Rng rng(begin + static_cast<std::uint64_t>(relation));
        std::uint64_t value = begin;
        Log log = log_of(types, 2000, [&](std::size_t) {
          const std::uint64_t other = rng() % 5'000;
          if (relation == 0) return Row{begin + other + 17, other};
          if (relation == 1) return Row{value += other, other};
          const Row row{value, other};
          value += other + 5;
          return row;
        });
        const ByteBuffer block = log.write({.rows_below = 0});
        // Totals that leave the range of their type are no worse than they were.
        EXPECT_EQ(count_related(log, block), 1u) << types << relation << " from " << begin;
      }
    }
  }
}

// Rests that are not always the same, and values that do not follow at all now and then.
TEST(RelatedColumns, MayHaveRests) {
  Rng rng(1);
  std::uint64_t place = 0;
  Log log = log_of("mmS", 5000, [&](std::size_t) {
    const std::uint64_t size = rng() % 60'000;
    if (rng() % 200 == 0) place = rng();
    const Row row{place, size, 0};
    place += size + 8 * (rng() % 4);
    return row;
  });
  EXPECT_EQ(count_related(log, log.write({.rows_below = 0})), 1u);
}

TEST(RelatedColumns, AreNoneWhereNothingFollows) {
  Rng rng(2);
  Log log = log_of("mlij", 3000, [&](std::size_t i) {
    return Row{rng() % 100'000, rng() % 1'000, rng() % 3'000, 7 * static_cast<std::uint64_t>(i)};
  });
  EXPECT_EQ(count_related(log, log.write({.rows_below = 0})), 0u);
  Log few = log_of("mm", 255, [&](std::size_t) {
    const std::uint64_t one = rng() % 100'000;
    return Row{one, one + 1};
  });
  EXPECT_EQ(count_related(few, few.write({.rows_below = 0})), 0u);
}

// Each of them is read with one other, which is read by itself.
TEST(RelatedColumns, MakeNoChains) {
  Rng rng(3);
  Log log = log_of("mmmmmmmmmmmmmm", 1000, [&](std::size_t) {
    Row row{rng() % 100'000};
    while (row.size() < 14) row.push_back(row.back() + 3);
    return row;
  });
  EXPECT_GT(count_related(log, log.write({.rows_below = 0})), 6u);
}

TEST(RelatedColumns, EndWithTheirRelation) {
  Rng rng(4);
  DataWriter writer({.rows_below = 0});
  bool follows = true;
  std::size_t related = 0;
  std::size_t unrelated = 0;
  for (int block = 0; block < 120; ++block) {
    if (block % 40 == 39) follows = !follows;
    Log log = log_of("jj", 1500, [&](std::size_t) {
      const auto one = static_cast<std::uint32_t>(rng() % 100'000);
      return Row{one, follows ? one + 5 : static_cast<std::uint32_t>(rng() % 1'000)};
    });
    ByteBuffer out;
    writer.write(log.builder.input(), 7, out);
    const std::size_t found = count_related(log, out);
    ASSERT_LE(found, follows ? 1u : 0u) << block;
    (follows ? related : unrelated) += found;
  }
  EXPECT_GT(related, 30u);
  EXPECT_EQ(unrelated, 0u);
}

TEST(RelatedColumns, AreLeftOutInAHurry) {
  Rng rng(5);
  Log log = log_of("mm", 1500, [&](std::size_t) {
    const std::uint64_t one = rng() % 100'000;
    return Row{one, one + 5};
  });
  DataWriter writer({.rows_below = 0});
  for (const Effort effort : {Effort::kFull, Effort::kQuick, Effort::kFull}) {
    ByteBuffer out;
    writer.write(log.builder.input(), 7, out, effort);
    EXPECT_EQ(count_related(log, out), effort == Effort::kFull ? 1u : 0u);
  }
}

// Two columns of 300 values, of which the first follows from the second.
struct Pair {
  Pair() {
    for (std::uint64_t i = 0; i < 300; ++i) {
      others.push_back(i * i % 1000);
      values.push_back(others.back() + 40);
    }
    std::vector<std::uint64_t> rests(values.size());
    std::uint64_t start = 0;
    find_rests(Relation::kOther, values.data(), others.data(), values.size(), rests.data(), &start);
    append_related(Relation::kOther, 1, kTypeU64, rests, start, kTypeU64, {40, 1039}, scratch, first);
    encode_ints(IntSource::array(others.data(), others.size(), kTypeU64), IntHint::kAny, scratch, second);
  }
  IntsResult read(const std::vector<std::uint8_t>& column, std::vector<std::uint64_t>* out) const {
    const std::vector<std::uint8_t> other(second.data(), second.data() + second.size());
    const std::span<const std::uint8_t> columns[] = {column, other};
    out->resize(values.size());
    return read_related(columns, 0, kTypeU64, values.size(), out->data());
  }
  std::vector<std::uint8_t> column() const { return {first.data(), first.data() + first.size()}; }

  std::vector<std::uint64_t> values, others;
  IntScratch scratch;
  ByteBuffer first, second;
};

TEST(RelatedColumns, OfWhichTheHeadIsWrongAreDamaged) {
  const Pair pair;
  std::vector<std::uint64_t> out;
  ASSERT_EQ(pair.read(pair.column(), &out), IntsResult::kRead);
  ASSERT_EQ(out, pair.values);
  constexpr std::size_t kHead = 1 + 16;  // codec and zone
  const auto with = [&](std::size_t at, std::uint8_t byte) {
    std::vector<std::uint8_t> column = pair.column();
    column[at] = byte;
    return pair.read(column, &out);
  };
  EXPECT_EQ(with(kHead, 3), IntsResult::kDamaged) << "no such relation";
  EXPECT_EQ(with(kHead + 1, 0), IntsResult::kDamaged) << "from itself";
  EXPECT_EQ(with(kHead + 1, 2), IntsResult::kDamaged) << "no such column";
  for (const std::uint8_t type : {0, 3, 16, 32, 40, 255}) EXPECT_EQ(with(kHead + 2, type), IntsResult::kDamaged);
  EXPECT_EQ(with(1, 41), IntsResult::kOutside);
  std::vector<std::uint8_t> cut = pair.column();
  while (!cut.empty()) {
    cut.pop_back();
    ASSERT_NE(pair.read(cut, &out), IntsResult::kRead) << cut.size();
  }
  std::vector<std::uint8_t> longer = pair.column();
  longer.push_back(0);
  EXPECT_EQ(pair.read(longer, &out), IntsResult::kDamaged);
  // This column would follow from one that follows from another itself.
  const std::vector<std::uint8_t> own = pair.column();
  std::vector<std::uint8_t> other = own;
  other[kHead + 1] = 0;
  const std::span<const std::uint8_t> columns[] = {own, other};
  EXPECT_EQ(read_related(columns, 0, kTypeU64, pair.values.size(), out.data()), IntsResult::kDamaged);
}

TEST(RelatedColumns, SurviveDamage) {
  const Pair pair;
  Rng rng(6);
  std::vector<std::uint64_t> out;
  for (int i = 0; i < test::random_cases(20'000); ++i) {
    std::vector<std::uint8_t> column = pair.column();
    for (std::size_t k = 1 + rng() % 3; k > 0; --k) column[rng() % column.size()] = static_cast<std::uint8_t>(rng());
    if (pair.read(column, &out) != IntsResult::kRead) continue;
    Zone zone;
    ASSERT_TRUE(read_zone(ByteReader(column.data(), column.size()), kTypeU64, out.size(), &zone));
    for (const std::uint64_t value : out) ASSERT_TRUE(zone.least <= value && value <= zone.greatest);
  }
}

// file.md §9.7.
TEST(RelatedColumns, AreAsInTheExample) {
  const std::vector<std::uint64_t> ones(300, 1);
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 1; i <= 300; ++i) places.push_back(i);
  std::vector<std::uint64_t> rests(300);
  std::uint64_t start = 0;
  find_rests(Relation::kSumWithPrevious, places.data(), ones.data(), 300, rests.data(), &start);
  IntScratch scratch;
  ByteBuffer out;
  append_related(Relation::kSumWithPrevious, 0, kTypeU64, rests, start, kTypeU64, {1, 300}, scratch, out);
  const std::uint8_t expected[] = {7, 1, 0, 0, 0, 0, 0, 0, 0, 0x2c, 1, 0, 0, 0, 0, 0, 0, 2, 0, 8, 2, 1, 0};
  ASSERT_EQ(out.size(), std::size(expected));
  EXPECT_EQ(std::memcmp(out.data(), expected, out.size()), 0);
}

// No group has others here: they need more than is there.
TEST(RelatedColumns, AreDamagedWithinStacksAndOtherColumns) {
  const Pair pair;
  std::vector<std::uint64_t> out(pair.values.size());
  ByteReader in(pair.first.data(), pair.first.size());
  EXPECT_EQ(read_ints(in, kTypeU64, out.size(), 0, out.data()), IntsResult::kDamaged);
}

}  // namespace
}  // namespace steno::format
