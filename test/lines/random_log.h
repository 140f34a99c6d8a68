// Logs whose statements, texts and order are random, for those who print them; and what a format makes of a log.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "../reader/file_builder.h"
#include "lines/line_format.h"
#include "reader/slab_planner.h"

namespace steno::lines {

inline std::string random_text(std::mt19937& random) {
  static const char* const kParts[] = {"acme", "a\nb", "\x1b[2J", "\xc2\x85", "\xff", "tab\there", "é", ""};
  std::string text = kParts[random() % (random() % 4 == 0 ? 8 : 1)];
  text.append(random() % 3 == 0 ? random() % 150 : random() % 12, 'x');
  return text;
}

// Several sessions, blocks, threads and loggers; statements of common fields and of others. Some blocks are of one
// thread, and some have one text only.
inline std::string random_log(std::mt19937& random, std::size_t blocks) {
  test::FileBuilder builder(random() % 4 == 0, random() % 2 == 0);
  std::uint64_t now = test::FileBuilder::kStart;
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
    const std::string shared_text = random_text(random);
    const bool shared = random() % 4 == 0;
    const auto draw_text = [&] { return shared ? shared_text : random_text(random); };
    for (std::size_t i = one_thread ? 1'500 : 1 + random() % 700; i != 0; --i) {
      now += random() % 3 == 0 ? random() % 2'000'000'000 : random() % 100;
      test::Args args;
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

// take(slices) gets the records of logs, in order.
template <class Take>
void each_slab(const reader::LogSet& logs, const Take& take) {
  reader::BlockPool pool({});
  reader::SlabPlanner planner(logs, pool);
  reader::SlabOrder order;
  for (reader::Slab slab; planner.next(&slab);) {
    std::vector<reader::Slice> slices;
    order.run(slab, pool.options(), &slices);
    take(slices);
  }
}

// The lines of all records, which the format is given many at once.
inline std::string printed_by(const reader::LogSet& logs, LineFormat& format) {
  ByteBuffer out;
  each_slab(logs, [&](const std::vector<reader::Slice>& slices) { format.append(slices, out); });
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}
// Returns the same lines, printed one by one.
inline std::string printed_one_by_one(const reader::LogSet& logs, LineFormat& format) {
  ByteBuffer out;
  each_slab(logs, [&](const std::vector<reader::Slice>& slices) {
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) {
      const reader::Slice one{slice.block, slice.thread, i, i + 1};
      format.append({&one, 1}, out);
    });
  });
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

}  // namespace steno::lines
