// The crash tests see what they look for: a ledger that misses nothing, and a checker whose log it finds right.
#include "ledger.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../sanitizers.h"
#include "arena.h"

namespace steno::crash {
namespace {

constexpr std::uint64_t kCalls = 1100;  // every shape is among them
constexpr std::size_t kStep = test::kAddressSanitizer ? 31 : 1;

struct Message {
  std::string thread = thread_name(7, 2);
  Expected expected;
};

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    for (std::uint64_t number = 0; number < kCalls; ++number)
      messages_.push_back({.expected = expected_message(2, number)});
    counts_.threads[2].done = kCalls;
  }

  // The problems of the log as it is now; empty: none.
  std::string judge(bool orderly = false) const {
    Ledger ledger;
    for (const Message& m : messages_) ledger.add({m.thread, m.expected.logger, m.expected.level, m.expected.message});
    ledger.check(7, counts_, orderly);
    return ledger.problems();
  }
  void insert(std::size_t at, const std::string& message) {
    messages_.insert(messages_.begin() + static_cast<std::ptrdiff_t>(at), {.expected = {message, "", Level::kWarn}});
  }
  void erase(std::size_t at, std::size_t count = 1) {
    const auto first = messages_.begin() + static_cast<std::ptrdiff_t>(at);
    messages_.erase(first, first + static_cast<std::ptrdiff_t>(count));
  }

  std::vector<Message> messages_;
  Counts counts_;
};

TEST_F(LedgerTest, AllThere) {
  EXPECT_EQ(judge(), "");
}

TEST_F(LedgerTest, OneMayBeThereWhoseCallHadNotReturned) {
  counts_.threads[2].done = kCalls - 1;
  EXPECT_EQ(judge(), "");
  EXPECT_NE(judge(true), "");
  counts_.threads[2].done = kCalls - 2;
  EXPECT_NE(judge(), "");
}

TEST_F(LedgerTest, AnyRecordThatIsMissing) {
  for (std::size_t i = 0; i < kCalls; i += kStep) {
    const std::vector<Message> all = messages_;
    erase(i);
    EXPECT_NE(judge(), "") << i;
    messages_ = all;
  }
}

TEST_F(LedgerTest, AnyRecordThatComesTwice) {
  for (std::size_t i = 0; i < kCalls; i += kStep) {
    const std::vector<Message> all = messages_;
    messages_.insert(messages_.begin() + static_cast<std::ptrdiff_t>(i), all[i]);
    EXPECT_NE(judge(), "") << i;
    messages_ = all;
  }
}

TEST_F(LedgerTest, AnyTwoThatAreExchanged) {
  for (std::size_t i = 0; i + 1 < kCalls; i += kStep) {
    std::swap(messages_[i], messages_[i + 1]);
    EXPECT_NE(judge(), "") << i;
    std::swap(messages_[i], messages_[i + 1]);
  }
}

TEST_F(LedgerTest, AnyByteThatIsAnother) {
  for (std::size_t i = 0; i < kCalls; i += kStep) {
    std::string& message = messages_[i].expected.message;
    if (message.empty()) continue;
    char& byte = message[mix(1, i) % message.size()];
    const char was = byte;
    byte = byte == '7' ? '8' : '7';
    EXPECT_NE(judge(), "") << i << ": " << message;
    byte = was;
  }
}

TEST_F(LedgerTest, AnotherLevelLoggerOrThread) {
  const std::vector<Message> all = messages_;
  messages_[20].expected.level = Level::kCritical;
  EXPECT_NE(judge(), "");
  messages_ = all;
  messages_[20].expected.logger = "other";
  EXPECT_NE(judge(), "");
  messages_ = all;
  messages_[20].thread = thread_name(7, 3);
  EXPECT_NE(judge(), "");
  messages_[20].thread = "somebody";
  EXPECT_NE(judge(), "");
}

