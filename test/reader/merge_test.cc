#include "reader/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "../random_cases.h"
#include "../sanitizers.h"
#include "file_builder.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

// A record for the expected order: file, session, ring, number within the ring.
struct Logged {
  std::int64_t key;  // merge key, made non-decreasing within the ring
  std::size_t session;
  std::uint64_t ticks;
  std::uint32_t ring;
  std::uint64_t number;
};

struct Corpus {
  std::vector<std::unique_ptr<TempFile>> files;
  std::vector<Logged> records;
};

// Random files, sessions, rings and blocks. Rings advance at their own pace, so that blocks overlap; with `backwards`
// the ticks of a ring sometimes go back.
Corpus random_corpus(std::mt19937_64& random, bool backwards) {
  Corpus corpus;
  std::size_t session_rank = 0;
  std::uint64_t number = 0;
  const std::size_t files = 1 + random() % 3;
  for (std::size_t f = 0; f < files; ++f) {
    FileBuilder builder(random() % 2 == 0);
    const std::size_t sessions = 1 + random() % 3;
    for (std::size_t s = 0; s < sessions; ++s, ++session_rank) {
      builder.session(100 + session_rank);
      builder.site(16, Level::kInfo, "n {}", "m").site(17, Level::kWarn, "w {} {}", "mS");
      const std::uint32_t rings = 1 + static_cast<std::uint32_t>(random() % 5);
      std::vector<std::uint64_t> ticks(rings), last_key(rings, 0);
      for (std::uint32_t r = 0; r < rings; ++r) {
        builder.thread(r, r + 1, "t" + std::to_string(r));
        ticks[r] = FileBuilder::kStart + random() % 2000;
      }
      const int blocks = 1 + static_cast<int>(random() % 6);
      for (int b = 0; b < blocks; ++b) {
        const int records = 1 + static_cast<int>(random() % 60);
        for (int i = 0; i < records; ++i) {
          const auto r = static_cast<std::uint32_t>(random() % rings);
          ticks[r] += random() % 40;
          if (backwards && random() % 10 == 0) ticks[r] -= random() % 100;
          last_key[r] = std::max(last_key[r], ticks[r]);
          corpus.records.push_back({static_cast<std::int64_t>(last_key[r]), session_rank, last_key[r], r, number});
          if (random() % 2 == 0) {
            builder.log(r, 16, ticks[r], Args().u64(number));
          } else {
            builder.log(r, 17, ticks[r], Args().u64(number).text("x"));
          }
          ++number;
        }
        builder.flush();
      }
      builder.end();
    }
    corpus.files.push_back(std::make_unique<TempFile>(builder.bytes()));
  }
  return corpus;
}

// Rings that take turns, of up to `longest` records; for a while of one or two only. Ticks of different rings are often
// equal.
Corpus corpus_in_turns(std::mt19937_64& random, std::uint32_t rings, std::size_t longest) {
  Corpus corpus;
  FileBuilder builder;
  builder.session(100).site(16, Level::kInfo, "n {}", "m");
  for (std::uint32_t r = 0; r < rings; ++r) builder.thread(r, r + 1, "t" + std::to_string(r));
  std::uint64_t now = FileBuilder::kStart;
  std::uint64_t number = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    const auto ring = static_cast<std::uint32_t>(random() % rings);
    const bool short_turns = turn / 1000 == 1;
    for (std::size_t i = random() % (short_turns ? 2 : longest) + 1; i != 0; --i) {
      now += random() % 2;
      corpus.records.push_back({static_cast<std::int64_t>(now), 0, now, ring, number});
      builder.log(ring, 16, now, Args().u64(number++));
    }
    if (random() % 200 == 0) builder.flush();
  }
  builder.end();
  corpus.files.push_back(std::make_unique<TempFile>(builder.bytes()));
  return corpus;
}

std::vector<std::uint64_t> merged(const Corpus& corpus, ReadOptions options) {
  LogSet logs;
  for (const auto& file : corpus.files) EXPECT_TRUE(logs.add(file->path()).ok());
  Merge merge(logs, options);
  std::vector<std::uint64_t> numbers;
  Slice slice;
  while (merge.next(&slice)) {
    EXPECT_LT(slice.begin, slice.end);
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      if (slice.block->group(i).site->info().level < options.decode.min_level) continue;
      std::vector<text::Value> values(slice.block->group(i).columns);
      slice.block->values(i, values.data());
      numbers.push_back(values[0].bits);
    }
  }
  EXPECT_EQ(merge.blocks_held(), 0u);
  EXPECT_TRUE(merge.failures().empty());
  return numbers;
}

std::vector<std::uint64_t> sorted_numbers(Corpus& corpus) {
  const auto before = [](const Logged& a, const Logged& b) {
    return std::tie(a.key, a.session, a.ticks, a.ring) < std::tie(b.key, b.session, b.ticks, b.ring);
  };
  std::stable_sort(corpus.records.begin(), corpus.records.end(), before);
  std::vector<std::uint64_t> numbers;
  for (const Logged& record : corpus.records) numbers.push_back(record.number);
  return numbers;
}

