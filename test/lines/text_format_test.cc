// Lines of many records at once are those of each record alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "../sanitizers.h"
#include "lines/text_format.h"
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

// Several sessions, blocks, threads and loggers; statements of common fields and of others. Some blocks are of one
// thread, and some have one text only.
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
      builder.site_with_meanings(21, "{pin} of {name}", "iS", {{0, "!"}});
      builder.site_with_meanings(22, "{qty} of {name}", "iSbb", {}, {"?0", "?1"});
      builder.site_in_context(23, 16, "Sm", {"request", "attempt"});
      builder.logger(1, "net").logger(2, "odd\nname");
      for (std::uint32_t t = 0; t < 4; ++t) builder.thread(t, t + 1, t == 3 ? "a rather long name of a thread" : "t");
    }
    const bool one_thread = random() % 3 == 0;
    const std::uint32_t sites = random() % 4 == 0 ? 8 : 5;
    const std::string shared_text = random_string(random);
    const bool shared = random() % 4 == 0;
    const auto draw_text = [&] { return shared ? shared_text : random_string(random); };
    for (std::size_t i = one_thread ? 1'500 : 1 + random() % 700; i != 0; --i) {
      now += random() % 3 == 0 ? random() % 2'000'000'000 : random() % 100;
      Args args;
      const auto site = static_cast<std::uint32_t>(16 + random() % sites);
      if (site == 16 || site == 23)
        args.i32(static_cast<std::int32_t>(random())).f64(random() % 1000 / 8.0).text(draw_text());
      if (site == 17) args.i32(-5).u64(random()).text(draw_text());
      if (site == 18) args.f64(random() % 10 == 0 ? 1e300 : random() % 1000 / 64.0);
      if (site == 20) args.f64(0.5).add<std::uint8_t>('b', random() % 2).u64(random() % 100);
      if (site == 21) args.i32(1234).text(draw_text());
      if (site == 22) {
        const bool known = random() % 2 == 0;
        args.i32(known ? 7 : 0);
        known ? args.text(draw_text()) : args.null_text();
        args.add('b', known).add('b', known);
      }
      if (site == 23) args.text(draw_text()).u64(random() % 5);
      builder.log(one_thread ? 0 : random() % 4, site, now, args, static_cast<std::uint16_t>(random() % 3));
    }
    builder.flush();
    if (b % 4 == 3 || b + 1 == blocks) builder.end();
  }
  return builder.bytes();
}

// The records of logs, many at once or one by one. *grouped: how many messages were printed together.
std::string printed(const reader::LogSet& logs, const LineOptions& options, bool one_by_one, std::size_t* grouped) {
  reader::BlockPool pool({});
  reader::SlabPlanner planner(logs, pool);
  reader::SlabOrder order;
  const auto format = make_text_format(options, grouped);
  ByteBuffer out;
  for (reader::Slab slab; planner.next(&slab);) {
    std::vector<reader::Slice> slices;
    order.run(slab, pool.options(), &slices);
    if (!one_by_one) {
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
  std::size_t records = 0;
  std::size_t together = 0;
  std::size_t alone = 0;
  for (int i = 0; i < test::sampled(48); ++i) {
    std::mt19937 random(static_cast<std::uint32_t>(i));
    const test::TempFile file(random_bytes(random, 1 + random() % 6));
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    const test::TempFile other(random_bytes(random, 1));
    if (i % 4 == 1) {
      ASSERT_TRUE(logs.add(other.path()).ok());
    }
    LineOptions options;
    options.zone = i % 3 == 0 ? Zone::kLocal : Zone::kUtc;
    options.escape = static_cast<Escape>(i % 3);
    options.colour = i % 5 == 0;
    options.pattern =
        i % 4 != 0 ? default_pattern() : parse_pattern("{level} {time}|{thread} {message} {logger}").value();
    const std::string one_by_one = printed(logs, options, true, &alone);
    ASSERT_FALSE(one_by_one.empty());
    ASSERT_EQ(printed(logs, options, false, &together), one_by_one) << i;
    records += static_cast<std::size_t>(std::count(one_by_one.begin(), one_by_one.end(), '\n'));
  }
  EXPECT_EQ(alone, 0u);
  EXPECT_GT(together, records / 3);
  EXPECT_LT(together, records);
}

// What follows statements that have nothing to be printed together is grouped again.
TEST(TextFormat, GroupsAgainAfterRecordsThatCannotBe) {
  constexpr int kMany = 60'000;
  FileBuilder builder;
  builder.session().thread(0, 1, "main");
  builder.site(16, Level::kInfo, "{:08x}", "i").site(17, Level::kInfo, "{}", "i");
  std::uint64_t now = FileBuilder::kStart;
  for (int i = 0; i < 2 * kMany; ++i) {
    builder.log(0, i < kMany ? 16 : 17, ++now, Args().i32(i));
    if (i % 10'000 == 9'999) builder.flush();
  }
  builder.end();
  const test::TempFile file(builder.bytes());
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  LineOptions options;
  options.pattern = default_pattern();
  std::size_t together = 0;
  const std::string text = printed(logs, options, false, &together);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 * kMany);
  EXPECT_GT(together, std::size_t{kMany} / 4);  // a long while apart may reach into the second half
  EXPECT_LE(together, std::size_t{kMany});
}

}  // namespace
}  // namespace steno::lines
