// Tests the state that a consumer of rings carries from one release to the next, and to the consumer after it.
#include "drain/drain.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "format/block.h"
#include "registry/registry.h"
#include "ring/release.h"
#include "ring/ring_access.h"

namespace steno::drain {
namespace {

class OneSite final : public IdSource {
 public:
  bool find_site(std::uint32_t id, wire::SiteInfo* info) override {
    return registry::Registry::instance().find(id, info);
  }
  std::uint32_t sites_end() override { return registry::Registry::instance().end(); }
  bool find_logger(std::uint32_t, std::string* name) override {
    name->clear();
    return true;
  }
};

std::vector<format::BlockType> types_of(const ByteBuffer& blocks) {
  std::vector<format::BlockType> types;
  format::BlockHeader header;
  for (std::size_t at = 0; at < blocks.size(); at += header.total_size()) {
    if (!format::parse_header(blocks.data() + at, blocks.size() - at, &header)) return {};
    types.push_back(header.type);
  }
  return types;
}

class DrainTest : public ::testing::Test {
 protected:
  DrainTest() : drain_(ids_, ClockModel({0, 0, 0}, 1.0), false, {}) {
    static std::uint64_t word = 0;
    static const detail::SiteEntry site = {&word, &word, "n {}", "f.cc", "f", "i", 1, 3, Level::kInfo, 0, false};
    site_ = static_cast<std::uint32_t>(detail::register_site(site));
    drain_.begin_session(7, 0);
  }

  // Appends a block of one record.
  std::vector<format::BlockType> append_one() {
    store(data_, wire::Header{site_, 3, 0}.pack());
    store(data_ + 8, std::uint64_t{5});
    RingCursor cursor;
    drain_.walker().begin(data_);
    EXPECT_TRUE(drain_.walker().add({0, data_, {0, sizeof data_}, 0}, &thread_, 24, &cursor));
    ByteBuffer out;
    format::BlockInput input;
    EXPECT_TRUE(drain_.append_block(out, &input));
    EXPECT_EQ(input.order.size(), 1u);
    return types_of(out);
  }

  alignas(8) std::byte data_[4096] = {};
  wire::RingOwner thread_{{1, 1, "main"}, ""};
  OneSite ids_;
  Drain drain_;
  std::uint32_t site_ = 0;
};

TEST_F(DrainTest, ABlockBringsItsDictionaryAndTheClockOnce) {
  using format::BlockType;
  drain_.points().push_back({1, 2, 1.0, 0, 0});
  EXPECT_EQ(append_one(), (std::vector{BlockType::kDictionary, BlockType::kClock, BlockType::kRows}));
  EXPECT_EQ(append_one(), std::vector{BlockType::kRows});
  drain_.begin_session(8, 0);
  EXPECT_EQ(append_one(), (std::vector{BlockType::kDictionary, BlockType::kRows}));
}

TEST_F(DrainTest, NothingWalkedIsNoDataBlock) {
  ByteBuffer out;
  format::BlockInput input;
  drain_.walker().begin(data_);
  EXPECT_FALSE(drain_.append_block(out, &input));
  EXPECT_TRUE(out.empty());
}

TEST_F(DrainTest, TheNextConsumerGoesOnFromTheRelease) {
  ring::RingHeader header{};
  DrainedRing first;
  first.id = 3;
  first.cursor = {120, 5, 2};
  first.own = 1;
  first.discards = 4;
  ring::publish(&header, first.release(), thread_);
  EXPECT_EQ(header.head, 120u);

  const DrainedRing second(3, ring::last_release(&header));
  EXPECT_EQ(second.cursor.head, 120u);
  EXPECT_EQ(second.cursor.seq, 5u);
  EXPECT_EQ(second.own, 1u);
  EXPECT_EQ(second.discards, 4u);
  EXPECT_EQ(second.drops_before, 2u);  // reported by the first
}

TEST_F(DrainTest, AnAnnouncedRecordIsTheNextConsumersToWrite) {
  DrainedRing ring;
  ring.cursor = {64, 2, 0};
  const OwnRecord record = OwnRecord::dropped(9, 3, 8);
  Drain::announce(&ring, record);
  EXPECT_EQ(ring.release().announced >> 2, 3u);

  DrainedRing next(0, ring.release());
  ByteBuffer out;
  format::BlockInput input;
  drain_.append_own(next, record, &thread_, out, &input);
  ASSERT_EQ(input.runs.size(), 1u);
  EXPECT_EQ(input.runs[0].ring, ring::kOwnRing);
  EXPECT_EQ(input.runs[0].first_seq, 0u);
  finish_own(&next);
  EXPECT_EQ(next.release().announced, 0u);
  EXPECT_EQ(next.release().own, 1u);
  EXPECT_EQ(next.release().drops, 3u);
  EXPECT_EQ(next.release().position, 64u);

  format::EndBlock end;
  add_ring_total(next, &end);
  EXPECT_EQ(end.records, 3u);  // two of the ring, one beside it
}

TEST_F(DrainTest, ANewSessionCountsFromZeroInOldRings) {
  DrainedRing ring(0, {.position = 64, .seq = 9, .drops = 3, .own = 2, .announced = 0, .discards = 5});
  ring.restart_numbers();
  EXPECT_EQ(ring.release().position, 64u);
  EXPECT_EQ(ring.release().seq, 0u);
  EXPECT_EQ(ring.release().own, 0u);
  EXPECT_EQ(ring.release().drops, 3u);
  EXPECT_EQ(ring.release().discards, 5u);
  format::EndBlock end;
  add_ring_total(ring, &end);
  EXPECT_EQ(end.records, 0u);
}

}  // namespace
}  // namespace steno::drain
