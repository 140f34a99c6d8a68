// Small files that claim much: what a reader holds is bounded whatever they say.
#include <gtest/gtest.h>

#include <functional>

#if STENO_HAVE_ZSTD
#include <zstd.h>
#endif

#include "../sanitizers.h"
#include "damaged_log.h"
#include "file_builder.h"
#include "format/ints/codec.h"
#include "format/packed_session.h"
#include "format/strings_block.h"
#include "memory_count.h"
#include "reader/log_file.h"
#include "reader/merge.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;

constexpr std::uint32_t kMostRecords = 1u << 22;

// A columns block of `records` equal records of site 16 with `columns` constant columns, each of these bytes.
std::string constant_block(std::uint32_t records, std::size_t columns, const std::string& column, std::uint32_t ring,
                           std::uint64_t session = 0x1234) {
  ByteBuffer directory;
  for (int level = 0; level < kLevelCount; ++level) directory.put_varint(level == 2 ? records : 0);
  for (const std::uint64_t v :
       {std::uint64_t{1}, std::uint64_t{ring}, std::uint64_t{records}, std::uint64_t{0}, std::uint64_t{8} * records}) {
    directory.put_varint(v);
  }
  for (const std::uint64_t v : {std::uint64_t{16}, std::uint64_t{0}, std::uint64_t{records}, std::uint64_t{columns}}) {
    directory.put_varint(v);
  }
  for (std::size_t i = 0; i < columns; ++i) directory.put_varint(column.size());
  ByteBuffer clock;
  clock.put(std::uint8_t{1});
  clock.put_varint(FileBuilder::kStart);
  directory.put_varint(2);
  directory.put_varint(clock.size());

  ByteBuffer out;
  const std::size_t start = format::begin_block(out, format::BlockType::kColumns, format::session_tag(session));
  out.put(std::uint64_t{FileBuilder::kStart});
  out.put(std::uint64_t{FileBuilder::kStart});
  out.put(records);
  out.put(std::uint32_t{1});
  out.put(std::uint32_t{1});
  out.put(static_cast<std::uint32_t>(directory.size()));
  out.put_bytes(directory.data(), directory.size());
  out.put(std::uint16_t{0x0001});  // order: constant 0
  out.put_bytes(clock.data(), clock.size());
  for (std::size_t i = 0; i < columns; ++i) out.put_bytes(column.data(), column.size());
  format::end_block(out, start);
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

std::string file_with(const std::string& types, const std::string& block) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "x", types).site(17, Level::kInfo, "y", "");
  b.log(1, 17, FileBuilder::kStart).flush();  // the dictionary
  return b.raw(block).bytes();
}

// Records counted without being kept.
struct SumOfRecords {
  explicit SumOfRecords(const std::string& bytes) {
    const test::TempFile file(bytes);
    LogSet logs;
    EXPECT_TRUE(logs.add(file.path()).ok());
    test::reset_peak();
    const std::size_t before = test::held_bytes();
    Merge merge(logs, {.decode = {}, .sort = false});
    Slice slice;
    while (merge.next(&slice)) records += slice.end - slice.begin;
    EXPECT_TRUE(merge.failures().empty());
    peak_bytes = test::peak_bytes() - before;
  }
  std::uint64_t records = 0;
  std::size_t peak_bytes = 0;
};

const std::string kConstant("\x01\x00", 2);

TEST(DamageMemory, RecordsThatCostNothingAreRead) {
  const test::ReadLog read = test::read_log(file_with("ji", constant_block(1000, 2, kConstant, 0)));
  EXPECT_TRUE(read.damage.empty());
  EXPECT_EQ(read.records.size(), 1001u);
}

// 2^22 records of 64 arguments would be 2 GB of values in a block of 400 bytes; constants are not spread out.
TEST(DamageMemory, ManyConstantColumns) {
  const SumOfRecords sum(file_with(std::string(64, 'm'), constant_block(kMostRecords, 64, kConstant, 0)));
  EXPECT_EQ(sum.records, kMostRecords + 1u);
  EXPECT_LT(sum.peak_bytes, std::size_t{400} << 20);
}

// Columns of mini-blocks without width would be spread out.
TEST(DamageMemory, ManyColumnsOfNoWidth) {
  if (test::kThreadSanitizer) GTEST_SKIP() << "it has one thread, and takes long";
  const std::string zone(16, '\0');
  const std::string mini_blocks(std::size_t{kMostRecords} / 256 * 2, '\0');
  const std::string column = "\x02" + zone + "\x01" + mini_blocks;
  const test::ReadLog read =
      test::read_log(file_with(std::string(64, 'm'), constant_block(kMostRecords, 64, column, 0)), false);
  ASSERT_EQ(read.damage.size(), 1u);
  EXPECT_NE(read.damage[0].reason.find("more than ReadLimits::decoded_bytes"), std::string::npos)
      << read.damage[0].reason;
  EXPECT_EQ(read.records.size(), 1u);
  EXPECT_LT(read.peak_bytes, std::size_t{800} << 20);
}

