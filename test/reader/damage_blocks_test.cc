// Whole blocks that are there twice, or in another order than they were written: nothing of them is damaged, so all
// must be read, once.
#include <gtest/gtest.h>

#include "damaged_log.h"

namespace steno::reader {
namespace {

using format::BlockType;
using test::read_log;
using test::ReadLog;
using test::SoundBlock;
using test::SoundLog;

class BlocksTest : public testing::TestWithParam<bool> {
 protected:
  static const SoundLog& sound() {
    static const SoundLog columns(test::small_log(false, false));
    static const SoundLog rows(test::small_log(true, false));
    return GetParam() ? rows : columns;
  }

  // The file made of these blocks in this order.
  static std::string made_of(const std::vector<std::size_t>& order) {
    std::string bytes;
    for (const std::size_t i : order) bytes += sound().piece(i);
    return bytes;
  }
  static std::vector<std::size_t> in_order() {
    std::vector<std::size_t> order(sound().blocks.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    return order;
  }

  // Returns whether blocks i < k may change places with nothing lost: they lie after the one dictionary of their
  // session.
  static bool interchangeable(std::size_t i, std::size_t k) {
    const std::vector<SoundBlock>& blocks = sound().blocks;
    if (blocks[i].session != blocks[k].session) return false;
    for (std::size_t at = i; at < blocks.size() && blocks[at].session == blocks[i].session; ++at) {
      if (blocks[at].type == BlockType::kSession || blocks[at].type == BlockType::kDictionary) return false;
    }
    return true;
  }

  static void expect_same(const ReadLog& read) {
    ASSERT_TRUE(read.opened);
    EXPECT_EQ(read.shown(), sound().read.shown());
    EXPECT_TRUE(read.damage.empty());
    EXPECT_EQ(read.losses.lost, sound().read.losses.lost);
    EXPECT_EQ(read.losses.losses.size(), sound().read.losses.losses.size());
    EXPECT_EQ(read.losses.sessions, sound().read.losses.sessions);
  }
};
INSTANTIATE_TEST_SUITE_P(Blocks, BlocksTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "Rows" : "Columns"; });

TEST_P(BlocksTest, EveryBlockTwice) {
  for (std::size_t i = 0; i < sound().blocks.size(); ++i) {
    SCOPED_TRACE("block " + std::to_string(i) + " of type " + std::to_string(static_cast<int>(sound().blocks[i].type)));
    std::vector<std::size_t> order = in_order();
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(i), i);
    const ReadLog read = read_log(made_of(order));
    expect_same(read);
    EXPECT_EQ(read.losses.repeated, sound().blocks[i].records);
  }
}

TEST_P(BlocksTest, EveryBlockOnceMoreAtTheEnd) {
  for (std::size_t i = 0; i < sound().blocks.size(); ++i) {
    if (sound().blocks[i].type == BlockType::kSession) continue;  // would carry the session on (file.md §2)
    SCOPED_TRACE("block " + std::to_string(i) + " of type " + std::to_string(static_cast<int>(sound().blocks[i].type)));
    std::vector<std::size_t> order = in_order();
    order.push_back(i);
    expect_same(read_log(made_of(order)));
  }
}

TEST_P(BlocksTest, TheWholeFileTwice) {
  const ReadLog read = read_log(sound().bytes + sound().bytes);
  expect_same(read);
  EXPECT_EQ(read.losses.repeated, sound().read.records.size());
}

// A dictionary holds from where it is on (file.md §5), so a block that comes before its own has no texts, and rows
// cannot be read at all; data, clock points and ends may come in any order.
TEST_P(BlocksTest, EveryTwoBlocksSwapped) {
  for (std::size_t i = 1; i < sound().blocks.size(); ++i) {  // a file begins with a session block
    for (std::size_t k = i + 1; k < sound().blocks.size(); ++k) {
      SCOPED_TRACE("blocks " + std::to_string(i) + " and " + std::to_string(k) + " of types " +
                   std::to_string(static_cast<int>(sound().blocks[i].type)) + " and " +
                   std::to_string(static_cast<int>(sound().blocks[k].type)));
      std::vector<std::size_t> order = in_order();
      std::swap(order[i], order[k]);
      const ReadLog read = read_log(made_of(order));
      if (interchangeable(i, k)) {
        expect_same(read);
      } else if (!GetParam()) {
        EXPECT_EQ(read.records.size(), sound().read.records.size());
      } else if (read.records.size() < sound().read.records.size()) {
        EXPECT_GT(read.losses.losses.size(), sound().read.losses.losses.size());
      }
    }
  }
}

}  // namespace
}  // namespace steno::reader
