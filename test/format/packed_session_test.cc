// Packed sessions: what comes out is what went in, and hostile ones are refused, at a bounded cost.
#include "format/packed_session.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "format/end_block.h"
#include "format/session_block.h"

namespace steno::format {
namespace {

std::span<const std::uint8_t> bytes_of(const ByteBuffer& buffer) {
  return {buffer.data(), buffer.size()};
}

std::vector<std::uint8_t> vector_of(const ByteBuffer& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

constexpr BlockType kInnerTypes[] = {BlockType::kDictionary, BlockType::kColumns, BlockType::kRows,
                                     BlockType::kClock,      BlockType::kStrings, BlockType::kProtocol};

// Blocks of a session, some of which have the payloads given.
ByteBuffer session_of(std::uint64_t id, const std::vector<std::vector<std::uint8_t>>& payloads) {
  ByteBuffer out;
  SessionBlock session;
  session.session_id = id;
  session.pid = static_cast<std::uint32_t>(id >> 7);
  session.program = "postgres";
  session.staging = "/dev/shm/steno-" + std::to_string(id);
  append_session_block(out, session);
  for (std::size_t i = 0; i < payloads.size(); ++i) append_block(out, kInnerTypes[i % 6], session_tag(id), payloads[i]);
  append_end_block(out, {}, session_tag(id));
  return out;
}

std::vector<std::uint8_t> random_bytes(std::mt19937& random, std::size_t most) {
  std::vector<std::uint8_t> bytes(random() % (most + 1));
  // Some bytes take few values, so that places are alike by chance.
  const unsigned values = random() % 2 == 0 ? 256 : 3;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % values);
  return bytes;
}

// Returns the bytes with some of them changed, removed and inserted.
std::vector<std::uint8_t> varied(std::vector<std::uint8_t> bytes, std::mt19937& random) {
  for (unsigned n = random() % 6; n != 0 && !bytes.empty(); --n) {
    const auto at = static_cast<std::ptrdiff_t>(random() % bytes.size());
    const auto some =
        static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes.size() - static_cast<std::size_t>(at), random() % 9));
    switch (random() % 3) {
      case 0:
        bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes.erase(bytes.begin() + at, bytes.begin() + at + some);
        break;
      default:
        bytes.insert(bytes.begin() + at, static_cast<std::size_t>(some), static_cast<std::uint8_t>(random()));
    }
  }
  return bytes;
}

std::vector<std::uint8_t> packed_payload(const ByteBuffer& block) {
  BlockHeader header;
  EXPECT_TRUE(parse_header(block.data(), block.size(), &header));
  EXPECT_EQ(header.type, BlockType::kPacked);
  EXPECT_EQ(header.total_size(), block.size());
  return {block.data() + kBlockHeaderSize, block.data() + kBlockHeaderSize + header.length};
}

TEST(PackedSession, BareBlocksAreTheBlocks) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::vector<std::uint8_t>> payloads;
    for (unsigned n = random() % 7; n != 0; --n) payloads.push_back(random_bytes(random, 300));
    const std::uint64_t id = random() * 0x100000001ull;
    const ByteBuffer blocks = session_of(id, payloads);
    ByteBuffer bare;
    ASSERT_TRUE(append_bare(bytes_of(blocks), bare));
    EXPECT_LT(bare.size(), blocks.size());
    ByteBuffer again;
    ASSERT_TRUE(append_blocks(bytes_of(bare), id, &again).ok());
    EXPECT_EQ(vector_of(again), vector_of(blocks));
  }
}

TEST(PackedSession, UnpacksToWhatWasPacked) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const auto model = random_bytes(random, 2000);
    const auto bare = random() % 4 == 0 ? random_bytes(random, 2000) : varied(model, random);
    ByteBuffer block;
    if (!append_packed_session(block, 77, bare, model)) {
      EXPECT_EQ(block.size(), 0u);
      continue;
    }
    const auto payload = packed_payload(block);
    const auto packed = parse_packed_session(payload);
    ASSERT_TRUE(packed.ok());
    EXPECT_EQ(packed->session_id, 77u);
    EXPECT_EQ(packed->model, model_number(model));
    ByteBuffer unpacked;
    ASSERT_TRUE(unpack(*packed, model, &unpacked).ok());
    EXPECT_EQ(vector_of(unpacked), bare);
  }
}

TEST(PackedSession, AFewChangesTakeAFewBytes) {
  std::mt19937 random(3);
  std::vector<std::uint8_t> model(1400);
  for (std::uint8_t& byte : model) byte = static_cast<std::uint8_t>(random());
  std::vector<std::uint8_t> bare = model;
  for (std::size_t at = 100; at < bare.size(); at += 130) bare[at] ^= 1;  // ten of them
  ByteBuffer block;
  ASSERT_TRUE(append_packed_session(block, 77, bare, model));
  EXPECT_LE(packed_payload(block).size(), 12u + 2 + 11 * 4);
}

