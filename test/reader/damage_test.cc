// Damage, exhaustively: every flipped bit and every truncation of small files. Whatever is whole must still be read,
// and whatever is not must be told.
#include <gtest/gtest.h>

#include <algorithm>

#include "file_builder.h"
#include "reader/losses.h"
#include "reader/merge.h"
#include "reader/message.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using format::BlockType;
using test::Args;
using test::FileBuilder;
using test::TempFile;

constexpr std::uint64_t kT = FileBuilder::kStart;

struct SoundBlock {
  BlockType type;
  std::size_t begin;
  std::size_t payload_end;  // filling follows
  std::size_t end;
  std::vector<std::uint64_t> numbers;  // of the records in it
};

struct Sound {
  std::string bytes;
  std::vector<SoundBlock> blocks;
};

// Each record carries a number of its own as its first argument.
Sound make_file(bool rows) {
  FileBuilder builder(rows);
  std::uint64_t number = 0;
  std::vector<std::vector<std::uint64_t>> numbers;
  for (std::uint64_t session = 1; session <= 2; ++session) {
    builder.session(session)
        .site(16, Level::kInfo, "number {} {}", "mS")
        .site(17, Level::kError, "number {} {:.1f}", "md");
    builder.logger(1, "net").thread(0, 1, "a").thread(1, 2, "b");
    for (int block = 0; block < 2; ++block) {
      numbers.emplace_back();
      for (int i = 0; i < 5; ++i, ++number) {
        const std::uint64_t ticks = kT + session * 1000 + number * 7;
        numbers.back().push_back(number);
        if (i % 2 == 0) {
          builder.log(0, 16, ticks, Args().u64(number).text("text " + std::to_string(number)));
        } else {
          builder.log(1, 17, ticks, Args().u64(number).f64(0.5), 1);
        }
      }
      builder.flush();
    }
    format::ClockPoint point;
    point.ticks = static_cast<std::uint64_t>(point.wall_ns = kT);
    builder.clock({point}).end();
  }
  Sound sound;
  sound.bytes = builder.bytes();
  BlockScanner scanner({reinterpret_cast<const std::uint8_t*>(sound.bytes.data()), sound.bytes.size()});
  std::size_t data_blocks = 0;
  while (const auto block = scanner.next()) {
    const std::size_t begin = block->offset;
    sound.blocks.push_back(
        {block->header.type, begin, begin + 16 + block->header.length, begin + block->header.total_size(), {}});
    const bool data = block->header.type == BlockType::kColumns || block->header.type == BlockType::kRows;
    if (data) sound.blocks.back().numbers = numbers[data_blocks++];
  }
  return sound;
}

struct Read {
  bool opened = false;
  std::vector<std::uint64_t> numbers;  // of records that were read with their arguments, in the order of the merge
  std::size_t records = 0;             // all of them
  bool told = false;                   // damage, or a block that cannot be used
  LossReport losses;
};

Read read_all(const std::string& bytes) {
  const TempFile file(bytes);
  Read result;
  LogSet logs;
  if (!logs.add(file.path()).ok()) return result;
  result.opened = true;
  Merge merge(logs, {});
  Slice slice;
  ByteBuffer text;
  while (merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      const DecodedGroup& group = slice.block->group(i);
      std::vector<text::Value> values(group.columns);
      slice.block->values(i, values.data());
      append_message(group, values, text);
      ++result.records;
      if (group.site->known() && !values.empty()) result.numbers.push_back(values[0].bits);
    }
  }
  result.losses = find_losses(*logs.files()[0], {.drops = true, .content = true});
  result.told = !logs.files()[0]->damage().empty() || !merge.failures().empty();
  return result;
}

std::vector<std::uint64_t> numbers_outside(const Sound& sound, const SoundBlock* lost) {
  std::vector<std::uint64_t> numbers;
  for (const SoundBlock& block : sound.blocks) {
    if (&block != lost) numbers.insert(numbers.end(), block.numbers.begin(), block.numbers.end());
  }
  return numbers;
}

