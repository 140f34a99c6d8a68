// Spans that a scribe may find, walked one by one: what the producer publishes in the oddest moments, and what stray
// writes leave.
#include "drain/span_walker.h"

#include <gtest/gtest.h>

#include <cstring>

#include "format/protocol_block.h"
#include "registry/registry.h"

namespace steno::drain {
namespace {

constexpr std::uint32_t kMissingSite = 4'000'000'001;

class RegistryIds final : public IdSource {
 public:
  bool find_site(std::uint32_t id, wire::SiteInfo* info) override {
    return registry::Registry::instance().find(id, info);
  }
  bool is_missing(std::uint32_t id) override { return id == kMissingSite; }
  std::uint32_t sites_end() override { return registry::Registry::instance().end(); }
  bool find_logger(std::uint32_t id, std::string* name) override {
    *name = "logger " + std::to_string(id);
    return true;
  }
};

class SpanWalkerTest : public ::testing::Test {
 protected:
  SpanWalkerTest() : clock_({0, 0, 0}, 1.0), walker_(ids_, clock_, false) {
    static std::uint64_t word = 0;
    static const detail::SiteEntry site = {&word, &word, "n {}", "f.cc", "f", "i", 1, 3, Level::kInfo, 0, false};
    site_ = static_cast<std::uint32_t>(detail::register_site(site));
    ring_ = {0, data_, {0, sizeof data_}, 0};
  }

  void pad(std::size_t at, std::uint16_t size8) { store(data_ + at, wire::Header{wire::kSitePad, size8, 0}.pack()); }
  void record(std::size_t at, std::uint64_t clock, int value, std::uint32_t site = 0, std::uint16_t size8 = 3) {
    store(data_ + at, wire::Header{site != 0 ? site : site_, size8, 0}.pack());
    store(data_ + at + 8, clock);
    store(data_ + at + 16, value);
  }
  RingCursor walk(std::uint64_t head, std::uint64_t tail) {
    walker_.begin(data_);
    RingCursor cursor = {head, 0};
    EXPECT_TRUE(walker_.add(ring_, &thread_, tail, &cursor));
    return cursor;
  }

  alignas(8) std::byte data_[4096] = {};
  RingSpan ring_;
  wire::RingOwner thread_;
  RegistryIds ids_;
  ClockModel clock_;
  SpanWalker walker_;
  std::uint32_t site_ = 0;
};

TEST_F(SpanWalkerTest, APadAloneIsPassed) {
  pad(4088, 1);
  EXPECT_EQ(walk(4088, 4096).head, 4096u);
  EXPECT_EQ(walker_.records(), 0u);
}

TEST_F(SpanWalkerTest, APadAfterRecordsIsPassed) {
  for (std::size_t i = 0; i < 4; ++i) record(4096 - 8 - 96 + i * 24, i, static_cast<int>(i));
  pad(4088, 1);
  EXPECT_EQ(walk(4096 - 8 - 96, 4096).head, 4096u);
  EXPECT_EQ(walker_.records(), 4u);
  EXPECT_EQ(walker_.finish().groups.size(), 1u);
}

TEST_F(SpanWalkerTest, RunsGoOnAfterTheWrap) {
  record(4072, 1, 1);
  record(0, 2, 2);
  record(24, 3, 3);
  const RingCursor cursor = walk(4072, 4096 + 48);
  EXPECT_EQ(cursor.head, 4096u + 48);
  EXPECT_EQ(cursor.seq, 3u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 0u);
}

TEST_F(SpanWalkerTest, ACutSpanIsWalkedUpToTheRecordThatIsCut) {
  record(0, 1, 1);
  record(24, 2, 2);
  store(data_ + 48, wire::Header{site_, 3, 7}.pack());  // of another logger, so of a group that nothing else has
  ring_.cut = true;
  const RingCursor cursor = walk(0, 64);
  EXPECT_EQ(cursor.head, 48u);
  EXPECT_EQ(cursor.seq, 2u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 0u);
  EXPECT_EQ(walker_.finish().groups.size(), 1u);
}

TEST_F(SpanWalkerTest, ACutSpanWithoutAWholeRecordIsDamage) {
  record(0, 1, 1, 0, 9);
  ring_.cut = true;
  EXPECT_EQ(walk(0, 64).head, 64u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 64u);
  EXPECT_EQ(walker_.records(), 0u);
}

TEST_F(SpanWalkerTest, RecordsOfAMissingSiteArePassedOverAndTheirNumbersLeftOut) {
  record(0, 1, 1, kMissingSite, 5);
  record(40, 2, 2);
  record(64, 3, 3, kMissingSite);
  record(88, 4, 4, kMissingSite);
  record(112, 5, 5);
  const RingCursor cursor = walk(0, 136);
  EXPECT_EQ(cursor.head, 136u);
  EXPECT_EQ(cursor.seq, 5u);
  EXPECT_EQ(walker_.records(), 2u);
  EXPECT_EQ(walker_.take_unreadable(), 3u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 0u);
  std::vector<std::uint64_t> numbers;
  for (const format::Run& run : walker_.finish().runs) {
    for (std::uint64_t i = 0; i < run.records; ++i) numbers.push_back(run.first_seq + i);
  }
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 4}));
}

