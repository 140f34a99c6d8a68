// The end of a log, read alone: as the end of what reading all of it gives.
#include "reader/last_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "file_builder.h"
#include "reader/slab_planner.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

using Numbers = std::vector<std::uint64_t>;

struct OverlappingLogs {
  std::vector<std::unique_ptr<TempFile>> files;
  LogSet logs;
};

// Files whose times overlap, with sessions and rings that do; ticks of a ring sometimes go far back, so that blocks
// hold records that count as later than all their ticks.
std::unique_ptr<OverlappingLogs> random_logs(std::mt19937_64& random) {
  auto corpus = std::make_unique<OverlappingLogs>();
  std::uint64_t number = 0;
  for (std::size_t f = 1 + random() % 3; f != 0; --f) {
    FileBuilder builder(random() % 2 == 0);
    for (std::size_t s = 1 + random() % 2; s != 0; --s) {
      builder.session(10 * f + s).site(16, Level::kInfo, "n {}", "m").site(17, Level::kWarn, "w {} {}", "mS");
      const auto rings = 1 + static_cast<std::uint32_t>(random() % 4);
      std::vector<std::uint64_t> ticks(rings);
      for (std::uint32_t r = 0; r < rings; ++r) {
        builder.thread(r, r + 1, "t" + std::to_string(r));
        ticks[r] = FileBuilder::kStart + random() % 3000;
      }
      for (std::size_t block = 1 + random() % 12; block != 0; --block) {
        for (std::size_t i = 1 + random() % 50; i != 0; --i) {
          const auto r = static_cast<std::uint32_t>(random() % rings);
          ticks[r] += random() % 30;
          if (random() % 100 == 0) ticks[r] -= random() % 2000;
          if (random() % 2 == 0) {
            builder.log(r, 16, ticks[r], Args().u64(number++));
          } else {
            builder.log(r, 17, ticks[r], Args().u64(number++).text("x"));
          }
        }
        builder.flush();
      }
      builder.end();
    }
    corpus->files.push_back(std::make_unique<TempFile>(builder.bytes()));
    EXPECT_TRUE(corpus->logs.add(corpus->files.back()->path()).ok());
  }
  return corpus;
}

Numbers read(SlabPlanner& planner, const ReadOptions& options) {
  Numbers numbers;
  Slab slab;
  SlabOrder order;
  std::vector<Slice> slices;
  while (planner.next(&slab)) {
    order.run(slab, options, &slices);
    for (const Slice& slice : slices) {
      for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
        std::vector<text::Value> values(slice.block->group(i).columns);
        slice.block->values(i, values.data());
        numbers.push_back(values[0].bits);
      }
    }
  }
  return numbers;
}

std::size_t blocks_in(const LastRecords& last) {
  std::size_t blocks = 0;
  for (const auto& file : last.blocks) blocks += static_cast<std::size_t>(std::count(file.begin(), file.end(), 1));
  return blocks;
}

TEST(LastRecords, AreTheEndOfAll) {
  std::mt19937_64 random(1);
  std::size_t partial = 0;
  for (int round = 0; round < 60; ++round) {
    const auto corpus = random_logs(random);
    for (const bool sort : {true, false}) {
      for (const Level level : {Level::kTrace, Level::kWarn}) {
        ReadOptions options;
        options.sort = sort;
        options.decode.min_level = level;
        options.slab_records = 1 + static_cast<std::uint32_t>(random() % 100);
        BlockPool pool(options);
        SlabPlanner all(corpus->logs, pool);
        const Numbers expected = read(all, pool.options());
        for (const std::uint64_t n :
             {std::uint64_t{1}, std::uint64_t{10}, 1 + random() % 300, std::uint64_t{1} << 40}) {
          const LastRecords last = find_last_records(corpus->logs, sort, n);
          SlabPlanner planner(corpus->logs, pool, last);
          const Numbers got = read(planner, pool.options());
          if (last.all) {
            EXPECT_EQ(got, expected);
            continue;
          }
          ++partial;
          EXPECT_GE(got.size(), level == Level::kTrace ? n : 0);
          ASSERT_LE(got.size(), expected.size());
          EXPECT_EQ(got, Numbers(expected.end() - static_cast<std::ptrdiff_t>(got.size()), expected.end()))
              << round << " " << sort << " " << n;
        }
        EXPECT_EQ(pool.blocks_held(), 0u);
      }
    }
  }
  EXPECT_GT(partial, 300u);
}

TEST(LastRecords, TouchFewBlocks) {
  FileBuilder builder;
  builder.session().site(16, Level::kInfo, "n {}", "m").thread(0, 1, "a").thread(1, 2, "b");
  for (std::uint64_t i = 0; i < 4000; ++i) {
    builder.log(i % 2 == 0 ? 0 : 1, 16, FileBuilder::kStart + i, Args().u64(i));
    if (i % 40 == 39) builder.flush();
  }
  const TempFile file(builder.end().bytes());
  LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  ASSERT_EQ(logs.files()[0]->blocks().size(), 100u);
  for (const bool sort : {true, false}) {
    EXPECT_LE(blocks_in(find_last_records(logs, sort, 10)), 2u);
    EXPECT_LE(blocks_in(find_last_records(logs, sort, 100)), 4u);
    EXPECT_EQ(blocks_in(find_last_records(logs, sort, 4001)), 100u);
    EXPECT_TRUE(find_last_records(logs, sort, 4001).all);
    EXPECT_FALSE(find_last_records(logs, sort, 10).all);
  }
}

}  // namespace
}  // namespace steno::reader
