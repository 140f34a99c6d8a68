// Records that a data block is written from, and the block as it is read again.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "record_builder.h"

namespace steno::format {

struct Record {
  std::uint32_t site;
  std::uint16_t logger;
  std::uint64_t clock;
  std::vector<Arg> args;
};

// Writes to a builder and remembers.
class Log {
 public:
  RecordBuilder builder;
  std::vector<Record> records;

  void add(std::uint32_t site, std::uint64_t clock, std::vector<Arg> args, std::uint16_t logger = 0) {
    builder.add(site, clock, args, logger);
    records.push_back({site, logger, clock, std::move(args)});
  }

  ByteBuffer write(WriterOptions options = {}) {
    DataWriter writer(options);
    ByteBuffer out;
    out.put_bytes("something before", 16);
    writer.write(builder.input(), 7, out);
    ByteBuffer block;
    block.put_bytes(out.data() + 16, out.size() - 16);
    return block;
  }
};

// The block in memory of exactly its payload's size.
struct Opened {
  explicit Opened(const ByteBuffer& block, const LayoutSource& layouts) {
    EXPECT_TRUE(parse_header(block.data(), block.size(), &header));
    EXPECT_EQ(header.total_size(), block.size());
    EXPECT_TRUE(checksum_holds(block.data(), header, 0));
    payload.assign(block.data() + kBlockHeaderSize, block.data() + kBlockHeaderSize + header.length);
    auto result = DataBlock::open(header.type, payload, layouts);
    status = result.status();
    if (result.ok()) data = std::move(result).value();
  }

  BlockHeader header;
  std::vector<std::uint8_t> payload;
  Status status;
  DataBlock data;
};

inline void expect_argument(ArgType type, const ColumnValues& values, std::size_t i, const Arg& arg) {
  if (is_string(type)) {
    if (!arg.text) {
      EXPECT_EQ(values.strings[i].data(), nullptr);
    } else {
      EXPECT_NE(values.strings[i].data(), nullptr);
      EXPECT_EQ(values.strings[i], *arg.text);
    }
  } else if (fixed_size(type) == 16) {
    EXPECT_EQ(std::memcmp(values.bytes.data() + 16 * i, arg.wide.data(), 16), 0);
  } else {
    const unsigned unused = 64 - 8 * fixed_size(type);
    const std::uint64_t expected =
        is_signed_integer(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(arg.bits << unused) >> unused)
                                : arg.bits << unused >> unused;
    EXPECT_EQ(values.ints[i], expected);
  }
}

inline void expect_same(const Log& log, const DataBlock& block) {
  ASSERT_EQ(block.records(), log.records.size());
  RawVector<std::uint32_t> order;
  RawVector<std::uint64_t> clocks;
  ASSERT_TRUE(block.decode_order(&order).ok());
  ASSERT_TRUE(block.decode_clocks(&clocks).ok());
  std::vector<std::vector<ColumnValues>> columns(block.groups().size());
  for (std::size_t g = 0; g < columns.size(); ++g) {
    const wire::Layout* layout = log.builder.layout_of(block.groups()[g].site);
    ASSERT_NE(layout, nullptr);
    ASSERT_EQ(block.groups()[g].columns, layout->fields.size());
    columns[g].resize(layout->fields.size());
    for (std::size_t k = 0; k < columns[g].size(); ++k) {
      const Status status = block.decode_column(g, k, layout->fields[k].type, &columns[g][k]);
      ASSERT_TRUE(status.ok()) << status.message();
    }
  }
  std::vector<std::size_t> cursors(columns.size());
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const Record& record = log.records[i];
    const auto& group = block.groups()[order[i]];
    ASSERT_EQ(group.site, record.site);
    ASSERT_EQ(group.logger, record.logger);
    ASSERT_EQ(clocks[i], record.clock);
    const auto& fields = log.builder.layout_of(record.site)->fields;
    const std::size_t at = cursors[order[i]]++;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      expect_argument(fields[k].type, columns[order[i]][k], at, record.args[k]);
    }
  }
}

inline Arg random_arg(char letter, std::mt19937_64& rng) {
  const auto type = static_cast<ArgType>(letter);
  if (is_string(type)) {
    if (rng() % 8 == 0) return Arg::null();
    std::string s((rng() % 20) * unit_size(type), '\0');
    for (char& c : s) c = static_cast<char>('a' + rng() % 4);
    return Arg::of_text(s);
  }
  Arg arg;
  if (fixed_size(type) == 16) {
    arg.wide.resize(16);
    for (char& c : arg.wide) c = static_cast<char>(rng());
    return arg;
  }
  arg.bits = rng() >> rng() % 64;
  return arg;
}

// Many statements, a few records each, of four combinations of types; and one that is logged often. Numbers of one
// statement are alike, of different ones not.
inline void fill_with_many_sites(Log& log, std::uint32_t sites, std::uint64_t seed, std::uint64_t of_each = 3) {
  std::mt19937_64 rng(seed);
  const std::string types[] = {"m", "jS", "id", ""};
  for (std::uint32_t site = 0; site < sites; ++site) log.builder.declare(16 + site, types[site % 4]);
  log.builder.declare(9999, "m");
  for (std::uint64_t i = 0; i < of_each * sites; ++i) {
    const auto site = static_cast<std::uint32_t>(rng() % sites);
    std::vector<Arg> args;
    for (const char letter : types[site % 4]) {
      args.push_back(random_arg(letter, rng));
      if (letter != 'S') args.back().bits = rng() % (std::uint64_t{2} << 3 * (site % 10));
    }
    log.add(16 + site, 1000 * i, args, static_cast<std::uint16_t>(rng() % 20 == 0 ? 3 : 0));
    if (i % 2 == 0) log.add(9999, 1000 * i + 1, {Arg::of_int(static_cast<std::int64_t>(i))});
  }
}

}  // namespace steno::format