TEST_F(SpanWalkerTest, AMissingSiteOfNoRecordIsDamage) {
  record(0, 1, 1, kMissingSite, 1);  // no room for a clock
  record(8, 2, 2);
  EXPECT_EQ(walk(0, 32).head, 32u);
  EXPECT_EQ(walker_.take_unreadable(), 0u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 32u);
}

TEST_F(SpanWalkerTest, RecordsOfUnknownProtocolSitesArePassedOverAndKept) {
  record(0, 1, 1);
  record(24, 2, 2, 15, 5);
  record(64, 3, 3);
  store(data_ + 88, wire::Header{14, 1, 0}.pack());  // no clock either
  const RingCursor cursor = walk(0, 96);
  EXPECT_EQ(cursor.head, 96u);
  EXPECT_EQ(cursor.seq, 2u) << "they have no numbers";
  EXPECT_EQ(walker_.records(), 2u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 0u);
  EXPECT_EQ(walker_.finish().runs.size(), 1u);
  const ByteBuffer& kept = walker_.protocol_records();
  ByteReader in(kept.data(), kept.size());
  format::ProtocolRecord first;
  format::ProtocolRecord second;
  ASSERT_TRUE(format::read_protocol_record(in, &first) && format::read_protocol_record(in, &second));
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(first.seq, 1u);
  EXPECT_EQ(first.position, 24u);
  ASSERT_EQ(first.bytes.size(), 40u);
  EXPECT_EQ(std::memcmp(first.bytes.data(), data_ + 24, 40), 0);
  EXPECT_EQ(second.seq, 2u);
  EXPECT_EQ(second.bytes.size(), 8u);
}

TEST_F(SpanWalkerTest, AContextIsOfTheRecordsAfterIt) {
  std::string context = "\1m\2id";
  context += std::string("\7\0\0\0\0\0\0\0", 8);
  record(0, 1, 1);
  store(data_ + 24, wire::Header{wire::kSiteContext, 4, 0}.pack());
  std::memcpy(data_ + 40, context.data(), context.size());
  record(56, 2, 2);
  store(data_ + 80, wire::Header{wire::kSiteContext, 3, 0}.pack());  // no fields
  record(104, 3, 3);
  const RingCursor cursor = walk(0, 80);
  EXPECT_EQ(cursor.seq, 2u);
  EXPECT_EQ(thread_.context.substr(0, context.size()), context);
  const format::BlockInput input = walker_.finish();
  ASSERT_EQ(input.groups.size(), 2u);
  EXPECT_EQ(input.runs.size(), 1u);
  EXPECT_EQ(input.groups[0].site, site_);
  const format::Group& group = input.groups[1];
  EXPECT_GE(group.site, wire::kFirstContextSite);
  ASSERT_EQ(group.layout->fields.size(), 2u);
  const std::byte* const composed = input.base_of(group) + std::size_t{input.offsets[group.first]} * 8;
  EXPECT_EQ(load<int>(composed + group.layout->fields[0].offset), 2);
  EXPECT_EQ(load<std::uint64_t>(composed + group.layout->fields[1].offset), 7u);
  RingCursor next = {80, 2};
  walker_.begin(data_);
  EXPECT_TRUE(walker_.add(ring_, &thread_, 128, &next));
  EXPECT_TRUE(thread_.context.empty());
  EXPECT_EQ(walker_.finish().groups.size(), 1u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 0u);
}

