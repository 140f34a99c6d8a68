// Data blocks (file.md §6, §7): writer and reader against each other, the sizes promised, and damage.
#include <gtest/gtest.h>

#include "../sanitizers.h"
#include "block_log.h"

namespace steno::format {
namespace {

constexpr const char* kAllTypes = "bcasilnhtjmofdegpuwSUWE";

// Several sites of all types, two loggers, two runs.
void fill(Log& log, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const std::string sites[] = {kAllTypes, "", "i", "SSiS", "dd", "SWU"};
  for (std::uint32_t s = 0; s < 6; ++s) log.builder.declare(16 + s, sites[s], static_cast<Level>(s));
  std::uint64_t clock = 1'000'000;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0) log.builder.open_run(3, 1);
    if (i == n / 2) {
      log.builder.open_run(4, 2);
      clock = 1'000'013;
    }
    clock += rng() % 100;
    const auto s = static_cast<std::uint32_t>(rng() % 6);
    std::vector<Arg> args;
    for (const char letter : sites[s]) args.push_back(random_arg(letter, rng));
    log.add(16 + s, clock, std::move(args), rng() % 10 == 0 ? 5 : 0);
  }
}

TEST(DataBlock, RoundTripOfAllTypes) {
  for (const std::size_t n : {1, 2, 63, 64, 65, 300, 1000, 5000}) {
    for (const WriterOptions options : {WriterOptions{}, WriterOptions{1, 0}}) {
      SCOPED_TRACE(n);
      Log log;
      fill(log, n, n);
      const ByteBuffer block = log.write(options);
      const Opened opened(block, log.builder);
      ASSERT_TRUE(opened.status.ok()) << opened.status.message();
      EXPECT_EQ(opened.header.type, n < options.rows_below ? BlockType::kRows : BlockType::kColumns);
      expect_same(log, opened.data);
      if (HasFailure()) return;
    }
  }
}

