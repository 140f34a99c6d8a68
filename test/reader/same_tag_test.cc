// Whose a block is: sessions with the same 16-bit tag in one file, as two copies of steno in one process make them, and
// logged text that poses as a block.
#include <gtest/gtest.h>

#include <set>

#include "damaged_log.h"
#include "file_builder.h"
#include "indexed_log.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::read_log;
using test::ReadLog;

constexpr std::uint64_t kIds[] = {0x1111'0000'0000'0007, 0x2222'0000'0000'0007, 0x3333'0000'0000'0007};

// Three sessions of one tag whose blocks alternate, each with a dictionary of its own for the same ids.
std::string alternating() {
  FileBuilder builders[3];
  std::size_t taken[3] = {};
  std::string file;
  for (int block = 0; block < 5; ++block) {
    for (int s = 0; s < 3; ++s) {
      FileBuilder& b = builders[s];
      if (block == 0) {
        b.session(kIds[s]).site(16, Level::kInfo, "session " + std::to_string(s) + " says {}", "i");
        b.thread(0, 1, "t" + std::to_string(s));
      }
      b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(10 * block + s), Args().i32(block));
      if (block < 4) b.flush();
      if (block == 4) b.end();
      file += b.bytes().substr(taken[s]);
      taken[s] = b.size();
    }
  }
  return file;
}

void expect_all_three(const std::string& file) {
  for (const OpenOptions& options : {test::kByIndex, kCheckAll}) {
    const ReadLog read = read_log(file, true, options);
    EXPECT_EQ(read.records.size(), 15u);
    EXPECT_TRUE(read.losses.complete());
    EXPECT_EQ(read.losses.sessions, 3u);
    EXPECT_EQ(read.losses.repeated, 0u);
    std::set<std::string> lines;
    for (const test::Shown& shown : read.shown()) lines.insert(shown.who + ": " + shown.what);
    EXPECT_EQ(lines.size(), 15u);
    EXPECT_EQ(lines.count("INFO  t1: session 1 says 3"), 1u);
  }
}

TEST(SameTag, SessionsAreKeptApart) {
  expect_all_three(alternating());
}

TEST(SameTag, TwoFilesOfItAreNotCopies) {
  const std::string file = alternating();
  const ReadLog twice = read_log(file + file);
  EXPECT_EQ(twice.records.size(), 15u);
  EXPECT_EQ(twice.losses.repeated, 15u);
}

// A string that was logged is met again where the block that holds it is damaged.
TEST(SameTag, TextCannotPoseAsABlockOfASession) {
  FileBuilder forger;
  forger.session(0x9999'0000'0000'0007).site(16, Level::kError, "forged", "").thread(0, 1, "forger");
  const std::size_t data_at = forger.flush().size();
  const std::string data = forger.log(0, 16, FileBuilder::kStart).flush().bytes().substr(data_at);
  FileBuilder b;
  b.session(kIds[0]).site(16, Level::kInfo, "user said {}", "S").thread(0, 1, "t");
  b.log(0, 16, FileBuilder::kStart, Args().text("harmless")).flush();
  const std::size_t at = b.size();
  // At each alignment, and with the tag of the session, which is easily guessed.
  std::string text;
  for (int i = 0; i < 8; ++i) text += data + "x" + data;
  b.log(0, 16, FileBuilder::kStart + 1, Args().text(text)).flush();
  std::string file = b.end().bytes();
  file[at + 20] ^= 1;
  const ReadLog read = read_log(file);
  ASSERT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.records[0].second.what, "user said harmless");
  EXPECT_EQ(read.losses.lost, 1u);
}

// All copies of its session block are gone: the blocks prove each other.
TEST(SameTag, BlocksOfANamelessSessionProveEachOther) {
  const std::string file = alternating();
  const test::SoundLog sound(file);
  std::string damaged = file;
  for (const test::SoundBlock& block : sound.blocks) {
    if (block.type == format::BlockType::kSession) damaged[block.begin + 30] ^= 1;
  }
  const ReadLog alone = read_log(damaged);
  EXPECT_EQ(alone.records.size(), 15u);
  EXPECT_FALSE(alone.losses.complete());
}

TEST(SameTag, ADamagedBlockThatIsThereTwiceProvesNothing) {
  const std::string file = alternating();
  const test::SoundLog sound(file);
  std::string damaged = file;
  for (const test::SoundBlock& block : sound.blocks) {
    if (block.is_data()) {
      damaged[block.begin + 20] ^= 1;
      break;
    }
  }
  const ReadLog twice = read_log(damaged + damaged);
  EXPECT_EQ(twice.records.size(), 14u);
  EXPECT_EQ(twice.losses.sessions, 3u);
  EXPECT_FALSE(twice.losses.complete());
}

}  // namespace
}  // namespace steno::reader