// A session of a few records, all in a context, does not take its statements' entries twice.
TEST_F(SpanWalkerTest, AStatementIsDeclaredOnlyAsItsRecordsAre) {
  const auto declared = [this] {
    const ByteBuffer& entries = walker_.new_entries();
    const std::string_view bytes(reinterpret_cast<const char*>(entries.data()), entries.size());
    int count = 0;
    for (std::size_t at = 0; (at = bytes.find("\4n {}", at)) != bytes.npos; ++at) ++count;
    return count;
  };
  std::string context = "\1m\2id";
  context += std::string("\7\0\0\0\0\0\0\0", 8);
  store(data_, wire::Header{wire::kSiteContext, 4, 0}.pack());
  std::memcpy(data_ + 16, context.data(), context.size());
  record(32, 1, 1);
  record(56, 2, 2);
  RingCursor cursor = walk(0, 80);
  EXPECT_EQ(walker_.finish().groups.size(), 1u);
  EXPECT_EQ(declared(), 1);
  store(data_ + 80, wire::Header{wire::kSiteContext, 3, 0}.pack());  // no fields
  record(104, 3, 3);
  record(128, 4, 4);
  walker_.begin(data_);
  EXPECT_TRUE(walker_.add(ring_, &thread_, 152, &cursor));
  EXPECT_EQ(walker_.finish().groups.size(), 1u);
  EXPECT_EQ(declared(), 2);
}

TEST_F(SpanWalkerTest, AContextThatMakesNoSenseIsDamage) {
  const std::string bad[] = {
      std::string("\1m\2", 3) + "id",                 // no value
      std::string("\1?\2id\1\2\3\4\5\6\7\10", 13),    // no type
      std::string("\1m\0\1\2\3\4\5\6\7\10\0\0", 13),  // no name
      std::string("\1S\2id\377\0\0\0", 9),            // a text beyond its end
      std::string("\21mmmmmmmmmmmmmmm", 16),          // too many fields
  };
  for (const std::string& context : bad) {
    record(0, 1, 1);
    std::memset(data_ + 24, 0, 64);
    const std::size_t size8 = (16 + context.size() + 7) / 8;
    store(data_ + 24, wire::Header{wire::kSiteContext, static_cast<std::uint16_t>(size8), 0}.pack());
    std::memcpy(data_ + 40, context.data(), context.size());
    walk(0, 24 + size8 * 8);
    EXPECT_NE(walker_.take_corrupt_bytes(), 0u) << &context - bad;
    EXPECT_EQ(walker_.records(), 1u);
  }
}

TEST_F(SpanWalkerTest, AnUnknownProtocolSiteBeyondTheTailIsDamage) {
  record(0, 1, 1);
  record(24, 2, 2, 15, 6);
  EXPECT_EQ(walk(0, 64).head, 64u);
  EXPECT_EQ(walker_.records(), 1u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 40u);
  EXPECT_TRUE(walker_.protocol_records().empty());
}

TEST_F(SpanWalkerTest, DamageCostsTheRestOfTheSpanAndLeavesNoEmptyGroup) {
  record(0, 1, 1);
  record(24, 2, 2, 0, 2);  // too short for its site
  record(40, 3, 3);
  EXPECT_EQ(walk(0, 64).head, 64u);
  EXPECT_EQ(walker_.records(), 1u);
  EXPECT_EQ(walker_.take_corrupt_bytes(), 40u);
  record(0, 1, 1, 0, 2);  // the first of its group
  EXPECT_EQ(walk(0, 16).head, 16u);
  EXPECT_EQ(walker_.records(), 0u);
  record(0, 1, 1, 4'000'000'000);  // no such site
  EXPECT_EQ(walk(0, 24).head, 24u);
  record(0, 1, 1, 0, 0);  // no size: must not loop
  EXPECT_EQ(walk(0, 24).head, 24u);
  record(0, 1, 1, 0, 60000);  // beyond the tail
  EXPECT_EQ(walk(0, 24).head, 24u);
  EXPECT_GT(walker_.take_corrupt_bytes(), 0u);
}

}  // namespace
}  // namespace steno::drain