// Memory of one block is not kept beside that of the next one, which has another type.
TEST(DamageMemory, BlocksOfDifferentTypes) {
  std::string bytes;
  std::uint64_t session = 0x1234;
  for (const auto& [types, column] :
       {std::pair{std::string(12, 'm'), kConstant}, std::pair{std::string(6, 'S'), std::string("\x11\x01", 2)},
        std::pair{std::string(6, 'o'), "\x01" + std::string(16, 'x')}}) {
    FileBuilder b;
    b.session(session).thread(0, 1, "main").site(16, Level::kInfo, "x", types).site(17, Level::kInfo, "y", "");
    b.log(1, 17, FileBuilder::kStart).flush();
    bytes += b.bytes() + constant_block(1u << 22, types.size(), column, 0, session);
    ++session;
  }
  const SumOfRecords sum(bytes);
  EXPECT_EQ(sum.records, 3 * (std::uint64_t{1} << 22) + 3);
  EXPECT_LT(sum.peak_bytes, std::size_t{800} << 20);
}

// A row names a site of half a million arguments and has bytes for none of them.
TEST(DamageMemory, ARowOfAWideSite) {
  FileBuilder rows(true);
  rows.session().thread(0, 1, "main").site(16, Level::kInfo, "x", "").log(0, 16, FileBuilder::kStart).flush();
  const test::SoundLog narrow(rows.bytes());
  FileBuilder b;
  b.session()
      .thread(0, 1, "main")
      .site(16, Level::kInfo, "x", std::string(500'000, 'b'))
      .site(17, Level::kInfo, "y", "");
  b.log(1, 17, FileBuilder::kStart).flush();
  const std::string sound = b.bytes();
  const std::size_t before = test::read_log(sound).peak_bytes;
  const test::ReadLog read = test::read_log(sound + narrow.piece(narrow.blocks.size() - 1));
  EXPECT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.damage.size(), 1u);
  EXPECT_LT(read.peak_bytes, before + (std::size_t{1} << 20));
}

// Returns the memory that is handed out while a file of `n` blocks (or entries) of that kind is opened.
std::size_t handed_out(const std::function<void(FileBuilder&, std::uint32_t n)>& fill, std::uint32_t n) {
  FileBuilder b;
  b.session(0x1234, 1).thread(0, 1, "main").site(16, Level::kInfo, "x", "");
  fill(b, n);
  const test::TempFile file(b.log(0, 16, 1000).end().bytes());
  const std::size_t before = test::total_bytes();
  LogSet logs;
  EXPECT_TRUE(logs.add(file.path()).ok());
  EXPECT_GT(records_on_file(*logs.files()[0]), 0u);
  return test::total_bytes() - before;
}

TEST(DamageMemory, OpeningCostsWhatTheFileIsLong) {
  if (test::kThreadSanitizer) GTEST_SKIP() << "its heap does not say what it hands out";
  const auto clocks = [](FileBuilder& b, std::uint32_t n) {  // latest first
    for (std::uint32_t i = n; i != 0; --i) b.clock({{i * 1000, FileBuilder::kStart + i * 400, 0.4, 10, 0}});
  };
  const auto sites = [](FileBuilder& b, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) b.site(100 + i, Level::kInfo, "{}", "i");
  };
  const auto threads = [](FileBuilder& b, std::uint32_t n) {  // one, renamed
    for (std::uint32_t i = 0; i < n; ++i) b.thread(0, 1, std::to_string(i));
  };
  for (const auto& fill : {std::function<void(FileBuilder&, std::uint32_t)>(clocks), {sites}, {threads}}) {
    const std::size_t few = handed_out(fill, 4000);
    const std::size_t many = handed_out(fill, 16'000);
    EXPECT_LT(many, 6 * few);
    EXPECT_LT(many, std::size_t{16'000} * 2048);
  }
}

// Packed sessions (file.md §15): the first session is the model of the others, each of which has its blocks from
// `session_of`, given its number and id.
using SessionOf = std::function<std::string(std::uint64_t n, std::uint64_t id)>;

ByteBuffer bare_of(const std::string& bytes) {
  ByteBuffer blocks;
  blocks.put_bytes(bytes.data(), bytes.size());
  EXPECT_TRUE(format::raise_version(&blocks));
  ByteBuffer bare;
  EXPECT_TRUE(format::append_bare({blocks.data(), blocks.size()}, bare));
  return bare;
}

std::string packed_file(std::uint64_t sessions, const SessionOf& session_of) {
  const auto id_of = [](std::uint64_t n) { return (n + 1) * 0x9e37'79b9'7f4a'7c15; };
  const ByteBuffer model = bare_of(session_of(0, id_of(0)));
  ByteBuffer out;
  format::append_model(out, id_of(0), {model.data(), model.size()});
  for (std::uint64_t n = 1; n < sessions; ++n) {
    const ByteBuffer bare = bare_of(session_of(n, id_of(n)));
    if (!format::append_packed_session(out, id_of(n), {bare.data(), bare.size()}, {model.data(), model.size()})) {
      ADD_FAILURE() << bare.size() << " bytes are too many";
      break;
    }
  }
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

struct OpenedPacked {
  explicit OpenedPacked(const std::string& bytes, std::uint64_t most_memory = 0) {
    const test::TempFile file(bytes);
    Ordinals ordinals;
    const std::size_t before = test::held_bytes();
    OpenOptions options;
    options.limits.memory = most_memory;
    const auto log = LogFile::open(file.path(), &ordinals, {}, options);
    EXPECT_TRUE(log.ok());
    if (!log.ok()) return;
    held = test::held_bytes() - before;
    said = (*log)->unpacked_memory();
    sessions = (*log)->sessions().size();
    damage = (*log)->damage();
  }
  std::size_t held = 0;
  std::uint64_t said = 0;
  std::size_t sessions = 0;
  std::vector<Damage> damage;
};

// Returns a session of a server that gets a connection for each transaction.
std::string honest_session(std::uint64_t n, std::uint64_t id) {
  FileBuilder b;
  b.session(id, 1, static_cast<std::uint32_t>(4000 + n))
      .site(16, Level::kInfo, "connection {number} of {user}, which has a long format so that it is worth something",
            "mS")
      .site(17, Level::kInfo, "SELECT {text}, which is a statement that is logged with its time {ms} ms", "Sd")
      .thread(0, 1, "main", 4000 + n)
      .clock({{1000 * n, static_cast<std::int64_t>(FileBuilder::kStart + 1'000'000 * n), 1.0, 100, 0}});
  b.log(0, 16, 1000 * n + 17, Args().u64(n).text("user" + std::to_string(n % 3)));
  b.log(0, 17, 1000 * n + 30, Args().text("abalance").f64(0.25 * static_cast<double>(n)));
  return b.end().bytes();
}

// They are as large as possible, and cost a file as little as possible.
std::vector<std::pair<std::string, SessionOf>> hostile_sessions() {
  const auto many_sites = [](std::uint64_t id, std::uint32_t changed) {
    FileBuilder b;
    b.session(id, 1);
    for (std::uint32_t i = 0; i < 15; ++i) {
      b.site(16 + i, Level::kInfo, std::string(1, static_cast<char>('a' + i % 26)), "i", i == 0 ? 1 + changed : 1,
             wire::Style::kBrace, "");
    }
    return b.thread(0, 1, "main").log(0, 16, 1000, Args().i32(1)).end().bytes();
  };
  // Each record is of another ring, and of a site, a logger and a thread that nobody declares.
  const auto undeclared = [](std::uint64_t id, std::uint32_t) {
    FileBuilder b;
    b.session(id, 1);
    for (std::uint32_t i = 0; i < 20; ++i) b.site(16 + i, Level::kInfo, "x", "");
    for (std::uint32_t i = 0; i < 20; ++i) b.log(i, 16 + i, 1000 + i);
    const test::SoundLog log(b.end().bytes());
    std::string bytes;
    for (std::size_t i = 0; i < log.blocks.size(); ++i) {
      if (log.blocks[i].type != format::BlockType::kDictionary) bytes += log.piece(i);
    }
    return bytes;
  };
  const auto strings = [](std::uint64_t id, std::uint32_t) {
    FileBuilder b;
    std::string bytes = b.session(id, 1).bytes();
    ByteBuffer out;
    const std::size_t start = format::begin_block(out, format::BlockType::kStrings, format::session_tag(id));
    for (std::uint64_t i = 0; i < 100; ++i) format::append_strings_part({.dictionary = i, .count = 1}, out);
    format::end_block(out, start);
    bytes.append(reinterpret_cast<const char*>(out.data()), out.size());
    ByteBuffer end;
    format::append_end_block(end, {}, format::session_tag(id));
    return bytes + std::string(reinterpret_cast<const char*>(end.data()), end.size());
  };
  const auto points = [](std::uint64_t id, std::uint32_t) {
    FileBuilder b;
    b.session(id, 1);
    for (std::uint32_t i = 0; i < 7; ++i) b.clock({{i * 1000, FileBuilder::kStart + i * 400, 0.4, 10, 0}});
    return b.thread(0, 1, "main").site(16, Level::kInfo, "x", "").log(0, 16, 1000).end().bytes();
  };
  const auto types = [](std::uint64_t id, std::uint32_t changed) {
    FileBuilder b;
    b.session(id, 1).site(16, Level::kInfo, std::to_string(changed), std::string(400, 'b'));
    b.site(17, Level::kInfo, "y", "");
    return b.thread(0, 1, "main").log(0, 17, 1000).end().bytes();
  };
  return {
      {"the same sites", [=](std::uint64_t, std::uint64_t id) { return many_sites(id, 0); }},
      {"a site of its own",
       [=](std::uint64_t n, std::uint64_t id) { return many_sites(id, static_cast<std::uint32_t>(n)); }},
      {"undeclared", [=](std::uint64_t, std::uint64_t id) { return undeclared(id, 0); }},
      {"strings", [=](std::uint64_t, std::uint64_t id) { return strings(id, 0); }},
      {"clock points", [=](std::uint64_t, std::uint64_t id) { return points(id, 0); }},
      {"a wide site of its own",
       [=](std::uint64_t n, std::uint64_t id) { return types(id, static_cast<std::uint32_t>(n)); }},
  };
}

TEST(DamageMemory, PackedSessionsTakeWhatIsSaid) {
  if (test::kThreadSanitizer) GTEST_SKIP() << "its heap does not say what it hands out";
  constexpr std::size_t kSessions = 2000;
  for (const auto& [what, session_of] : hostile_sessions()) {
    const std::string bytes = packed_file(kSessions, session_of);
    const OpenedPacked all(bytes);
    EXPECT_EQ(all.sessions, kSessions) << what;
    EXPECT_LT(all.held, all.said + 16 * bytes.size()) << what << ": " << all.said;
  }
}

TEST(DamageMemory, PackedSessionsBeyondTheLimitAreReported) {
  if (test::kThreadSanitizer) GTEST_SKIP() << "its heap does not say what it hands out";
  constexpr std::size_t kSessions = 2000;
  constexpr std::uint64_t kLimit = std::uint64_t{6} << 20;
  for (const auto& [what, session_of] : hostile_sessions()) {
    const std::string bytes = packed_file(kSessions, session_of);
    const OpenedPacked some(bytes, kLimit);
    EXPECT_LT(some.held, kLimit + 64 * bytes.size()) << what;
    EXPECT_GT(some.sessions, 10u) << what;
    EXPECT_LT(some.sessions, kSessions) << what;
    EXPECT_EQ(some.sessions + some.damage.size(), kSessions) << what;
    for (const Damage& damage : some.damage) {
      EXPECT_NE(damage.reason.find("ReadLimits::memory"), std::string::npos) << damage.reason;
    }
  }
}

// However many there are: the limit grows with the file.
TEST(DamageMemory, HonestPackedSessionsAreWithinTheLimit) {
  if (test::kThreadSanitizer) GTEST_SKIP() << "its heap does not say what it hands out";
  constexpr std::size_t kSessions = 5000;
  const std::string bytes = packed_file(kSessions, honest_session);
  const OpenedPacked all(bytes);
  EXPECT_EQ(all.sessions, kSessions);
  EXPECT_TRUE(all.damage.empty());
  EXPECT_LT(all.held, all.said + 16 * bytes.size());
  EXPECT_LT(all.said, 64 * bytes.size()) << all.held / kSessions << ", " << all.said / kSessions << " of "
                                         << bytes.size() / kSessions << " bytes each";
}

#if STENO_HAVE_ZSTD
// A frame of some kilobytes is 256 MB of zeros, and there are eight of them.
TEST(DamageMemory, ManyZstdColumns) {
  if (test::kThreadSanitizer || test::kAddressSanitizer) GTEST_SKIP() << "it counts memory, and takes long";
  const std::size_t size = std::size_t{1} << 28;
  ByteBuffer column;
  column.put(static_cast<std::uint8_t>(format::CodecId::kZstdStrings));
  column.put(static_cast<std::uint8_t>(format::CodecId::kConstant));
  column.put_varint(size + 1);
  {
    const std::string zeros(size, '\0');
    std::string frame(1 << 16, '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 1));
    column.put_string(frame);
  }
  const std::string text(reinterpret_cast<const char*>(column.data()), column.size());
  const test::ReadLog one = test::read_log(file_with("S", constant_block(1, 1, text, 0)), false);
  EXPECT_EQ(one.records.size(), 2u);
  EXPECT_TRUE(one.damage.empty());
  const test::ReadLog read = test::read_log(file_with(std::string(8, 'S'), constant_block(1, 8, text, 0)), false);
  EXPECT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.damage.size(), 1u);
  EXPECT_LT(read.peak_bytes, std::size_t{900} << 20);
}
#endif

}  // namespace
}  // namespace steno::reader
