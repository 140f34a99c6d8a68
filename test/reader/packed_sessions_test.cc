// Files with packed sessions (file.md §15) are read as if these were not packed; what is damaged is reported.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "../mutations.h"
#include "file_builder.h"
#include "format/end_block.h"
#include "format/packed_session.h"
#include "format/session_block.h"
#include "indexed_log.h"
#include "memory_file.h"
#include "reader/losses.h"
#include "reader/merge.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::MemoryFile;

constexpr std::uint64_t kSessions = 12;

std::uint64_t id_of(std::uint64_t n) {
  return 0x9876'5432'1000'0000 + n * 0x10'0001;
}

// A record of its own number.
std::string session(std::uint64_t n) {
  FileBuilder builder;
  builder.session(id_of(n), 1, static_cast<std::uint32_t>(4000 + n))
      .site(16, Level::kInfo, "connection {number} of {user}, which has a long format so that it is worth something",
            "mS")
      .thread(0, 1, "main", 4000 + n)
      .clock({{1000 * n, static_cast<std::int64_t>(FileBuilder::kStart + 1'000'000 * n), 1.0, 100, 0}});
  builder.log(0, 16, 1000 * n + 17, Args().u64(n).text("user" + std::to_string(n % 3))).end();
  return builder.bytes();
}

std::string string_of(const ByteBuffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

struct Parts {
  std::string first;                // sessions 0 and 1, as they are
  std::string model;                // session 1 again
  std::vector<std::string> packed;  // the others
};

Parts parts() {
  Parts parts;
  ByteBuffer model;
  for (std::uint64_t n = 0; n < kSessions; ++n) {
    const std::string bytes = session(n);
    ByteBuffer blocks;
    blocks.put_bytes(bytes.data(), bytes.size());
    EXPECT_TRUE(n == 0 || format::raise_version(&blocks));
    if (n < 2) parts.first += string_of(blocks);
    ByteBuffer bare;
    EXPECT_TRUE(format::append_bare({blocks.data(), blocks.size()}, bare));
    ByteBuffer out;
    if (n == 1) {
      format::append_model(out, id_of(n), {bare.data(), bare.size()});
      parts.model = string_of(out);
      model = std::move(bare);
    } else if (n > 1) {
      EXPECT_TRUE(
          format::append_packed_session(out, id_of(n), {bare.data(), bare.size()}, {model.data(), model.size()}));
      parts.packed.push_back(string_of(out));
    }
  }
  return parts;
}

std::string joined(const std::vector<std::string>& all) {
  std::string bytes;
  for (const std::string& part : all) bytes += part;
  return bytes;
}

struct Seen {
  std::multiset<std::uint64_t> numbers;
  std::multiset<std::string> records;  // with what is known of their sessions
  LossReport report;
  std::size_t sessions = 0;
};

Seen see(LogSet& logs) {
  Seen seen;
  seen.report = find_losses(*logs.files().front(), {.content = true});
  seen.sessions = logs.files().front()->sessions().size();
  Merge merge(logs, {});
  Slice slice;
  while (merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      text::Value values[2];
      slice.block->values(i, values);
      seen.numbers.insert(values[0].bits);
      seen.records.insert(std::to_string(slice.block->wall(i)) + " " + std::to_string(slice.block->session().info.pid) +
                          " " + std::to_string(values[0].bits) + " " + std::string(values[1].string));
    }
  }
  return seen;
}

Seen see(const std::string& bytes, FileBytes::Access access = FileBytes::Access::kMap) {
  const MemoryFile file(bytes);
  LogSet logs(OpenOptions{.access = access});
  return logs.add(file.path()).ok() ? see(logs) : Seen();
}

class StoredBytes final : public ByteSource {
 public:
  explicit StoredBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string name() const override { return "store/packed"; }
  std::uint64_t size() const override { return bytes_.size(); }
  Status read(const Range* ranges, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(ranges[i].to, &bytes_.at(ranges[i].offset), ranges[i].size);
    return {};
  }

 private:
  const std::string bytes_;
};

std::multiset<std::uint64_t> numbers_to(std::uint64_t end) {
  std::multiset<std::uint64_t> all;
  for (std::uint64_t n = 0; n < end; ++n) all.insert(n);
  return all;
}

bool is_clean(const LossReport& report) {
  return report.exact && report.lost == 0 && report.losses.empty();
}

