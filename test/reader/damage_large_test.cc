// Random damage to a file of many megabytes: flips, overwritten and zeroed ranges, a cut tail. Every record of every
// block that was not hit is compared with what it was.
#include <gtest/gtest.h>

#include <random>

#include "../random_cases.h"
#include "damaged_log.h"
#include "file_builder.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::SoundBlock;
using test::SoundLog;

constexpr std::uint64_t kLargeBlocks = 160;
constexpr std::uint64_t kRecordsOfLargeBlock = 1000;
constexpr std::uint32_t kRings = 4;

std::string large_log() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "request {} from {}", "mS").site(17, Level::kWarn, "took {:.3f} ms", "d");
  b.site(18, Level::kError, "%s: %d", "Si", 0, wire::Style::kPrintf);
  for (std::uint32_t ring = 0; ring < kRings; ++ring) b.thread(ring, ring + 1, "worker " + std::to_string(ring));
  std::mt19937_64 random(3);
  std::uint64_t t = FileBuilder::kStart;
  for (std::uint64_t block = 0; block < kLargeBlocks; ++block) {
    for (std::uint64_t i = 0; i < kRecordsOfLargeBlock; ++i) {
      const auto ring = static_cast<std::uint32_t>(random() % kRings);
      t += random() % 1000;
      std::string noise(64, ' ');  // so that the file is large
      for (char& c : noise) c = static_cast<char>('a' + random() % 26);
      switch (random() % 3) {
        case 0:
          b.log(ring, 16, t, Args().u64(random()).text(noise.substr(32)));
          break;
        case 1:
          b.log(ring, 17, t, Args().f64(static_cast<double>(random()) * 1e-9));
          break;
        default:
          b.log(ring, 18, t, Args().text(noise).i32(static_cast<std::int32_t>(random())));
      }
    }
    b.flush();
  }
  return b.end().bytes();
}

class DamageLarge : public testing::Test {
 protected:
  static const SoundLog& sound() {
    static const SoundLog log(large_log());
    return log;
  }
  // Session and dictionary are left alone: small files tell what becomes of records without them.
  static std::size_t first_data() {
    std::size_t i = 0;
    while (!sound().blocks[i].is_data()) ++i;
    return sound().blocks[i].begin;
  }

  std::size_t place() { return first_data() + random_() % (sound().bytes.size() - first_data()); }

  void damage_once(std::string* bytes) {
    const std::size_t at = place();
    const std::size_t length = std::min<std::size_t>(std::size_t{1} << random_() % 18, bytes->size() - at);
    switch (random_() % 4) {
      case 0:
        (*bytes)[at] = static_cast<char>((*bytes)[at] ^ 1 << random_() % 8);
        break;
      case 1:
        std::fill_n(bytes->begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
        break;
      case 2:
        for (std::size_t i = 0; i < length; ++i) (*bytes)[at + i] = static_cast<char>(random_());
        break;
      default:  // a piece of the file itself, false block starts among it
        bytes->replace(at, length, sound().bytes, place(), length);
    }
    bytes->resize(sound().bytes.size());
  }

  std::mt19937_64 random_{20};
};

TEST_F(DamageLarge, RandomDamage) {
  ASSERT_GT(sound().bytes.size(), std::size_t{4} << 20);
  ASSERT_TRUE(sound().read.losses.complete());
  for (int round = 0; round < test::random_cases(12) && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::string damaged = sound().bytes;
    for (std::uint64_t n = 1 + random_() % 12; n != 0; --n) damage_once(&damaged);
    const bool cut = round % 3 == 0;
    if (cut) damaged.resize(damaged.size() - random_() % (damaged.size() / 4));
    const auto lost = sound().touched(damaged);
    const test::ReadLog read = test::read_log(damaged);
    std::uint64_t records = 0;
    for (const std::size_t i : lost) records += sound().blocks[i].records;
    EXPECT_EQ(read.records.size(), sound().read.records.size() - records);
    // A piece of the file over the file may be a whole block, which then is a repetition: its records are those of the
    // first copy, wherever that lies. So what is shown is compared by content here, in its order.
    std::set<std::uint64_t> payloads;
    for (const std::size_t i : lost) payloads.insert(sound().blocks[i].begin + format::kBlockHeaderSize);
    std::vector<test::Shown> expected;
    for (const auto& [at, record] : sound().read.records) {
      if (payloads.count(at.first) == 0) expected.push_back(record);
    }
    EXPECT_TRUE(read.shown() == expected);
    const bool ended = lost.count(sound().blocks.size() - 1) == 0;
    if (ended) {
      EXPECT_EQ(read.losses.lost, records);
    }
    EXPECT_FALSE(read.losses.complete());
    // The bound is on memory besides the records that the test itself keeps.
    EXPECT_LT(read.peak_bytes, std::size_t{160} << 20);
  }
}

}  // namespace
}  // namespace steno::reader