TEST_F(LedgerTest, DropsThatAreReported) {
  erase(30, 25);
  EXPECT_NE(judge(), "");
  insert(30, "25 records dropped here: the ring was full since tick 1");
  EXPECT_EQ(judge(), "");
  messages_[30].expected.message = "24 records dropped here: the ring was full since tick 1";
  EXPECT_NE(judge(), "");
  messages_[30].expected.message = "27 records dropped here: the ring was full since tick 1";
  EXPECT_NE(judge(), "");
}

TEST_F(LedgerTest, ACallThatWasRefusedAndHadNotReturned) {
  insert(kCalls, "1 records dropped here: the ring was full since tick 1");
  EXPECT_EQ(judge(), "");
  EXPECT_NE(judge(true), "");
  messages_.back().expected.message = "2 records dropped here: the ring was full since tick 1";
  EXPECT_NE(judge(), "");
}

// Told somewhere after the gap, as the scribe does at the end of a session.
TEST_F(LedgerTest, DropsThatAreReportedLate) {
  erase(30, 25);
  insert(200, "25 records dropped here: the ring was full since tick 1");
  EXPECT_EQ(judge(), "");
}

TEST_F(LedgerTest, Discards) {
  erase(30, 25);
  insert(kCalls - 25, "25 records discarded: some reason");
  EXPECT_EQ(judge(), "");
  messages_.back().expected.message = "24 records discarded: some reason";
  EXPECT_NE(judge(), "");
}

TEST_F(LedgerTest, CutStrings) {
  Expected& huge = messages_[996].expected;
  ASSERT_TRUE(huge.may_be_cut);
  const std::size_t size = huge.message.size();
  const auto cut = [&](std::size_t kept, std::size_t more) {
    return expected_message(2, 996).message.substr(0, kept) + "\u2026[+" + std::to_string(more) + " bytes]";
  };
  huge.message = cut(1500, size - 1500);
  EXPECT_EQ(judge(), "");
  huge.message = cut(1500, size - 1501);
  EXPECT_NE(judge(), "");
}

// Between the moment in which the scribe makes a file and its first write the session before is not over.
TEST(Checker, APieceIsCompleteOnlyWhenTheNextOneHasBegun) {
  Arena arena;
  EXPECT_FALSE(has_begun(arena.log()));
  ASSERT_TRUE(std::ofstream(arena.log()).good());
  EXPECT_FALSE(has_begun(arena.log()));
  std::ofstream(arena.log()) << "a block";
  EXPECT_TRUE(has_begun(arena.log()));
}

TEST(Checker, WhatItLogsIsFoundRight) {
  Arena arena;
  const std::vector<Settings> all = {
      {{"threads", 4}, {"count", 3000}},
      {{"threads", 8}, {"count", 2000}, {"ring", 4096}, {"flush_ms", 0}, {"sync", 1}},
      {{"threads", 2}, {"count", 3000}, {"ring", 4096}, {"poll", 1}, {"flush_us", 500}},
      {{"threads", 3}, {"count", 3000}, {"ring", 4096}, {"drop", 1}},
      {{"threads", 3}, {"count", 3000}, {"ring", 16384}, {"early", 1}},
      {{"threads", 3}, {"count", 3000}, {"ring", 16384}, {"restart_us", 1000}},
  };
  std::uint64_t run = 0;
  for (const Settings& settings : all) {
    ++run;
    const SharedCounts counts(arena.counts_path(run));
    const End end = arena.start_checker(STENO_CHECKER, run, settings).wait();
    EXPECT_TRUE(end.ok()) << end.text() << read_text(arena.said_path("checker"));
    Ledger ledger;
    EXPECT_EQ(arena.read_log(&ledger).value_or(""), "");
    ledger.check(run, counts.read(), true);
    EXPECT_EQ(ledger.problems(), "") << text_of(settings);
    Ledger printed;
    EXPECT_EQ(arena.cat_log(&printed).value_or(""), "");
    printed.check(run, counts.read(), true);
    EXPECT_EQ(printed.problems(), "") << text_of(settings);
    EXPECT_EQ(printed.records(), ledger.records());
    arena.remove_logs();
  }
}

}  // namespace
}  // namespace steno::crash