TEST(PackedSessions, AreReadAsTheirBlocks) {
  std::string plain;
  for (std::uint64_t n = 0; n < kSessions; ++n) plain += session(n);
  const Parts part = parts();
  const std::string packed = part.first + part.model + joined(part.packed);
  EXPECT_LT(packed.size() - part.first.size() - part.model.size(), plain.size() / 3);
  const Seen wanted = see(plain);
  EXPECT_EQ(wanted.numbers, numbers_to(kSessions));
  for (const auto access : {FileBytes::Access::kMap, FileBytes::Access::kCopy}) {
    const Seen seen = see(packed, access);
    EXPECT_EQ(seen.records, wanted.records);
    EXPECT_EQ(seen.sessions, kSessions);
    EXPECT_TRUE(is_clean(seen.report));
    EXPECT_EQ(seen.report.records, kSessions);
  }
}

// The file may also have an index, which says nothing of them, and be too large to be read at once.
TEST(PackedSessions, AreReadFromASource) {
  constexpr std::uint64_t kRecords = 200'000;
  FileBuilder builder;
  builder.session(id_of(100), 1).site(16, Level::kInfo, "number {} of {}", "mS").thread(0, 1, "main");
  std::mt19937_64 random(5);
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    builder.log(0, 16, FileBuilder::kStart + i, Args().u64(random() | std::uint64_t{1} << 63).text("one"));
    if (i % 5000 == 4999) builder.flush();
  }
  const std::string large = test::with_indexes(builder.end().bytes(), 10);
  const Parts part = parts();
  for (const std::string& bytes :
       {part.first + part.model + joined(part.packed), large + part.first + part.model + joined(part.packed)}) {
    LogSet logs(OpenOptions{.index_from = 0});
    ASSERT_TRUE(logs.add(std::vector<std::shared_ptr<ByteSource>>{std::make_shared<StoredBytes>(bytes)}).ok());
    Seen seen = see(logs);
    EXPECT_TRUE(is_clean(seen.report));
    EXPECT_EQ(seen.sessions, kSessions + (bytes.size() > large.size() ? 1 : 0));
    EXPECT_EQ(seen.report.records, kSessions + (bytes.size() > large.size() ? kRecords : 0));
    seen.numbers.erase(seen.numbers.lower_bound(std::uint64_t{1} << 63), seen.numbers.end());
    EXPECT_EQ(seen.numbers, numbers_to(kSessions));
    EXPECT_TRUE(logs.files()[0]->source_failure().ok());
  }
}

TEST(PackedSessions, TheModelMayBeAnywhere) {
  const Parts part = parts();
  for (const std::string& bytes :
       {part.first + joined(part.packed) + part.model, part.first + part.model + joined(part.packed) + part.model}) {
    const Seen seen = see(bytes);
    EXPECT_EQ(seen.numbers, numbers_to(kSessions));
    EXPECT_TRUE(is_clean(seen.report));
  }
}

TEST(PackedSessions, ASessionThatIsGoneIsReadFromTheModel) {
  const Parts part = parts();
  std::string first = part.first;
  const std::size_t second = session(0).size();
  first.replace(second, first.size() - second, first.size() - second, '\0');
  const Seen seen = see(first + part.model + joined(part.packed));
  EXPECT_EQ(seen.numbers, numbers_to(kSessions));
}

// Each is reported; what needs it not is there.
TEST(PackedSessions, WithoutTheModelTheyAreReportedAsLost) {
  const Parts part = parts();
  const Seen seen = see(part.first + joined(part.packed));
  EXPECT_EQ(seen.numbers, numbers_to(2));
  EXPECT_FALSE(seen.report.exact);
  EXPECT_EQ(seen.report.losses.size(), kSessions - 2);
}

TEST(PackedSessions, OneThatIsWrittenTwiceIsShownOnce) {
  const Parts part = parts();
  const Seen seen = see(part.first + part.model + part.packed[0] + part.packed[0] + session(2) + joined(part.packed));
  EXPECT_EQ(seen.numbers, numbers_to(kSessions));
  EXPECT_EQ(seen.sessions, kSessions);
  EXPECT_TRUE(is_clean(seen.report));
}

// A flipped bit costs one session at most, and is seen.
TEST(PackedSessions, ADamagedByteIsReported) {
  const Parts part = parts();
  const std::string sound = part.first + part.model + joined(part.packed) + part.model;
  std::mt19937 random(6);
  for (unsigned i = 0; i < 20 * test::mutations(); ++i) {
    std::string bytes = sound;
    const std::size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    const Seen seen = see(bytes);
    for (const std::uint64_t n : std::set<std::uint64_t>(seen.numbers.begin(), seen.numbers.end())) {
      EXPECT_EQ(seen.numbers.count(n), 1u) << "byte " << at;
    }
    if (seen.numbers != numbers_to(kSessions)) {
      EXPECT_GE(seen.numbers.size(), kSessions - 1) << "byte " << at;
      EXPECT_FALSE(is_clean(seen.report)) << "byte " << at;
    }
  }
}

