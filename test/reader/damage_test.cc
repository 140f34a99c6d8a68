// Damage, exhaustively: every flip, truncation and hole of small files. Whatever is whole must still be read as it was,
// and whatever is not must be told exactly.
#include <gtest/gtest.h>

#include <algorithm>

#include "../random_cases.h"
#include "../sanitizers.h"
#include "damaged_log.h"
#include "file_builder.h"
#include "indexed_log.h"

namespace steno::reader {
namespace {

using format::BlockType;
using test::expect_all_but;
using test::FileBuilder;
using test::ReadLog;
using test::SoundBlock;
using test::SoundLog;

// The memory that a reader of these files of some kilobytes may hold; it takes about a fifth of it.
constexpr std::size_t kFairMemory = 1u << 20;

struct Case {
  bool rows;
  bool indexed;  // with index blocks, and opened by them
};

class DamageTest : public testing::TestWithParam<Case> {
 protected:
  static const SoundLog& sound() {
    static const SoundLog columns(test::small_log(false));
    static const SoundLog rows(test::small_log(true));
    static const SoundLog indexed_columns(test::with_indexes(test::small_log(false), 4));
    static const SoundLog indexed_rows(test::with_indexes(test::small_log(true), 4));
    if (GetParam().indexed) return GetParam().rows ? indexed_rows : indexed_columns;
    return GetParam().rows ? rows : columns;
  }

  static ReadLog read_log(const std::string& bytes) {
    return test::read_log(bytes, true, GetParam().indexed ? test::kByIndex : kCheckAll);
  }

  // A single block that is left proves nothing for a session without its session block (file.md §1).
  static std::set<std::size_t> with_unproved(std::set<std::size_t> lost) {
    const auto& blocks = sound().blocks;
    for (std::size_t session = 0; session < 2; ++session) {
      std::vector<std::size_t> left;
      bool known = false;
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].session != session || lost.count(i) != 0) continue;
        left.push_back(i);
        known = known || blocks[i].type == BlockType::kSession || blocks[i].type == BlockType::kIndex;
      }
      if (!known && left.size() == 1) lost.insert(left[0]);
    }
    return lost;
  }

  // Reads `damaged` and checks it against the blocks whose bytes differ.
  static ReadLog check(const std::string& damaged) {
    ReadLog read = read_log(damaged);
    const auto lost = with_unproved(sound().touched(damaged));
    expect_all_but(sound(), lost, read);
    EXPECT_LT(read.peak_bytes, kFairMemory);
    const auto told = std::count_if(read.losses.losses.begin(), read.losses.losses.end(),
                                    [](const Loss& loss) { return loss.cause == LossCause::kDamage; });
    // An index block in front of the next session may look like a write that was cut short and made again.
    EXPECT_GE(static_cast<std::size_t>(told) + read.losses.cut_short, read.damage.size());
    return read;
  }
};
INSTANTIATE_TEST_SUITE_P(Blocks, DamageTest,
                         testing::Values(Case{false, false}, Case{true, false}, Case{false, true}, Case{true, true}),
                         [](const auto& param) {
                           return std::string(param.param.rows ? "Rows" : "Columns") +
                                  (param.param.indexed ? "Indexed" : "");
                         });

TEST_P(DamageTest, NoneAtFirst) {
  const ReadLog read = check(sound().bytes);
  EXPECT_EQ(read.shown(), sound().read.shown());
  EXPECT_EQ(read.records.size(), 26u);
  EXPECT_TRUE(read.damage.empty());
  EXPECT_EQ(read.losses.lost, 24u);  // dropped, and told
  EXPECT_EQ(read.losses.losses.size(), 2u);
}

TEST_P(DamageTest, Flips) {
  // Each byte of headers is flipped; of the payload, which is under one checksum, some.
  const std::size_t in_headers = test::kAddressSanitizer ? 5 : 1;
  const bool every = test::random_cases(8) == 8;
  const std::size_t in_payloads = every ? 5 : 17;
  std::string damaged = sound().bytes;
  const SoundBlock* first_of_data = nullptr;
  for (const SoundBlock& block : sound().blocks) {
    if (first_of_data == nullptr && block.is_data()) first_of_data = &block;
    const std::size_t payload = block.begin + format::kBlockHeaderSize;
    for (std::size_t at = block.begin; at < block.end && !HasFailure(); at += at < payload ? in_headers : in_payloads) {
      const auto was = static_cast<unsigned char>(sound().bytes[at]);
      std::set<unsigned char> values = {static_cast<unsigned char>(was ^ 1 << at % 8)};
      // Each bit of headers is flipped; where all cases are wanted, one header gets every other value, too.
      const bool header = at < payload;
      if (header) values.insert({0x00, 0xFF});
      for (int bit = 0; bit < 8 && header; ++bit) values.insert(static_cast<unsigned char>(was ^ 1 << bit));
      const bool all = every && header && &block == first_of_data;
      for (int value = 0; value < 256 && all; ++value) values.insert(static_cast<unsigned char>(value));
      values.erase(was);
      for (const unsigned char value : values) {
        SCOPED_TRACE("byte " + std::to_string(at) + " becomes " + std::to_string(value));
        damaged[at] = static_cast<char>(value);
        const ReadLog read = check(damaged);
        ASSERT_TRUE(read.opened);
        if (at >= block.payload_end) {
          ASSERT_EQ(read.shown(), sound().read.shown());
          ASSERT_TRUE(read.damage.empty());
          continue;
        }
        ASSERT_EQ(read.damage[0].offset, block.begin);
        ASSERT_EQ(read.damage[0].size, block.end - block.begin);
        if (block.is_data()) test::expect_exact_losses(sound(), block, read);
        if (block.type == BlockType::kClock) {
          ASSERT_EQ(read.losses.lost, sound().read.losses.lost);
        }
        if (HasFailure()) return;
      }
      damaged[at] = static_cast<char>(was);
    }
  }
}