TEST(Merge, IsTheStableSort) {
  for (int round = 0; round < test::sampled(120); ++round) {
    std::mt19937_64 random(round);
    Corpus corpus = random_corpus(random, round % 3 == 0);
    const std::vector<std::uint64_t> expected = sorted_numbers(corpus);
    for (const std::uint32_t slab : {1u, 10u, 100u, 1u << 16}) {
      ReadOptions options;
      options.slab_records = slab;
      ASSERT_EQ(merged(corpus, options), expected) << "round " << round << ", slabs of " << slab;
    }
  }
}

TEST(Merge, OfTurnsIsTheStableSort) {
  const bool every = test::random_cases(8) == 8;
  for (const std::uint32_t rings : {2u, 3u, 4u, 7u, 40u, 300u}) {
    for (const std::size_t longest : {1u, 3u, 9u, 100u}) {
      if (!every && (longest == 3 || (rings > 2 && rings < 300 && rings != 7))) continue;
      std::mt19937_64 random(rings + longest);
      Corpus corpus = corpus_in_turns(random, rings, longest);
      const std::vector<std::uint64_t> expected = sorted_numbers(corpus);
      for (const std::uint32_t slab : {300u, 2000u, 1u << 16}) {
        if (slab == 2000 && !every) continue;
        ReadOptions options;
        options.slab_records = slab;
        ASSERT_EQ(merged(corpus, options), expected) << rings << " rings, " << longest << ", slabs of " << slab;
      }
    }
  }
}

TEST(Merge, UnsortedHasTheSameRecords) {
  for (int round = 0; round < 20; ++round) {
    std::mt19937_64 random(1000 + round);
    const Corpus corpus = random_corpus(random, false);
    ReadOptions options;
    options.sort = false;
    std::vector<std::uint64_t> numbers = merged(corpus, options);
    std::sort(numbers.begin(), numbers.end());
    ASSERT_EQ(numbers.size(), corpus.records.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
  }
}

TEST(Merge, LevelsLeaveTheRestInOrder) {
  std::mt19937_64 random(7);
  const Corpus corpus = random_corpus(random, false);
  ReadOptions options;
  const std::vector<std::uint64_t> all = merged(corpus, options);
  options.decode.min_level = Level::kWarn;
  const std::vector<std::uint64_t> some = merged(corpus, options);
  EXPECT_LT(some.size(), all.size());
  auto at = all.begin();
  for (const std::uint64_t number : some) {
    at = std::find(at, all.end(), number);
    ASSERT_NE(at, all.end());
  }
}

// A session of three files, as after rotations: each has some of the clock points of those before it, and others of its
// own. Two threads log often, also several times in a tick.
Corpus rotated_corpus(std::mt19937_64& random) {
  Corpus corpus;
  std::vector<format::ClockPoint> points = {{1'000, FileBuilder::kStart, 1.0, 50, 0}};
  std::uint64_t ticks = 1'000;
  std::uint64_t number = 0;
  std::uint64_t logged[2] = {0, 0};
  for (int f = 0; f < 3; ++f) {
    FileBuilder builder(random() % 2 == 0);
    // The first and the last points of those before come again, and once more later.
    std::vector<format::ClockPoint> known = {points.front(), points.back()};
    builder.session(100, 1).site(16, Level::kInfo, "n {}", "m").clock(known);
    for (std::uint32_t r = 0; r < 2; ++r) builder.thread(r, r + 1, "t" + std::to_string(r)).skip(r, logged[r]);
    for (int i = 0; i < 200; ++i) {
      ticks += random() % 3 == 0 ? 0 : random() % 20;
      const auto r = static_cast<std::uint32_t>(random() % 2);
      corpus.records.push_back({0, 0, ticks, r, number});
      builder.log(r, 16, ticks, Args().u64(number++));
      ++logged[r];
      if (random() % 50 == 0) {
        // A line that holds within 50 ns.
        const auto wall = points.back().wall_ns +
                          static_cast<std::int64_t>(points.back().ns_per_tick * double(ticks - points.back().ticks));
        const double rate = 0.9 + static_cast<double>(random() % 20) / 100;
        if (ticks > points.back().ticks)
          points.push_back(
              {ticks, std::max(points.back().wall_ns + 1, wall - std::int64_t(random() % 50)), rate, 50, 0});
        known.push_back(points.back());
        builder.clock(known);
      }
    }
    f == 2 ? builder.end() : builder.flush();
    corpus.files.push_back(std::make_unique<TempFile>(builder.bytes()));
  }
  return corpus;
}

TEST(Merge, ThreadsStayInOrderFromOneFileToTheNext) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Corpus corpus = rotated_corpus(random);
    std::shuffle(corpus.files.begin(), corpus.files.end(), random);
    const std::vector<std::uint64_t> numbers = merged(corpus, {});
    ASSERT_EQ(numbers.size(), corpus.records.size());
    std::uint64_t last[2] = {0, 0};
    std::uint64_t last_ticks = 0;
    for (const std::uint64_t number : numbers) {
      const Logged& record = corpus.records[number];
      EXPECT_GE(number, last[record.ring]) << "of ring " << record.ring;
      EXPECT_GE(record.ticks, last_ticks) << number;
      last[record.ring] = number;
      last_ticks = record.ticks;
    }
  }
}

// A program that begins another file or starts anew goes on in another session, and a slow clock has the same tick
// still: arm64's, a coarse one, a simulation's.
TEST(Merge, SessionsOfOneTickAreInTheOrderInWhichTheyBegan) {
  Corpus corpus;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t f = 0; f < 3; ++f) {
    FileBuilder builder;
    for (std::uint64_t s = 2 * f; s < 2 * f + 2; ++s) {
      builder.session(900 - s, 3, 4242, FileBuilder::kStart + static_cast<std::int64_t>(s));
      builder.site(16, Level::kInfo, "n {}", "m").thread(0, 1, "t");
      for (std::uint64_t i = 0; i < 3; ++i) {
        expected.push_back(3 * s + i);
        builder.log(0, 16, FileBuilder::kStart + 100, Args().u64(expected.back()));
      }
      builder.end();
    }
    corpus.files.push_back(std::make_unique<TempFile>(builder.bytes()));
  }
  std::mt19937_64 random(7);
  for (int order = 0; order < 8; ++order) {
    EXPECT_EQ(merged(corpus, {}), expected) << order;
    std::shuffle(corpus.files.begin(), corpus.files.end(), random);
  }
}

