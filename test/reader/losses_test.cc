#include "reader/losses.h"

#include <gtest/gtest.h>

#include "file_builder.h"
#include "reader/log_set.h"
#include "reader/loss_text.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

constexpr std::uint64_t kLogged = FileBuilder::kStart;

struct Checked {
  std::unique_ptr<LogSet> logs;
  LossReport report;
  std::vector<std::string> texts;
};

Checked check(const std::string& bytes, LossOptions options = {}) {
  const TempFile file(bytes);
  Checked result;
  result.logs = std::make_unique<LogSet>();
  EXPECT_TRUE(result.logs->add(file.path()).ok());
  result.report = find_losses(*result.logs->files()[0], options);
  const LossReport again = find_losses(*result.logs->files()[0], options);  // which blocks report some is known by now
  EXPECT_EQ(again.lost, result.report.lost);
  EXPECT_EQ(again.overwritten, result.report.overwritten);
  EXPECT_EQ(again.losses.size(), result.report.losses.size());
  for (const Loss& loss : result.report.losses) result.texts.push_back(describe(*result.logs->files()[0], loss));
  return result;
}

void start(FileBuilder& builder) {
  builder.session().site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker").thread(1, 2, "other");
}

TEST(Losses, CompleteWithRenamesAndThreadsThatFollowOneAnother) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1)).log(1, 16, kLogged + 1, Args().i32(2)).flush();
  builder.thread(0, 1, "renamed").thread(0, 1, "again").log(0, 16, kLogged + 2, Args().i32(3)).flush();
  builder.thread(0, 3, "silent").thread(0, 4, "next").log(0, 16, kLogged + 3, Args().i32(4)).flush();
  builder.thread(0, 4, "renamed and gone").end();
  const Checked result = check(builder.bytes(), {.drops = true, .content = true});
  EXPECT_TRUE(result.report.complete()) << testing::PrintToString(result.texts);
  EXPECT_EQ(result.report.records, 4u);
  EXPECT_EQ(result.report.threads, 3u);
  EXPECT_EQ(result.report.sessions, 1u);
  EXPECT_EQ(result.report.lost, 0u);
}

TEST(Losses, GapInARing) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1)).flush();
  builder.skip(0, 5).log(0, 16, kLogged + 9, Args().i32(2)).end();
  const Checked result = check(builder.bytes());
  ASSERT_EQ(result.report.losses.size(), 1u) << testing::PrintToString(result.texts);
  EXPECT_EQ(result.report.lost, 5u);
  const Loss& loss = result.report.losses[0];
  EXPECT_EQ(loss.cause, LossCause::kMissing);
  EXPECT_EQ(loss.thread, "worker");
  EXPECT_EQ(loss.first_seq, 1u);
  EXPECT_EQ(loss.from_wall, static_cast<std::int64_t>(kLogged));
  EXPECT_EQ(loss.to_wall, static_cast<std::int64_t>(kLogged) + 9);
}

TEST(Losses, GapAtTheEndAndAWholeRing) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1)).flush();
  builder.skip(0, 3).skip(7, 2).end();
  const Checked result = check(builder.bytes());
  EXPECT_EQ(result.report.lost, 5u) << testing::PrintToString(result.texts);
  EXPECT_EQ(result.report.losses.size(), 2u);
}

format::SessionBlock session_from(std::vector<format::RingStart> starts) {
  format::SessionBlock block;
  block.session_id = FileBuilder::kId;
  block.start_wall = FileBuilder::kStart;
  block.clock_kind = 3;
  block.elsewhere = std::move(starts);
  return block;
}

TEST(Losses, WhatTheSessionBlockSaysToBeInAnotherFileIsNone) {
  struct Case {
    std::uint64_t starts, skipped, other_ring, lost, in_other_file;
  };
  for (const Case& c : {Case{5, 5, 0, 0, 5}, {5, 7, 0, 2, 5}, {5, 3, 0, 0, 3}, {5, 0, 0, 0, 0}, {5, 5, 2, 2, 5}}) {
    FileBuilder builder;
    builder.session(session_from({{0, c.starts}})).site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker");
    if (c.skipped != 0) builder.skip(0, c.skipped);
    if (c.other_ring != 0) builder.skip(7, c.other_ring);
    builder.log(0, 16, kLogged, Args().i32(1)).end();
    const Checked result = check(builder.bytes());
    EXPECT_EQ(result.report.lost, c.lost) << testing::PrintToString(result.texts);
    EXPECT_EQ(result.report.complete(), c.lost == 0);
    EXPECT_EQ(result.report.in_other_file, c.in_other_file);
  }
}