// Whatever is in a packed session whose checksum holds.
TEST(PackedSessions, HostileContentEndsTheSessionAlone) {
  const Parts part = parts();
  std::mt19937 random(7);
  for (unsigned i = 0; i < 20 * test::mutations(); ++i) {
    const std::string& victim = random() % 4 == 0 ? part.model : part.packed[random() % part.packed.size()];
    format::BlockHeader header;
    const auto* p = reinterpret_cast<const std::uint8_t*>(victim.data());
    ASSERT_TRUE(format::parse_header(p, victim.size(), &header));
    std::vector<std::uint8_t> payload(p + format::kBlockHeaderSize, p + format::kBlockHeaderSize + header.length);
    store(payload.data(), std::uint64_t{0x5555'5555} + i);  // a session of its own
    for (unsigned n = 1 + random() % 4; n != 0; --n)
      payload[8 + random() % (payload.size() - 8)] = static_cast<std::uint8_t>(random());
    ByteBuffer block;
    format::append_block(block, format::BlockType::kPacked, format::session_tag(load<std::uint64_t>(payload.data())),
                         payload, header.flags);
    const Seen seen = see(part.first + part.model + string_of(block) + joined(part.packed));
    for (std::uint64_t n = 0; n < kSessions; ++n) EXPECT_GE(seen.numbers.count(n), 1u) << n;
  }
}

// A packed session made of these blocks, after what it is packed by.
std::string packed_of(const Parts& part, std::uint64_t id, const ByteBuffer& blocks) {
  ByteBuffer bare;
  EXPECT_TRUE(format::append_bare({blocks.data(), blocks.size()}, bare));
  const std::string model_bytes = session(1);
  ByteBuffer model_blocks;
  model_blocks.put_bytes(model_bytes.data(), model_bytes.size());
  EXPECT_TRUE(format::raise_version(&model_blocks));
  ByteBuffer model;
  EXPECT_TRUE(format::append_bare({model_blocks.data(), model_blocks.size()}, model));
  ByteBuffer out;
  EXPECT_TRUE(format::append_packed_session(out, id, {bare.data(), bare.size()}, {model.data(), model.size()}));
  return part.first + part.model + string_of(out);
}

// It has no place of its own.
TEST(PackedSessions, DamageInsideIsReportedWhereTheSessionIsAndOnce) {
  const Parts part = parts();
  ByteBuffer blocks;
  FileBuilder builder;
  const std::string begin = builder.session(id_of(99), 1, 99).bytes();
  blocks.put_bytes(begin.data(), begin.size());
  const std::vector<std::uint8_t> nonsense(24, 0xff);
  for (int i = 0; i < 5; ++i) {
    format::append_block(blocks, format::BlockType::kDictionary, format::session_tag(id_of(99)), nonsense);
    format::append_block(blocks, format::BlockType::kColumns, format::session_tag(id_of(99)), nonsense);
  }
  format::append_end_block(blocks, {}, format::session_tag(id_of(99)));
  const std::string bytes = packed_of(part, id_of(99), blocks);
  const MemoryFile file(bytes);
  Ordinals ordinals;
  const auto log = LogFile::open(file.path(), &ordinals);
  ASSERT_TRUE(log.ok());
  ASSERT_EQ((*log)->damage().size(), 1u);
  EXPECT_EQ((*log)->damage()[0].offset, part.first.size() + part.model.size());
  EXPECT_EQ((*log)->damage()[0].offset + (*log)->damage()[0].size, bytes.size());
}

TEST(PackedSessions, OneOfANewerVersionIsReported) {
  const Parts part = parts();
  format::SessionBlock newer;
  newer.version = format::kNewestVersion + 1;
  newer.session_id = id_of(99);
  ByteBuffer blocks;
  format::append_session_block(blocks, newer);
  format::append_end_block(blocks, {}, format::session_tag(id_of(99)));
  const Seen seen = see(packed_of(part, id_of(99), blocks) + joined(part.packed));
  EXPECT_EQ(seen.numbers, numbers_to(kSessions));
  EXPECT_FALSE(seen.report.exact);
}

}  // namespace
}  // namespace steno::reader
