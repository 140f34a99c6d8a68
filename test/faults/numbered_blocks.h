// Files of blocks that have numbers, as OutputFile writes them, and what a reader finds there.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "../temp_directory.h"
#include "base/bytes.h"
#include "format/block.h"
#include "reader/block_scanner.h"
#include "reader/temp_file.h"

namespace steno_test {

using steno::ByteBuffer;

class OutputFileTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name = "log.steno") const { return directory_ + "/" + name; }

  const steno::test::TempDirectory made_;
  std::string directory_ = made_.path();
  std::mt19937 random_{7};
};

inline std::string text(const ByteBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A block whose payload starts with its number.
inline ByteBuffer block(std::uint64_t number, std::size_t size) {
  ByteBuffer out;
  const std::size_t start = steno::format::begin_block(out, steno::format::BlockType::kRows, 0);
  out.put(std::uint32_t{steno::format::kFileVersion});
  out.put(number);
  std::memset(out.grow(size), static_cast<int>(number), size);
  steno::format::end_block(out, start);
  return out;
}

inline constexpr std::uint64_t kPaddingNumber = ~std::uint64_t{0};

// The numbers of the blocks of a file, in order, each where it first stands.
inline std::vector<std::uint64_t> numbers(const std::string& bytes, std::size_t* damages) {
  steno::reader::BlockScanner scanner({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  scanner.know(0);
  std::vector<std::uint64_t> out;
  while (const auto found = scanner.next()) {
    if (found->offset % 8 != 0) continue;  // pushed off its place by another writer, and written once more after that
    if (found->header.type == steno::format::BlockType::kPadding) {
      out.push_back(kPaddingNumber);
      continue;
    }
    const auto number = steno::load<std::uint64_t>(found->payload.data() + 4);
    if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
  }
  *damages = scanner.damage().size();
  return out;
}

// The numbers of what is not padding; fails the test where there is damage.
inline std::vector<std::uint64_t> whole_numbers(const std::string& path) {
  std::size_t damages = 0;
  std::vector<std::uint64_t> out = numbers(steno::test::read_file(path), &damages);
  EXPECT_EQ(damages, 0u);
  std::erase(out, kPaddingNumber);
  return out;
}

}  // namespace steno_test
