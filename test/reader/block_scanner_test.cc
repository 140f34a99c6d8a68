#include "reader/block_scanner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "../sanitizers.h"

namespace steno::reader {
namespace {

using format::BlockType;

std::string block(const std::string& payload, std::uint8_t type = 9) {
  ByteBuffer out;
  const std::size_t start = format::begin_block(out, static_cast<BlockType>(type), 7);
  out.put_bytes(payload.data(), payload.size());
  format::end_block(out, start);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

struct Scan {
  std::vector<std::string> payloads;
  std::vector<Damage> damage;
};

Scan scan_with(const std::string& file, const LookAhead& ahead) {
  BlockScanner scanner({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}, ahead);
  scanner.know(7);
  Scan result;
  while (const auto found = scanner.next()) {
    result.payloads.emplace_back(reinterpret_cast<const char*>(found->payload.data()), found->payload.size());
  }
  result.damage = scanner.damage();
  return result;
}

// Scans with one thread, and with two that look ahead: near, and far.
Scan scan(const std::string& file) {
  const Scan result = scan_with(file, {});
  for (const std::uint64_t window : {1, 40, 1 << 20}) {
    const Scan ahead = scan_with(file, {2, window});
    EXPECT_EQ(ahead.payloads, result.payloads) << window;
    EXPECT_EQ(ahead.damage.size(), result.damage.size()) << window;
    for (std::size_t i = 0; i < std::min(ahead.damage.size(), result.damage.size()); ++i) {
      EXPECT_EQ(ahead.damage[i].kind, result.damage[i].kind);
      EXPECT_EQ(ahead.damage[i].offset, result.damage[i].offset);
      EXPECT_EQ(ahead.damage[i].size, result.damage[i].size);
      EXPECT_EQ(ahead.damage[i].reason, result.damage[i].reason);
    }
  }
  return result;
}

const std::vector<std::string> kThree = {"first", "the second one", "3"};

std::string three() {
  return block(kThree[0]) + block(kThree[1]) + block(kThree[2]);
}

TEST(BlockScanner, Sound) {
  const Scan result = scan(three());
  EXPECT_EQ(result.payloads, kThree);
  EXPECT_TRUE(result.damage.empty());
}

TEST(BlockScanner, EmptyAndForeign) {
  EXPECT_TRUE(scan("").damage.empty());
  const Scan foreign = scan("this is a text file, and no log at all");
  EXPECT_TRUE(foreign.payloads.empty());
  ASSERT_EQ(foreign.damage.size(), 1u);
  EXPECT_EQ(foreign.damage[0].size, 38u);
}

TEST(BlockScanner, EveryFlipLosesItsBlockOnly) {
  const std::string sound = three();
  const std::size_t second = block(kThree[0]).size();
  const std::size_t third = second + block(kThree[1]).size();
  for (std::size_t at = second; at < second + 16 + kThree[1].size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string file = sound;
      file[at] = static_cast<char>(file[at] ^ (1 << bit));
      const Scan result = scan(file);
      ASSERT_EQ(result.payloads, (std::vector<std::string>{kThree[0], kThree[2]})) << at << " bit " << bit;
      ASSERT_EQ(result.damage.size(), 1u);
      EXPECT_EQ(result.damage[0].offset, second);
      EXPECT_EQ(result.damage[0].size, third - second);
    }
  }
}

TEST(BlockScanner, EveryTruncationIsATornTail) {
  const std::string sound = three();
  const std::size_t third = sound.size() - block(kThree[2]).size();
  for (std::size_t size = third + 1; size < third + 17; ++size) {
    const Scan result = scan(sound.substr(0, size));
    EXPECT_EQ(result.payloads.size(), 2u);
    ASSERT_EQ(result.damage.size(), 1u) << size;
    EXPECT_EQ(result.damage[0].kind, DamageKind::kTornTail);
    EXPECT_EQ(result.damage[0].offset, third);
    EXPECT_EQ(result.damage[0].size, size - third);
  }
  // Only the filling is cut: nothing is lost.
  const Scan filling = scan(sound.substr(0, third + 17));
  EXPECT_EQ(filling.payloads, kThree);
  EXPECT_TRUE(filling.damage.empty());
}

TEST(BlockScanner, GoesOnAfterATornBlock) {
  // A session appended after a torn tail starts at the next multiple of 8.
  const std::string torn = block(kThree[0]) + block(kThree[1]).substr(0, 24);
  const Scan result = scan(torn + block(kThree[2]));
  EXPECT_EQ(result.payloads, (std::vector<std::string>{kThree[0], kThree[2]}));
  ASSERT_EQ(result.damage.size(), 1u);
  EXPECT_EQ(result.damage[0].size, 24u);
}

TEST(BlockScanner, HoleOfZeros) {
  const Scan result = scan(block(kThree[0]) + std::string(4096, '\0') + block(kThree[2]));
  EXPECT_EQ(result.payloads.size(), 2u);
  ASSERT_EQ(result.damage.size(), 1u);
  EXPECT_EQ(result.damage[0].kind, DamageKind::kZeros);
  EXPECT_EQ(result.damage[0].size, 4096u);
}

// Small sound blocks, each before a header that leads astray: to look ahead is never of use, and does no harm.
TEST(BlockScanner, HostileLengthsLeadAstray) {
  constexpr int kBlocks = test::sampled(1000);
  std::string header = block("").substr(0, 16);
  store(header.data() + 8, std::uint32_t{100'000});
  std::string file;
  for (int i = 0; i < kBlocks; ++i) file += block(std::to_string(i)) + header + std::string(49'968, 'x');
  const Scan result = scan_with(file, {2, 1 << 16});
  EXPECT_EQ(result.payloads.size(), std::size_t{kBlocks});
  EXPECT_EQ(result.payloads, scan_with(file, {}).payloads);
}

TEST(BlockScanner, HostileStartsStayCheap) {
  if (test::kThreadSanitizer) GTEST_SKIP() << "hashing takes it minutes";
  // Headers without end, each asking for a hash of all that follows.
  std::string header = block("").substr(0, 16);
  std::string file;
  for (int i = 0; i < 200'000; ++i) file += header;
  for (std::size_t at = 0; at < file.size(); at += 16)
    store(file.data() + at + 8, static_cast<std::uint32_t>(2'000'000));
  const auto start = std::chrono::steady_clock::now();
  const Scan result = scan(file);
  EXPECT_TRUE(result.payloads.empty());
  EXPECT_FALSE(result.damage.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace steno::reader
