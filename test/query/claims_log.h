// A log whose blocks state zones, and the same with a zone that lies. Checksums hold.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "base/checksum.h"
#include "format/block.h"
#include "reader/log_set.h"

namespace steno::test {

inline constexpr std::size_t kBlocks = 3;
inline constexpr std::uint32_t kRecords = 1000;  // a block

// Returns the first argument of a record. In each block it is 100 * block + 0 .. 99, by a different codec; the others
// are constant.
inline std::int32_t value_of(std::size_t block, std::size_t i) {
  const std::size_t within = block == 0 ? i * 37 % 100 : block == 1 ? i / 10 : i % 2 * 99;
  return static_cast<std::int32_t>(100 * block + within);
}

inline std::string three_blocks() {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "value {v} key {k}", "ii");
  for (std::size_t block = 0; block < kBlocks; ++block) {
    for (std::size_t i = 0; i < kRecords; ++i) {
      const auto at = FileBuilder::kStart + static_cast<std::int64_t>(block * kRecords + i);
      b.log(0, 16, static_cast<std::uint64_t>(at),
            Args().i32(value_of(block, i)).i32(static_cast<std::int32_t>(i / 500)));
    }
    b.flush();
  }
  return b.end().bytes();
}

inline void renew_checksum(std::string* bytes, const reader::BlockEntry& entry) {
  auto* file = reinterpret_cast<std::uint8_t*>(bytes->data());
  format::BlockHeader session;
  EXPECT_TRUE(format::parse_header(file, bytes->size(), &session));
  std::uint8_t* p = file + entry.header_offset();
  const std::uint64_t sum = xxh3(p + format::kBlockHeaderSize, entry.length, load<std::uint64_t>(p + 4));
  store(p + 12, static_cast<std::uint32_t>(sum) ^ format::mark_of(file, session));
}

// The log with other ends of the zone of argument `column` in one block.
inline std::string with_zone(std::string bytes, std::size_t block, std::size_t column, std::int32_t least,
                             std::int32_t greatest) {
  const TempFile file(bytes);
  reader::LogSet logs;
  EXPECT_TRUE(logs.add(file.path()).ok());
  const reader::LogFile& log = *logs.files()[0];
  const reader::BlockEntry& entry = log.blocks()[block];
  const auto data = log.open_block(entry);
  EXPECT_TRUE(data.ok());
  const auto column_bytes = data->column_bytes(0, column);
  const std::string_view within(reinterpret_cast<const char*>(column_bytes.data()), column_bytes.size());
  const std::size_t at = bytes.find(within, entry.offset);
  store(reinterpret_cast<std::uint8_t*>(bytes.data()) + at + 1, least);
  store(reinterpret_cast<std::uint8_t*>(bytes.data()) + at + 5, greatest);
  renew_checksum(&bytes, entry);
  return bytes;
}

}  // namespace steno::test
