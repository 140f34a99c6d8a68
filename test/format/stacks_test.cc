// Stacks (file.md §6): columns that groups of few records share.
#include <gtest/gtest.h>

#include <map>

#include "block_log.h"

namespace steno::format {
namespace {

TEST(Stacks, GroupsOfFewRecordsShareColumns) {
  for (const std::uint32_t sites : {3u, 40u, 2000u}) {
    Log log;
    fill_with_many_sites(log, sites, sites);
    const ByteBuffer block = log.write({.rows_below = 0});
    const Opened opened(block, log.builder);
    ASSERT_TRUE(opened.status.ok()) << opened.status.message();
    expect_same(log, opened.data);
    // Each byte of a shared column is one group's.
    const ByteBuffer alone = log.write({.rows_below = 0, .stack_groups = false});
    expect_same(log, Opened(alone, log.builder).data);
    std::size_t of_columns = opened.data.order_info().bytes + opened.data.clock_info().bytes;
    for (std::size_t g = 0; g < opened.data.groups().size(); ++g) {
      for (std::size_t k = 0; k < opened.data.groups()[g].columns; ++k)
        of_columns += opened.data.column_info(g, k).bytes;
    }
    const auto directory = load<std::uint32_t>(opened.payload.data() + 28);
    EXPECT_EQ(of_columns + 32 + directory, opened.payload.size());
    if (sites != 2000) continue;
    EXPECT_LT(directory, block.size() / 8);
    EXPECT_LT(block.size(), alone.size());
  }
}

// The first argument of each second site is secret.
class SecretLayouts final : public LayoutSource {
 public:
  explicit SecretLayouts(const RecordBuilder& from) : from_(from) {}
  const wire::Layout* layout_of(std::uint32_t site) const override { return from_.layout_of(site); }
  bool redacts_any() const override { return true; }
  bool redacts(std::uint32_t site, std::size_t argument) const override {
    ++asked;
    return site % 2 == 0 && argument == 0;
  }

  mutable std::size_t asked = 0;

 private:
  const RecordBuilder& from_;
};

// Groups that share columns take a few bits each: what is done for each when a block is opened is bounded by the sites.
TEST(Stacks, SecretsAreAskedForOnceASite) {
  Log log;
  fill_with_many_sites(log, 500, 1, 40);
  const ByteBuffer block = log.write({.rows_below = 0});
  const SecretLayouts layouts(log.builder);
  const Opened opened(block, layouts);
  ASSERT_TRUE(opened.status.ok()) << opened.status.message();
  std::map<std::uint32_t, std::size_t> fields;
  for (const auto& group : opened.data.groups()) fields[group.site] = group.columns;
  std::size_t all = 0;
  for (const auto& [site, count] : fields) all += count;
  EXPECT_GT(opened.data.groups().size(), fields.size() * 3 / 2) << "loggers make more groups than there are sites";
  EXPECT_EQ(layouts.asked, all);
  for (std::size_t g = 0; g < opened.data.groups().size(); ++g) {
    const auto& group = opened.data.groups()[g];
    if (group.columns == 0) continue;
    ColumnValues values;
    const bool secret = group.site % 2 == 0;
    const ArgType type = secret ? ArgType::kString : log.builder.layout_of(group.site)->fields[0].type;
    ASSERT_TRUE(opened.data.decode_column(g, 0, type, &values).ok());
    ASSERT_EQ(values.strings.size(), secret ? group.records : 0) << group.site;
    for (const std::string_view text : values.strings) ASSERT_EQ(text, kRedacted);
  }
}

// The block is smaller than without stacks for any number of records for each statement.
TEST(Stacks, NeverCostMore) {
  for (const std::uint64_t of_each : {1u, 2u, 5u, 12u, 24u, 31u}) {
    Log log;
    fill_with_many_sites(log, 1000, 1, of_each);
    EXPECT_LT(log.write({.rows_below = 0}).size(), log.write({.rows_below = 0, .stack_groups = false}).size())
        << of_each;
  }
}

TEST(Stacks, SitesOfDifferentTypesAreDamage) {
  Log log;
  fill_with_many_sites(log, 40, 1);
  const ByteBuffer block = log.write({.rows_below = 0});
  const Opened opened(block, log.builder);
  ASSERT_TRUE(opened.status.ok());
  const auto groups = opened.data.groups();
  std::size_t of_texts = 0;
  while (log.builder.layout_of(groups[of_texts].site)->fields.size() != 2) ++of_texts;
  ColumnValues values;
  ASSERT_TRUE(opened.data.decode_column(of_texts, 1, ArgType::kString, &values).ok());
  EXPECT_EQ(opened.data.decode_column(of_texts, 1, ArgType::kU64, &values).code(), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace steno::format
