// Lines of many records at once are those of each record alone.
#include <gtest/gtest.h>

#include <random>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "lines/line_format.h"
#include "reader/slab_planner.h"

namespace steno::lines {
namespace {

using test::Args;
using test::FileBuilder;

std::string random_string(std::mt19937& random) {
  static const char* const kParts[] = {"acme", "a\nb", "\x1b[2J", "\xc2\x85", "\xff", "tab\there", "é", ""};
  std::string text = kParts[random() % (random() % 4 == 0 ? 8 : 1)];
  text.append(random() % 3 == 0 ? random() % 150 : random() % 12, 'x');
  return text;
}

// Several sessions, blocks, threads and loggers; statements of common fields and of others.
std::string random_bytes(std::mt19937& random, std::size_t blocks) {
  FileBuilder builder(random() % 4 == 0, random() % 2 == 0);
  std::uint64_t now = FileBuilder::kStart;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (b % 4 == 0) {
      builder.session(100 + b);
      builder.site(16, Level::kInfo, "filled {qty} @ {price} for {client}", "idS");
      builder.site(17, Level::kWarn, "took %d ms, id %5lu%s", "imS", 131, wire::Style::kPrintf);
      builder.site(18, Level::kError, "a line\nof two, {:.2f}", "d");
      builder.site(19, Level::kDebug, "nothing but text", "");
      builder.site(20, Level::kTrace, "{:.3f} of {ok}, {n}", "dbm");
      builder.logger(1, "net").logger(2, "odd\nname");
      for (std::uint32_t t = 0; t < 4; ++t) builder.thread(t, t + 1, t == 3 ? "a rather long name of a thread" : "t");
    }
    for (std::size_t i = 1 + random() % 700; i != 0; --i) {
      now += random() % 3 == 0 ? random() % 2'000'000'000 : random() % 100;
      Args args;
      const std::uint32_t site = 16 + random() % 5;
      if (site == 16)
        args.i32(static_cast<std::int32_t>(random())).f64(random() % 1000 / 8.0).text(random_string(random));
      if (site == 17) args.i32(-5).u64(random()).text(random_string(random));
      if (site == 18) args.f64(random() % 10 == 0 ? 1e300 : random() % 1000 / 64.0);
      if (site == 20) args.f64(0.5).add<std::uint8_t>('b', random() % 2).u64(random() % 100);
      builder.log(random() % 4, site, now, args, static_cast<std::uint16_t>(random() % 3));
    }
    builder.flush();
    if (b % 4 == 3 || b + 1 == blocks) builder.end();
  }
  return builder.bytes();
}

// The records of a log, all or in parts of so many.
std::string printed(const reader::LogSet& logs, const LineOptions& options, std::uint32_t together) {
  reader::BlockPool pool({});
  reader::SlabPlanner planner(logs, pool);
  reader::SlabOrder order;
  const auto format = make_text_format(options);
  ByteBuffer out;
  for (reader::Slab slab; planner.next(&slab);) {
    std::vector<reader::Slice> slices;
    order.run(slab, pool.options(), &slices);
    if (together != 1) {
      format->append(slices, out);
      continue;
    }
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) {
      const reader::Slice one{slice.block, slice.thread, i, i + 1};
      format->append({&one, 1}, out);
    });
  }
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

TEST(TextFormatProperty, LinesOfManyRecordsAreThoseOfEach) {
  for (int i = 0; i < test::sampled(48); ++i) {
    std::mt19937 random(static_cast<std::uint32_t>(i));
    const test::TempFile file(random_bytes(random, 1 + random() % 6));
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    LineOptions options;
    options.zone = i % 3 == 0 ? Zone::kLocal : Zone::kUtc;
    options.escape = static_cast<Escape>(i % 3);
    options.colour = i % 5 == 0;
    options.pattern =
        i % 4 != 0 ? default_pattern() : parse_pattern("{level} {time}|{thread} {message} {logger}").value();
    const std::string one_by_one = printed(logs, options, 1);
    ASSERT_FALSE(one_by_one.empty());
    ASSERT_EQ(printed(logs, options, 0), one_by_one) << i;
  }
}

}  // namespace
}  // namespace steno::lines