// Strings of every kind that a codec is for, anew in each block.
void fill_strings(Log& log, std::size_t n, std::mt19937_64& rng) {
  log.builder.declare(16, "SSS");
  log.builder.declare(17, "SiS");
  const auto number = [&](std::uint64_t below) { return std::to_string(rng() % below); };
  const auto words = [&] {
    static const char* const kWords[] = {"request", "timed",  "out", "while", "reading",
                                         "the",     "header", "of",  "a",     "page"};
    std::string text;
    for (std::size_t i = 3 + rng() % 12; i != 0; --i) text += std::string(kWords[rng() % std::size(kWords)]) + " ";
    return text;
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (rng() % 2 == 0) {
      std::string json = R"({"id":)" + number(1'000'000) + R"(,"items":[)";
      for (std::size_t k = rng() % 4; k != 0; --k)
        json += R"({"sku":"A-)" + number(1000) + R"(","qty":)" + number(9) + "},";
      log.add(16, 100 * i,
              {Arg::of_text(json + "]}"), Arg::of_text("user:" + number(100'000)),
               rng() % 50 == 0 ? Arg::null() : Arg::of_text("/srv/" + number(30))});
    } else {
      log.add(17, 100 * i,
              {Arg::of_text(words()), Arg::of_int(static_cast<std::int64_t>(rng() % 100)), Arg::of_text("")});
    }
  }
}

// Whatever the effort, and whatever it was before, the block says the same; only one that lacks something has the flag.
TEST(DataBlock, OfAnyEffortReadsTheSame) {
  std::mt19937_64 rng(1);
  for (const int zstd_level : {0, 1}) {
    DataWriter writer({.zstd_level = zstd_level});
    std::size_t bytes[3] = {};
    constexpr Effort kEfforts[] = {Effort::kFull, Effort::kBrisk, Effort::kQuick};
    for (int i = 0; i < 60; ++i) {
      Log log;
      fill_strings(log, i % 10 == 9 ? 40 : 200 + rng() % 1500, rng);
      const Effort effort = i >= 4 ? kEfforts[rng() % 3] : Effort::kFull;
      ByteBuffer block;
      const bool left_out = writer.write(log.builder.input(), 7, block, effort);
      const Opened opened(block, log.builder);
      ASSERT_TRUE(opened.status.ok()) << opened.status.message();
      EXPECT_EQ(opened.header.is_quick(), left_out);
      EXPECT_EQ(left_out, effort == Effort::kQuick && opened.header.type == BlockType::kColumns);
      expect_same(log, opened.data);
      if (HasFailure()) return;
      bytes[static_cast<unsigned>(effort)] += block.size() * 1000 / log.records.size();
    }
    EXPECT_LT(bytes[0], bytes[2]);
  }
}

// Few numbers are packed as they always are; many are packed only, instead of coded by their entropy.
TEST(DataBlock, NumbersAreQuickWithoutEntropyCodes) {
  DataWriter writer({});
  for (const int records : {1000, 5000}) {
    Log log;
    log.builder.declare(16, "id");
    for (int i = 0; i < records; ++i) {
      log.add(16, static_cast<std::uint64_t>(i), {Arg::of_int(i % 7 == 0 ? i % 60 : i % 2), Arg::of_double(i)});
    }
    std::size_t sizes[3];
    for (const Effort effort : {Effort::kFull, Effort::kBrisk, Effort::kQuick}) {
      ByteBuffer block;
      EXPECT_EQ(writer.write(log.builder.input(), 7, block, effort), records >= 1024 && effort == Effort::kQuick);
      const Opened opened(block, log.builder);
      EXPECT_EQ(opened.header.is_quick(), records >= 1024 && effort == Effort::kQuick);
      expect_same(log, opened.data);
      sizes[static_cast<unsigned>(effort)] = block.size();
    }
    EXPECT_EQ(sizes[1], sizes[2]);
    if (records >= 1024) {
      EXPECT_LT(sizes[0], sizes[1]);
    }
  }
}

TEST(DataBlock, DirectorySaysWhatIsInIt) {
  Log log;
  fill(log, 1000, 5);
  const ByteBuffer block = log.write();
  const Opened opened(block, log.builder);
  ASSERT_TRUE(opened.status.ok());
  const BlockInput input = log.builder.input();
  ASSERT_EQ(opened.data.runs().size(), 2u);
  EXPECT_EQ(opened.data.runs()[0].thread, 3u);
  EXPECT_EQ(opened.data.runs()[1].ring, 2u);
  EXPECT_EQ(opened.data.runs()[0].records + opened.data.runs()[1].records, 1000u);
  EXPECT_EQ(opened.data.runs()[1].end, input.runs[1].end);
  std::uint64_t by_level[kLevelCount] = {};
  std::uint64_t least = UINT64_MAX;
  std::uint64_t greatest = 0;
  for (const Record& record : log.records) {
    ++by_level[record.site - 16];
    least = std::min(least, record.clock);
    greatest = std::max(greatest, record.clock);
  }
  for (int level = 0; level < kLevelCount; ++level) EXPECT_EQ(opened.data.level_counts()[level], by_level[level]);
  EXPECT_EQ(opened.data.min_clock(), least);
  EXPECT_EQ(opened.data.max_clock(), greatest);
  EXPECT_STREQ(opened.data.clock_info().codec, "delta");
  EXPECT_GT(opened.data.order_info().bytes, 0u);
}

// A run of a *thread* record and pads has none that is shown, and still says how far its ring was read.
TEST(DataBlock, RunsMayBeEmpty) {
  for (const std::size_t n : {3, 100}) {
    Log log;
    fill(log, n, 1);
    BlockInput input = log.builder.input();
    std::vector<format::Run> runs(input.runs.begin(), input.runs.end());
    runs.push_back({9, 9, 0, 17, 4096});
    input.runs = runs;
    DataWriter writer({});
    ByteBuffer out;
    writer.write(input, 7, out);
    const Opened opened(out, log.builder);
    ASSERT_TRUE(opened.status.ok()) << opened.status.message();
    EXPECT_EQ(opened.data.runs().back().first_seq, 17u);
    EXPECT_EQ(opened.data.runs().back().end, 4096u);
  }
}

TEST(DataBlock, ZonesLetABlockBeSkipped) {
  Log log;
  log.builder.declare(16, "il");
  std::mt19937_64 rng(1);
  for (int i = 0; i < 1000; ++i) {
    log.add(16, static_cast<std::uint64_t>(i), {Arg::of_int(i - 500), Arg::of_int(static_cast<std::int64_t>(rng()))});
  }
  const ByteBuffer block = log.write();
  const Opened opened(block, log.builder);
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  ASSERT_TRUE(opened.data.column_zone(0, 0, ArgType::kI32, &least, &greatest));
  EXPECT_EQ(static_cast<std::int64_t>(least), -500);
  EXPECT_EQ(static_cast<std::int64_t>(greatest), 499);
  EXPECT_TRUE(opened.data.column_zone(0, 1, ArgType::kI64, &least, &greatest));
  EXPECT_FALSE(opened.data.column_zone(0, 2, ArgType::kI64, &least, &greatest));
}

TEST(DataBlock, LargeColumnsLeaveAGapInTheDirectory) {
  Log log;
  log.builder.declare(16, "S");
  std::mt19937_64 rng(1);
  for (int i = 0; i < 2000; ++i) {
    std::string s(300, ' ');
    for (char& c : s) c = static_cast<char>(rng());
    log.add(16, static_cast<std::uint64_t>(i), {Arg::of_text(s)});
  }
  const ByteBuffer block = log.write();
  const Opened opened(block, log.builder);
  ASSERT_TRUE(opened.status.ok()) << opened.status.message();
  expect_same(log, opened.data);
}

// Ticks of a TSC in steps of 26 at full speed, an interrupt now and then.
std::uint64_t tick(std::uint64_t now, std::mt19937_64& rng) {
  const std::uint64_t r = rng();
  now += r % 3 == 0 ? 52 : 26;
  return r % 500 == 0 ? now + 26 * (r >> 40 & 1023) : now;
}

double bytes_per_record(Log& log, WriterOptions options = {}) {
  const ByteBuffer block = log.write(options);
  const Opened opened(block, log.builder);
  EXPECT_TRUE(opened.status.ok());
  expect_same(log, opened.data);
  return static_cast<double>(block.size()) / static_cast<double>(log.records.size());
}

const std::string kPaperTypes[] = {"", "S", "i", "ii", "d", "iiiid"};

TEST(DataBlockSize, ConstantMessagesTakeTwoBytes) {
  for (std::size_t message = 0; message <= 6; ++message) {  // 6: all of them in turn
    Log log;
    std::mt19937_64 rng(1);
    for (std::uint32_t s = 0; s < 6; ++s) log.builder.declare(16 + s, kPaperTypes[s]);
    const auto n = Arg::of_int(181);
    const std::vector<Arg> args[] = {{},
                                     {Arg::of_text("a string of thirty-nine bytes, or nearly")},
                                     {n},
                                     {n, n},
                                     {Arg::of_double(0.5)},
                                     {n, n, n, n, Arg::of_double(0.7)}};
    std::uint64_t now = 26'000'000'000;
    for (std::size_t i = 0; i < 15'000; ++i) {
      const std::size_t s = message == 6 ? i % 6 : message;
      log.add(16 + static_cast<std::uint32_t>(s), now = tick(now, rng), args[s]);
    }
    EXPECT_LE(bytes_per_record(log), message == 6 ? 0.75 : 0.3) << message;
  }
}

TEST(DataBlockSize, VaryingMixTakesSixBytes) {
  Log log;
  std::mt19937_64 rng(1);
  for (std::uint32_t s = 0; s < 6; ++s) log.builder.declare(16 + s, kPaperTypes[s]);
  std::vector<std::string> few;
  for (int i = 0; i < 300; ++i) few.push_back("string number " + std::to_string(rng() % 1'000'000'000'000));
  std::uint64_t now = 26'000'000'000;
  for (std::uint32_t i = 0; i < 15'000; ++i) {
    const auto n = [&] { return Arg::of_int(static_cast<int>(rng() & 0xFFFF)); };
    const auto cents = [&] { return Arg::of_double(static_cast<double>(rng() % 100'000) / 100); };
    const auto s = static_cast<std::uint32_t>(rng() % 6);
    const std::vector<Arg> args[] = {{},        {Arg::of_text(few[rng() % few.size()])}, {n()}, {Arg::of_int(i), n()},
                                     {cents()}, {Arg::of_int(i), n(), n(), n(), cents()}};
    log.add(16 + s, now = tick(now, rng), args[s]);
  }
  EXPECT_LE(bytes_per_record(log), 4.5);  // the bar is 6
}

TEST(DataBlockSize, OneMessageASecondTakesTwentyBytes) {
  Log log;
  std::mt19937_64 rng(1);
  log.builder.declare(16, "ii");
  for (std::uint64_t i = 0; i < 5; ++i) {
    log.add(16, 26'000'000'000'000 + i * 2'596'000'000 + rng() % 100'000, {Arg::of_int(1000), Arg::of_int(181)});
  }
  EXPECT_LE(bytes_per_record(log), 20);
}

TEST(DataBlock, UnknownSiteInRowsIsCorrupt) {
  Log log;
  log.builder.declare(16, "i");
  log.add(16, 1, {Arg::of_int(1)});
  const ByteBuffer block = log.write();
  const RecordBuilder nothing_declared;
  const Opened opened(block, nothing_declared);
  EXPECT_EQ(opened.status.code(), StatusCode::kCorrupt);
}

TEST(DataBlock, UnknownCodecIsUnsupported) {
  Log log;
  log.builder.declare(16, "i");
  for (int i = 0; i < 100; ++i) log.add(16, static_cast<std::uint64_t>(i), {Arg::of_int(5)});
  ByteBuffer block = log.write();
  BlockHeader header;
  ASSERT_TRUE(parse_header(block.data(), block.size(), &header));
  std::uint8_t* last_column = block.data() + kBlockHeaderSize + header.length - 2;  // constant: codec, value
  ASSERT_EQ(*last_column, 1);
  *last_column = 99;
  const auto data = DataBlock::open(header.type, {block.data() + kBlockHeaderSize, header.length}, log.builder);
  ASSERT_TRUE(data.ok());
  ColumnValues values;
  EXPECT_EQ(data->decode_column(0, 0, ArgType::kI32, &values).code(), StatusCode::kUnsupported);
  EXPECT_STREQ(data->column_info(0, 0).codec, "unknown");
}

// Opens and decodes all of it, by the right types and by wrong ones. Must not crash; what comes out does not matter.
void decode_everything(BlockType type, std::vector<std::uint8_t> payload, const LayoutSource& layouts) {
  const auto data = DataBlock::open(type, payload, layouts);
  if (!data.ok()) return;
  RawVector<std::uint32_t> order;
  RawVector<std::uint64_t> clocks;
  (void)data->decode_clocks(&clocks);
  if (data->decode_order(&order).ok()) {
    for (const std::uint32_t group : order) ASSERT_LT(group, data->groups().size());
  }
  for (std::size_t g = 0; g < data->groups().size(); ++g) {
    for (std::size_t k = 0; k < data->groups()[g].columns; ++k) {
      for (const char letter : std::string("iSdoW")) {
        ColumnValues values;
        if (data->decode_column(g, k, static_cast<ArgType>(letter), &values).ok()) {
          std::size_t total = 0;
          for (const std::string_view s : values.strings) total += s.empty() ? 0 : static_cast<unsigned char>(s.back());
          ASSERT_LT(total, SIZE_MAX);
        }
      }
      (void)data->column_info(g, k);
      std::uint64_t least;
      std::uint64_t greatest;
      (void)data->column_zone(g, k, ArgType::kI32, &least, &greatest);
    }
  }
}

TEST(DataBlock, DamageNeverCrashes) {
  for (const std::size_t n : {5, 70, 150, 0}) {
    Log log;
    n != 0 ? fill(log, n, n) : fill_with_many_sites(log, 60, 1);
    const ByteBuffer block = log.write();
    const Opened opened(block, log.builder);
    ASSERT_TRUE(opened.status.ok());
    std::vector<std::uint8_t> payload = opened.payload;
    for (std::size_t size = 0; size < payload.size(); size += 1 + payload.size() / test::sampled(1000)) {
      EXPECT_FALSE(DataBlock::open(opened.header.type, {payload.data(), size}, log.builder).ok()) << size;
    }
    const std::size_t step = 1 + payload.size() / test::sampled(2000);
    for (std::size_t i = 0; i < payload.size(); i += step) {
      for (const std::uint8_t flip : {0x01, 0x80, 0xFF}) {
        payload[i] ^= flip;
        decode_everything(opened.header.type, payload, log.builder);
        payload[i] ^= flip;
      }
    }
  }
}

TEST(DataBlock, NoiseNeverCrashes) {
  std::mt19937_64 rng(1);
  RecordBuilder layouts;
  for (std::uint32_t site = 0; site < 64; ++site) layouts.declare(site, site % 3 == 0 ? "iS" : "d");
  for (int round = 0; round < test::sampled(3000); ++round) {
    std::vector<std::uint8_t> payload(rng() % 200);
    for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(rng() >> rng() % 8);
    decode_everything(BlockType::kRows, payload, layouts);
    decode_everything(BlockType::kColumns, payload, layouts);
  }
}

}  // namespace
}  // namespace steno::format