TEST(PackedSession, TheExampleOfTheSpecification) {
  const std::vector<std::uint8_t> model = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<std::uint8_t> payload(12);
  payload[8] = 1;  // it has a model
  for (const int byte : {12, 0x61, 0x63, 0xa1, 0x0f, 0x0d, 0x02, 0xff, 0x69})
    payload.push_back(static_cast<std::uint8_t>(byte));
  const auto packed = parse_packed_session(payload);
  ASSERT_TRUE(packed.ok());
  ByteBuffer bare;
  ASSERT_TRUE(unpack(*packed, model, &bare).ok());
  EXPECT_EQ(vector_of(bare), (std::vector<std::uint8_t>{0x63, 2, 3, 4, 5, 6, 7, 0x0d, 1, 2, 0xff, 0x69}));
}

TEST(PackedSession, WhatIsCutShortIsRefused) {
  std::mt19937 random(4);
  const auto model = random_bytes(random, 900);
  const auto bare = varied(model, random);
  ByteBuffer block;
  ASSERT_TRUE(append_packed_session(block, 77, bare, model));
  const auto payload = packed_payload(block);
  for (std::size_t n = 0; n < payload.size(); ++n) {
    const auto packed = parse_packed_session(std::span(payload).first(n));
    ByteBuffer unpacked;
    EXPECT_FALSE(packed.ok() && unpack(*packed, model, &unpacked).ok()) << n;
  }
}

// Whatever it says: it ends, and costs no more than it may.
TEST(PackedSession, HostileOnesHaveABound) {
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const auto model = random_bytes(random, 400);
    std::vector<std::uint8_t> payload = random_bytes(random, 80);
    if (payload.size() > 8) payload[8] = 1;
    ByteBuffer bare;
    const auto packed = parse_packed_session(payload);
    if (!packed.ok()) continue;
    (void)unpack(*packed, model, &bare);
    EXPECT_LE(bare.size(), kMostUnpacking * payload.size());
    ByteBuffer blocks;
    (void)append_blocks(model, 77, &blocks);
    EXPECT_LE(blocks.size(), model.size() + 32 * kMostBlocks);
  }
}

// A bare block takes two bytes, and one in the file sixteen or more.
TEST(PackedSession, TooManyBlocksAreRefused) {
  for (const unsigned count : {kMostBlocks, kMostBlocks + 1}) {
    const ByteBuffer blocks = session_of(9, std::vector<std::vector<std::uint8_t>>(count - 2));
    ByteBuffer bare;
    EXPECT_EQ(append_bare(bytes_of(blocks), bare), count == kMostBlocks);
  }
  ByteBuffer two;
  ASSERT_TRUE(append_bare(bytes_of(session_of(9, {})), two));
  ByteReader reader(two.data(), two.size());
  (void)reader.get<std::uint8_t>();
  (void)reader.get_string();
  const std::size_t first = reader.position();
  for (const unsigned count : {kMostBlocks, kMostBlocks + 1}) {
    ByteBuffer bare;
    bare.put_bytes(two.data(), first);
    for (unsigned i = 2; i < count; ++i) {
      bare.put(static_cast<std::uint8_t>(BlockType::kProtocol));
      bare.put_varint(0);
    }
    bare.put_bytes(two.data() + first, two.size() - first);
    ByteBuffer again;
    EXPECT_EQ(append_blocks(bytes_of(bare), 9, &again).ok(), count == kMostBlocks);
  }
}

TEST(PackedSession, WhatIsNoSessionIsNotPacked) {
  const ByteBuffer sound = session_of(9, {{1, 2, 3}});
  ByteBuffer out;
  ASSERT_TRUE(append_bare(bytes_of(sound), out));
  out.clear();
  EXPECT_FALSE(append_bare({}, out));
  // These lack their end, or have bytes after it; have two sessions, or a copy; or are damaged.
  EXPECT_FALSE(append_bare(bytes_of(sound).first(sound.size() - 24), out));
  for (const BlockType type : {BlockType::kClock, BlockType::kIndex}) {
    ByteBuffer more;
    more.put_bytes(sound.data(), sound.size());
    append_block(more, type, session_tag(9), std::span<const std::uint8_t>());
    EXPECT_FALSE(append_bare(bytes_of(more), out));
  }
  ByteBuffer two;
  append_session_block(two, SessionBlock());
  append_end_block(two, {}, session_tag(1));
  EXPECT_FALSE(append_bare(bytes_of(two), out));
  ByteBuffer copy;
  append_session_block(copy, SessionBlock());
  append_block(copy, BlockType::kClock, session_tag(0), std::span<const std::uint8_t>(), kCopyFlag);
  append_end_block(copy, {}, session_tag(0));
  EXPECT_FALSE(append_bare(bytes_of(copy), out));
  EXPECT_TRUE(out.empty());
}

TEST(PackedSession, TheVersionIsRaisedInPlace) {
  SessionBlock session;
  session.session_id = 0x123456789;
  session.program = "some program";
  ByteBuffer raised;
  append_session_block(raised, session);
  append_end_block(raised, {}, session_tag(session.session_id));
  ASSERT_TRUE(raise_version(&raised));
  session.version = kNewestVersion;
  ByteBuffer wanted;
  append_session_block(wanted, session);
  append_end_block(wanted, {}, session_tag(session.session_id));
  EXPECT_EQ(vector_of(raised), vector_of(wanted));
  ByteBuffer none;
  EXPECT_FALSE(raise_version(&none));
}

}  // namespace
}  // namespace steno::format
