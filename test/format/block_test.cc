// Framing (file.md §1) and the small blocks (§3, §4, §8).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "format/block.h"
#include "format/clock_block.h"
#include "format/end_block.h"
#include "format/session_block.h"

namespace steno::format {
namespace {

std::span<const std::uint8_t> payload_of(const ByteBuffer& block, std::uint32_t mark = 0) {
  BlockHeader header;
  EXPECT_TRUE(parse_header(block.data(), block.size(), &header));
  EXPECT_EQ(header.total_size(), block.size());
  EXPECT_TRUE(checksum_holds(block.data(), header, mark));
  return {block.data() + kBlockHeaderSize, header.length};
}

std::uint32_t mark_of(const SessionBlock& session) {
  return session_tag(session.session_id, session.version).mark;
}

SessionBlock example_session() {
  SessionBlock session;
  session.pid = 4711;
  session.session_id = 0x0123456789ABCDEF;
  session.start_wall = 1'700'000'000'123'456'789;
  session.ns_per_tick = 0.385;
  session.clock_kind = 1;
  session.utc_offset = -3600;
  session.program = "server";
  session.host = "db1";
  session.staging = "/dev/shm/steno-0/1-0123456789abcdef";
  session.steno_version = "0.1.0";
  return session;
}

TEST(Block, HeaderIsAsSpecified) {
  ByteBuffer out;
  const std::size_t start = begin_block(out, BlockType::kClock, 0xBEEF);
  out.put_bytes("abc", 3);
  end_block(out, start);
  ASSERT_EQ(out.size(), 24u);
  EXPECT_EQ(std::memcmp(out.data(), "STN1\x05\x00\xEF\xBE\x03\x00\x00\x00", 12), 0);
  EXPECT_EQ(std::memcmp(out.data() + 16, "abc\0\0\0\0\0", 8), 0);
}

TEST(Block, EveryFlippedBitIsSeen) {
  ByteBuffer out;
  append_session_block(out, example_session());
  BlockHeader header;
  for (std::size_t bit = 0; bit < out.size() * 8; ++bit) {
    const std::size_t padding = payload_of(out, mark_of(example_session())).size() + kBlockHeaderSize;
    if (bit / 8 >= padding) break;  // padding is not covered
    out.data()[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    const bool good = parse_header(out.data(), out.size(), &header) && header.total_size() <= out.size() &&
                      checksum_holds(out.data(), header, mark_of(example_session()));
    EXPECT_FALSE(good) << bit;
    out.data()[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
}

TEST(Block, HeaderNeedsItsBytesAndALengthWithinTheLimit) {
  ByteBuffer out;
  end_block(out, begin_block(out, BlockType::kEnd, 0));
  BlockHeader header;
  EXPECT_TRUE(parse_header(out.data(), 16, &header));
  EXPECT_FALSE(parse_header(out.data(), 15, &header));
  store(out.data() + 8, kMaxPayload);
  EXPECT_TRUE(parse_header(out.data(), 16, &header));
  store(out.data() + 8, kMaxPayload + 1);
  EXPECT_FALSE(parse_header(out.data(), 16, &header));
}

TEST(SessionBlock, RoundTrip) {
  ByteBuffer out;
  const SessionBlock session = example_session();
  append_session_block(out, session);
  const auto payload = payload_of(out, mark_of(session));
  const auto parsed = parse_session_block(payload);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->version, kFileVersion);
  EXPECT_EQ(parsed->pid, session.pid);
  EXPECT_EQ(parsed->session_id, session.session_id);
  EXPECT_EQ(parsed->start_wall, session.start_wall);
  EXPECT_EQ(parsed->ns_per_tick, session.ns_per_tick);
  EXPECT_EQ(parsed->clock_kind, session.clock_kind);
  EXPECT_EQ(parsed->utc_offset, session.utc_offset);
  EXPECT_EQ(parsed->program, session.program);
  EXPECT_EQ(parsed->host, session.host);
  EXPECT_EQ(parsed->steno_version, session.steno_version);
  EXPECT_EQ(parsed->staging, session.staging);
  const std::size_t optional = 1 + session.staging.size();
  for (std::size_t n = 0; n < payload.size() - optional; ++n) {
    EXPECT_EQ(parse_session_block(payload.first(n)).status().code(), StatusCode::kCorrupt) << n;
  }
  for (std::size_t n = payload.size() - optional; n < payload.size(); ++n) {
    const auto without = parse_session_block(payload.first(n));
    ASSERT_TRUE(without.ok()) << n;
    EXPECT_EQ(without->staging, "") << n;
  }
}

TEST(SessionBlock, HowMuchLiesInAnotherFileIsOptional) {
  for (const std::vector<RingStart>& starts :
       std::vector<std::vector<RingStart>>{{}, {{0, 1}}, {{0, 1}, {65536, 300}}}) {
    SessionBlock session = example_session();
    session.elsewhere = starts;
    ByteBuffer out;
    append_session_block(out, session);
    const auto payload = payload_of(out, mark_of(session));
    const auto parsed = parse_session_block(payload);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->elsewhere, starts);
    ByteBuffer shorter;
    append_session_block(shorter, example_session());
    for (std::size_t n = payload_of(shorter, mark_of(session)).size(); n < payload.size(); ++n) {
      const auto without = parse_session_block(payload.first(n));
      ASSERT_TRUE(without.ok()) << n;
      EXPECT_FALSE(without->elsewhere) << n;
      EXPECT_EQ(without->staging, session.staging) << n;
    }
  }
  for (const std::vector<RingStart>& starts : {std::vector<RingStart>{{1, 1}, {1, 2}}, {{2, 1}, {1, 1}}}) {
    SessionBlock session = example_session();
    session.elsewhere = starts;
    ByteBuffer out;
    append_session_block(out, session);
    const auto parsed = parse_session_block(payload_of(out, mark_of(session)));
    ASSERT_TRUE(parsed.ok());
    EXPECT_FALSE(parsed->elsewhere) << "not in rising order";
  }
}

TEST(SessionBlock, NewerVersionIsUnsupported) {
  SessionBlock session = example_session();
  session.version = kNewestVersion + 1;
  ByteBuffer out;
  append_session_block(out, session);
  const auto parsed = parse_session_block(payload_of(out, mark_of(session)));
  EXPECT_EQ(parsed.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(parsed.status().message().find("version " + std::to_string(session.version)), std::string::npos);
}

TEST(SessionBlock, ImpossibleValuesAreCorrupt) {
  for (const double rate : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
    SessionBlock session = example_session();
    session.ns_per_tick = rate;
    ByteBuffer out;
    append_session_block(out, session);
    EXPECT_EQ(parse_session_block(payload_of(out, mark_of(session))).status().code(), StatusCode::kCorrupt) << rate;
  }
}

TEST(ClockBlock, RoundTripAndDamage) {
  const std::vector<ClockPoint> points = {{10, 100, 0.5, 7, 0}, {20, 105, 0.5, 8, ClockPoint::kStepped}};
  ByteBuffer out;
  append_clock_block(out, points, 1);
  const auto payload = payload_of(out);
  ASSERT_EQ(payload.size(), 64u);
  std::vector<ClockPoint> parsed(1);
  ASSERT_TRUE(parse_clock_block(payload, &parsed).ok());
  ASSERT_EQ(parsed.size(), 3u);
  EXPECT_EQ(parsed[2].ticks, 20u);
  EXPECT_EQ(parsed[2].wall_ns, 105);
  EXPECT_EQ(parsed[2].ns_per_tick, 0.5);
  EXPECT_EQ(parsed[2].uncertainty_ns, 8u);
  EXPECT_EQ(parsed[2].flags, ClockPoint::kStepped);
  EXPECT_EQ(parse_clock_block(payload.first(63), &parsed).code(), StatusCode::kCorrupt);

  for (const ClockPoint& bad : {ClockPoint{30, 0, std::nan(""), 0, 0}, ClockPoint{30, 0, 1e11, 0, 0},
                                ClockPoint{30, 0, -0.5, 0, 0}, ClockPoint{9, 0, 0.5, 0, 0}}) {
    std::vector<ClockPoint> with = points;
    with.push_back(bad);
    out.clear();
    append_clock_block(out, with, 1);
    EXPECT_EQ(parse_clock_block(payload_of(out), &parsed).code(), StatusCode::kCorrupt);
    EXPECT_EQ(parsed.size(), 3u);  // nothing appended
  }
}

TEST(EndBlock, RoundTripAndDamage) {
  EndBlock end;
  end.records = 1'000'000;
  end.rings = {{0, 999'999, 48'000'000, 0}, {7, 1, 24, 12}};
  ByteBuffer out;
  append_end_block(out, end, 3);
  const auto payload = payload_of(out);
  const auto parsed = parse_end_block(payload);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->records, end.records);
  ASSERT_EQ(parsed->rings.size(), 2u);
  EXPECT_EQ(parsed->rings[0].position, 48'000'000u);
  EXPECT_EQ(parsed->rings[1].dropped, 12u);
  EXPECT_FALSE(parsed->died);
  // The flags may be left out, and nothing else.
  const std::size_t flags = payload.size() - 1;
  for (std::size_t n = 0; n < flags; ++n) EXPECT_FALSE(parse_end_block(payload.first(n)).ok()) << n;
  const auto without = parse_end_block(payload.first(flags));
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without->rings.size(), 2u);
  EXPECT_FALSE(without->died);

  const std::uint8_t many[] = {1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F};
  EXPECT_EQ(parse_end_block(many).status().code(), StatusCode::kCorrupt);
}

TEST(EndBlock, SaysWhetherTheProcessDied) {
  EndBlock end;
  end.died = true;
  ByteBuffer out;
  append_end_block(out, end, 3);
  std::vector<std::uint8_t> payload(payload_of(out).begin(), payload_of(out).end());
  EXPECT_TRUE(parse_end_block(payload)->died);
  payload.back() |= 0x80;  // unknown flags, and what a later version adds
  payload.push_back(1);
  payload.push_back(42);
  EXPECT_TRUE(parse_end_block(payload)->died);
  payload.back() = 0xFF;
  payload[payload.size() - 2] = 0xFF;
  EXPECT_FALSE(parse_end_block(payload).ok()) << "flags without an end";
}

}  // namespace
}  // namespace steno::format