class DamageTest : public testing::TestWithParam<bool> {
 protected:
  const bool rows_ = GetParam();
  const Sound sound_ = make_file(rows_);
};
INSTANTIATE_TEST_SUITE_P(Blocks, DamageTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "Rows" : "Columns"; });

TEST_P(DamageTest, NoneAtFirst) {
  const Read result = read_all(sound_.bytes);
  EXPECT_EQ(result.numbers, numbers_outside(sound_, nullptr));
  EXPECT_FALSE(result.told);
  EXPECT_TRUE(result.losses.complete());
}

TEST_P(DamageTest, EveryFlip) {
  for (const SoundBlock& block : sound_.blocks) {
    const std::vector<std::uint64_t> others = numbers_outside(sound_, &block);
    for (std::size_t at = block.begin; at < block.end; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bytes = sound_.bytes;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        const Read result = read_all(bytes);
        SCOPED_TRACE("byte " + std::to_string(at) + " bit " + std::to_string(bit));
        ASSERT_TRUE(result.opened);
        if (at >= block.payload_end) {
          ASSERT_EQ(result.numbers, numbers_outside(sound_, nullptr));
          continue;
        }
        ASSERT_TRUE(result.told);
        ASSERT_FALSE(result.losses.complete());
        if (block.type == BlockType::kDictionary) {
          // Columns show their records without text; rows cannot be read at all. Other sessions are whole.
          ASSERT_EQ(result.records, rows_ ? 10u : 20u);
          ASSERT_EQ(result.numbers.size(), 10u);
        } else {
          ASSERT_EQ(result.numbers, others);
          const bool data = !block.numbers.empty();
          ASSERT_EQ(result.losses.lost, data ? block.numbers.size() : result.losses.lost);
        }
      }
    }
  }
}

TEST_P(DamageTest, EveryTruncation) {
  for (std::size_t size = 0; size < sound_.bytes.size(); ++size) {
    const Read result = read_all(sound_.bytes.substr(0, size));
    SCOPED_TRACE("size " + std::to_string(size));
    std::vector<std::uint64_t> whole;
    bool torn = true;
    for (const SoundBlock& block : sound_.blocks) {
      if (block.payload_end <= size) whole.insert(whole.end(), block.numbers.begin(), block.numbers.end());
      if (size >= block.payload_end && size <= block.end) torn = false;
    }
    ASSERT_EQ(result.numbers, whole);
    if (size < 4) {
      ASSERT_FALSE(result.opened);  // not even the magic
    } else {
      ASSERT_EQ(result.told, torn);
    }
    if (result.opened && size < sound_.blocks.back().payload_end && result.losses.sessions != 1) {
      ASSERT_FALSE(result.losses.complete());
    }
  }
}

TEST_P(DamageTest, RandomBytesInDataBlocksWithGoodChecksums) {
  // What a hostile writer can do: the checksum holds, the content lies. Nothing may crash, hang or ask for much memory.
  std::uint64_t state = 88172645463325252ull;
  const auto random = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  };
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = sound_.bytes;
    const SoundBlock& block = sound_.blocks[random() % sound_.blocks.size()];
    const std::size_t length = block.payload_end - block.begin - 16;
    for (std::uint64_t n = 1 + random() % 3; n != 0; --n) {
      bytes[block.begin + 16 + random() % length] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
    }
    ByteBuffer fixed;
    const std::size_t start =
        format::begin_block(fixed, block.type, load<std::uint16_t>(bytes.data() + block.begin + 6));
    fixed.put_bytes(bytes.data() + block.begin + 16, length);
    format::end_block(fixed, start);
    std::memcpy(bytes.data() + block.begin, fixed.data(), fixed.size());
    (void)read_all(bytes);
  }
}

}  // namespace
}  // namespace steno::reader