// The file was moved, and recovery wrote the rest to another one.
TEST(Merge, ASessionOfOneTickGoesOnInTheFileThatSaysSo) {
  format::SessionBlock block;
  block.session_id = 900;
  block.start_wall = FileBuilder::kStart;
  block.clock_kind = 3;
  FileBuilder earlier, later;
  earlier.session(block).site(16, Level::kInfo, "n {}", "m").thread(0, 1, "t");
  for (std::uint64_t i = 0; i < 3; ++i) earlier.log(0, 16, FileBuilder::kStart, Args().u64(i));
  block.elsewhere = {{0, 3}};
  later.session(block).site(16, Level::kInfo, "n {}", "m").thread(0, 1, "t").skip(0, 3);
  for (std::uint64_t i = 3; i < 5; ++i) later.log(0, 16, FileBuilder::kStart, Args().u64(i));
  Corpus corpus;
  corpus.files.push_back(std::make_unique<TempFile>(later.end().bytes()));
  corpus.files.push_back(std::make_unique<TempFile>(earlier.flush().bytes()));
  const std::vector<std::uint64_t> expected = {0, 1, 2, 3, 4};
  EXPECT_EQ(merged(corpus, {}), expected);
  std::swap(corpus.files[0], corpus.files[1]);
  EXPECT_EQ(merged(corpus, {}), expected);
}

TEST(Merge, FilesOfASessionHaveThePointsOfAll) {
  const format::ClockPoint first = {1'000, FileBuilder::kStart, 1.0, 50, 0};
  const format::ClockPoint second = {2'000, FileBuilder::kStart + 960, 1.0, 50, 0};
  const format::ClockPoint third = {3'000, FileBuilder::kStart + 1'990, 1.0, 50, 0};
  FileBuilder earlier, later;
  earlier.session(100, 1).site(16, Level::kInfo, "x", "").thread(0, 1, "t").clock({first, second});
  later.session(100, 1).site(16, Level::kInfo, "x", "").thread(0, 1, "t").clock({first}).clock({first, third});
  const TempFile one(earlier.log(0, 16, 1'500).flush().bytes());
  const TempFile other(later.skip(0, 1).log(0, 16, 3'000).end().bytes());
  LogSet logs;
  ASSERT_TRUE(logs.add(one.path()).ok() && logs.add(other.path()).ok());
  for (const auto& file : logs.files()) {
    for (const format::ClockPoint& point : {first, second, third}) {
      EXPECT_EQ(file->sessions()[0]->clock.wall(point.ticks), point.wall_ns);
    }
  }
}

TEST(Merge, HoldsOnlyBlocksThatOverlap) {
  FileBuilder builder;
  builder.session().site(16, Level::kInfo, "n {}", "m").thread(0, 1, "a").thread(1, 2, "b");
  for (std::uint64_t b = 0; b < 100; ++b) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      builder.log(i % 2, 16, FileBuilder::kStart + b * 1000 + i, Args().u64(i));
    }
    builder.flush();
  }
  builder.end();
  const TempFile file(builder.bytes());
  LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  ReadOptions options;
  options.slab_records = 64;
  Merge merge(logs, options);
  Slice slice;
  while (merge.next(&slice)) ASSERT_LE(merge.blocks_held(), 3u);
}

}  // namespace
}  // namespace steno::reader
