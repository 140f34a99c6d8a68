// Files are not trusted: whatever bytes a block has, batches are valid, and what cannot be read is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../random_cases.h"
#include "arrow_consumer.h"
#include "base/checksum.h"
#include "format/block.h"
#include "query/random_log.h"
#include "reader/temp_file.h"
#include "steno/reader.h"

namespace steno {
namespace {

using test::ArrowTable;
using test::TempFile;
using Rows = std::vector<std::vector<test::ArrowCell>>;
using Shape = BatchOptions::Shape;

struct HostileBlocks {
  std::vector<std::size_t> at;
  explicit HostileBlocks(const std::string& bytes) {
    for (std::size_t i = 0; i + format::kBlockHeaderSize <= bytes.size();) {
      format::BlockHeader header;
      if (!format::parse_header(reinterpret_cast<const std::uint8_t*>(bytes.data()) + i, bytes.size() - i, &header))
        break;
      if (header.type == format::BlockType::kColumns || header.type == format::BlockType::kRows ||
          header.type == format::BlockType::kDictionary) {
        at.push_back(i);
      }
      i += header.total_size();
    }
  }
};

// Payload bytes changed under checksums that hold.
std::string mutated(std::string bytes, std::mt19937& random) {
  const HostileBlocks blocks(bytes);
  for (int change = 0; change < 3; ++change) {
    const std::size_t at = blocks.at[random() % blocks.at.size()];
    auto* p = reinterpret_cast<std::uint8_t*>(bytes.data()) + at;
    format::BlockHeader header;
    EXPECT_TRUE(format::parse_header(p, bytes.size() - at, &header));
    if (header.length == 0) continue;
    const std::uint32_t mark = format::mark_of(p, header);
    const std::size_t head = std::min<std::size_t>(header.length, 200);
    p[format::kBlockHeaderSize + random() % (random() % 2 == 0 ? head : header.length)] =
        static_cast<std::uint8_t>(random());
    store(p + 12,
          static_cast<std::uint32_t>(xxh3(p + format::kBlockHeaderSize, header.length, load<std::uint64_t>(p + 4))) ^
              mark);
  }
  return bytes;
}

TEST(BatchHostile, ShowWhatForEachShows) {
  constexpr std::size_t kMostRows = 20'000;  // a few bytes may claim millions of records
  std::size_t unreadable = 0;
  for (const bool rows : {false, true}) {
    std::mt19937 random(rows ? 1 : 2);
    const std::string sound = test::random_log(21, rows, 8, 600).bytes;
    for (int round = 0; round < test::random_cases(80); ++round) {
      const TempFile file(mutated(sound, random));
      auto log = LogReader::open({file.path()});
      if (!log.ok()) continue;
      ReadFilter unsorted;
      unsorted.sort = false;
      Rows expected;
      log->for_each(unsorted, [&](const Record& r) {
        expected.push_back({std::to_string(r.time_ns()), r.message()});
        return expected.size() < kMostRows;
      });
      for (const Shape shape : {Shape::kLog, Shape::kStatement}) {
        BatchOptions options;
        options.shape = shape;
        options.columns = {"time", "message"};
        if (shape == Shape::kStatement) options.columns.clear();
        options.dictionary_strings = round % 2 == 0;
        ArrowTable table;
        const auto read = [&](const Batch& batch) {
          ArrowSchema schema;
          ArrowArray array;
          batch.export_arrow(&schema, &array);
          table.fields.clear();
          read_schema(schema, &table);
          read_array(schema, array, &table);
          schema.release(&schema);
          array.release(&array);
          return table.rows.size() < kMostRows;
        };
        EXPECT_TRUE(log->for_each_batch(options, read).ok());
        if (shape == Shape::kStatement || table.rows.size() >= kMostRows || expected.size() >= kMostRows) continue;
        ASSERT_EQ(table.rows.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          ASSERT_EQ(table.rows[i][0], expected[i][0]);
          if (!test::is_valid_utf8(*expected[i][1])) continue;
          ASSERT_EQ(table.rows[i][1], expected[i][1]);
        }
      }
      unreadable += log->losses().empty() ? 0 : 1;
    }
  }
  EXPECT_GT(unreadable, 0u);
}

}  // namespace
}  // namespace steno