// A recovery that is repeated, because it was interrupted, finds more released than the first did: into this file.
TEST(Losses, WhatTheFirstConsumerOfTheFileWroteHereIsNotInAnother) {
  for (const bool damage : {false, true}) {
    FileBuilder builder;
    builder.session(session_from({{0, 2}})).site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker");
    builder.skip(0, 2);
    builder.flush();
    const std::size_t at = builder.size();
    builder.log(0, 16, kLogged, Args().i32(2)).log(0, 16, kLogged + 1, Args().i32(3)).flush();
    builder.session(session_from({{0, 4}})).site(16, Level::kInfo, "n {}", "i").thread(0, 1, "worker");
    builder.skip(0, 4).log(0, 16, kLogged + 2, Args().i32(4)).end();
    std::string bytes = builder.bytes();
    if (damage) bytes[at + 20] ^= 1;
    const Checked result = check(bytes);
    EXPECT_EQ(result.report.lost, damage ? 2u : 0u) << testing::PrintToString(result.texts);
    EXPECT_EQ(result.report.in_other_file, 2u);
  }
}

TEST(Losses, DamagedBlockIsNamedAndCounted) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1)).flush();
  const std::size_t at = builder.size();
  builder.log(0, 16, kLogged + 1, Args().i32(2)).log(0, 16, kLogged + 2, Args().i32(3)).flush();
  const std::size_t behind = builder.size();
  builder.log(0, 16, kLogged + 3, Args().i32(4)).end();
  std::string bytes = builder.bytes();
  bytes[at + 20] ^= 1;
  const Checked result = check(bytes);
  ASSERT_EQ(result.report.losses.size(), 2u);
  EXPECT_EQ(result.report.losses[0].cause, LossCause::kDamage);
  EXPECT_EQ(result.report.losses[0].offset, at);
  EXPECT_EQ(result.report.losses[0].size, behind - at);
  EXPECT_EQ(result.report.losses[1].records, 2u);
  EXPECT_EQ(result.report.lost, 2u);
}

TEST(Losses, DropsAndDiscards) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1));
  builder.log(0, wire::kSiteDropped, kLogged + 1, Args().u64(12).u64(kLogged));
  builder.log(0, wire::kSiteDiscarded, kLogged + 2, Args().u64(3).text("too early")).end(12);
  const Checked result = check(builder.bytes());
  ASSERT_EQ(result.report.losses.size(), 2u) << testing::PrintToString(result.texts);
  EXPECT_EQ(result.report.losses[0].cause, LossCause::kDropped);
  EXPECT_EQ(result.report.losses[0].records, 12u);
  EXPECT_EQ(result.report.losses[1].cause, LossCause::kDiscarded);
  EXPECT_EQ(result.texts[1], "3 records of session 1 (pid 4242) discarded: too early");
  EXPECT_EQ(result.report.lost, 15u);
}

TEST(Losses, DiscardsByReason) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1));
  builder.log(0, wire::kSiteDiscarded, kLogged + 1, Args().u64(3).text("too early")).flush();
  builder.log(0, wire::kSiteDiscarded, kLogged + 2, Args().u64(4).text("too late"));
  builder.log(0, wire::kSiteDiscarded, kLogged + 3, Args().u64(5).text("too early"));
  builder.log(0, wire::kSiteDiscarded, kLogged + 4, Args().u64(0).text("unreadable")).end();
  const Checked result = check(builder.bytes());
  EXPECT_EQ(result.texts,
            (std::vector<std::string>{
                "records of session 1 (pid 4242) discarded: they could not be logged, or not be read; the log says why",
                "8 records of session 1 (pid 4242) discarded: too early",
                "4 records of session 1 (pid 4242) discarded: too late"}));
  EXPECT_EQ(result.report.lost, 12u);
  EXPECT_FALSE(result.report.exact);
}

TEST(Losses, ADeathIsCountedAndNoLoss) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1)).end(0, true);
  const Checked result = check(builder.bytes());
  EXPECT_TRUE(result.report.complete()) << testing::PrintToString(result.texts);
  EXPECT_EQ(result.report.died, 1u);
}

TEST(Losses, NoEnd) {
  FileBuilder builder;
  start(builder);
  builder.log(0, 16, kLogged, Args().i32(1)).flush();
  const Checked result = check(builder.bytes());
  ASSERT_EQ(result.report.losses.size(), 1u);
  EXPECT_EQ(result.report.losses[0].cause, LossCause::kNoEnd);
  EXPECT_NE(result.texts[0].find("session 1 (pid 4242) has no end"), std::string::npos);
}

TEST(LossText, NumbersAndTimes) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(12345678), "12,345,678");
  EXPECT_EQ(iso_time(FileBuilder::kStart + 123456789), "2027-01-15T08:00:00.123456789Z");
  EXPECT_EQ(iso_time(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(iso_time(INT64_MAX), "2262-04-11T23:47:16.854775807Z");
  EXPECT_EQ(iso_time(INT64_MIN), "1677-09-21T00:12:43.145224192Z");
}

}  // namespace
}  // namespace steno::reader