TEST_P(DamageTest, EveryTruncation) {
  for (std::size_t size = 0; size < sound().bytes.size() && !HasFailure(); ++size) {
    SCOPED_TRACE("size " + std::to_string(size));
    const std::string damaged = sound().bytes.substr(0, size);
    const ReadLog read = read_log(damaged);
    const auto lost = sound().touched(damaged);
    ASSERT_EQ(read.opened, size >= 4);  // the magic
    if (!read.opened) continue;
    EXPECT_LT(read.peak_bytes, kFairMemory);
    std::size_t torn = 0;
    std::set<test::Place> left;
    for (std::size_t i = 0; i < sound().blocks.size(); ++i) {
      const SoundBlock& block = sound().blocks[i];
      torn += block.begin < size && size < block.payload_end ? 1 : 0;
      if (lost.count(i) == 0) left.insert({block.begin + format::kBlockHeaderSize, 0});
    }
    EXPECT_EQ(read.damage.size(), torn);
    if (torn != 0) {
      EXPECT_EQ(read.damage[0].kind, DamageKind::kTornTail);
    }
    // All records of whole blocks are there: times and names may differ where clock points and renamings were cut off.
    std::size_t expected = 0;
    for (const auto& [place, record] : sound().read.records) expected += left.count({place.first, 0});
    EXPECT_EQ(read.records.size(), expected);
    std::map<test::Place, const test::Shown*> sound_records;
    for (const auto& [place, record] : sound().read.records) sound_records[place] = &record;
    for (const auto& [place, record] : read.records) {
      ASSERT_EQ(sound_records.count(place), 1u);
      EXPECT_EQ(record.what.substr(0, 9), sound_records[place]->what.substr(0, 9));
    }
  }
}

TEST_P(DamageTest, EveryHole) {
  for (const std::size_t length : {8u, 64u, 512u}) {
    for (std::size_t at = 8; at + length <= sound().bytes.size() && !HasFailure(); at += 8) {
      SCOPED_TRACE("a hole of " + std::to_string(length) + " at " + std::to_string(at));
      std::string damaged = sound().bytes;
      std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
      check(damaged);
    }
  }
}

TEST_P(DamageTest, SessionAfterEveryTornTail) {
  constexpr std::size_t kStep = test::kThreadSanitizer ? 7 : test::kAddressSanitizer ? 3 : 1;
  FileBuilder next;
  next.session(0x77).site(16, Level::kInfo, "restarted {}", "i").thread(0, 1, "main");
  next.log(0, 16, FileBuilder::kStart, test::Args().i32(1)).end();
  for (std::size_t size = 8; size < sound().bytes.size() && !HasFailure(); size += kStep) {
    SCOPED_TRACE("cut at " + std::to_string(size));
    std::string damaged = sound().bytes.substr(0, size);
    damaged.resize(round_up(size, 8));  // where the next process appends
    const ReadLog before = read_log(damaged);
    damaged += next.bytes();
    const ReadLog read = read_log(damaged);
    EXPECT_EQ(read.records.size(), before.records.size() + 1);
    EXPECT_EQ(read.losses.sessions, before.losses.sessions + 1);
    EXPECT_EQ(read.losses.lost, before.losses.lost);
    EXPECT_EQ(read.damage.empty(), before.damage.empty());
    std::vector<test::Shown> shown = before.shown();
    std::size_t same = 0;
    for (const auto& [place, record] : read.records) {
      if (record.what == "restarted 1") continue;
      ASSERT_LT(same, shown.size());
      EXPECT_EQ(record, shown[same++]);
    }
    EXPECT_EQ(same, shown.size());
  }
}

// A hostile writer can make checksums hold while the content lies.
TEST_P(DamageTest, RandomContentUnderGoodChecksums) {
  std::uint64_t state = 88172645463325252ull;
  const auto random = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  };
  for (int round = 0; round < test::random_cases(5000); ++round) {
    std::string bytes = sound().bytes;
    const SoundBlock& block = sound().blocks[random() % sound().blocks.size()];
    const std::size_t length = block.payload_end - block.begin - 16;
    for (std::uint64_t n = 1 + random() % 3; n != 0; --n) {
      bytes[block.begin + 16 + random() % length] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
    }
    ByteBuffer fixed;
    const format::SessionTag tag = test::tag_at(sound().bytes, block.begin);
    const std::size_t start = format::begin_block(fixed, block.type, tag);
    fixed.put_bytes(bytes.data() + block.begin + 16, length);
    format::end_block(fixed, start);
    std::memcpy(bytes.data() + block.begin, fixed.data(), fixed.size());
    const ReadLog read = read_log(bytes);
    ASSERT_LT(read.peak_bytes, std::size_t{1} << 24);
  }
}

}  // namespace
}  // namespace steno::reader
