// The scribe's work on the records of a log (encoder.h), by effort. The place to look at with a profiler.
//
//   encode [--records N] [--chunk BYTES] [--rounds N] [--only LOG] [--effort full|brisk|quick] [--without CODEC]
//     defaults: 500,000 records, 512 KiB of a ring a block, the least of 7 rounds, all logs, all efforts, all codecs
#include <steno/session.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "common/harness.h"
#include "format/without.h"
#include "query/commands.h"
#include "query/tables.h"
#include "real/encoder.h"

namespace steno::bench {
namespace {

struct Effort {
  const char* name;
  format::Effort effort;
};
constexpr Effort kEfforts[] = {
    {"full", format::Effort::kFull}, {"brisk", format::Effort::kBrisk}, {"quick", format::Effort::kQuick}};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  EncodeScale scale{take_number(&argc, argv, "--records", 500'000), take_number(&argc, argv, "--chunk", 1 << 19),
                    take_number(&argc, argv, "--rounds", 7)};
  const std::string only = take_text(&argc, argv, "--only");
  const std::string effort = take_text(&argc, argv, "--effort");
  const std::string without = take_text(&argc, argv, "--without");
  const Flags flags = parse_flags(argc, argv);
  if (!steno::format::leave_out_codec(without)) {
    std::fprintf(stderr, "%s: --without CODEC: there is no '%s', or it must stay (see codecs)\n", argv[0],
                 without.c_str());
    return 2;
  }
  if (flags.smoke) scale = {20'000, 1 << 15, 1};
  pin(0);
  steno::set_level(steno::Level::kTrace);
  Suite suite{"encode", "Records of a ring to data blocks, in memory", "ns a record", true, {}, {}};
  Suite sizes{"encode_sizes", "Their size, by effort", "bytes a record", true, {}, {}};
  for (const LogKind& kind : log_kinds()) {
    if (!only.empty() && only != kind.name) continue;
    const std::vector<std::byte> ring = ring_bytes(kind, scale.records);
    double walk = std::numeric_limits<double>::infinity();
    for (const Effort& e : kEfforts) {
      if (!effort.empty() && effort != e.name) continue;
      const EncodeCost cost = encode(ring, scale, e.effort);
      walk = std::min(walk, cost.walk_ns);
      note(&suite, std::string("written with effort: ") + e.name, kind.name, cost.write_ns);
      note(&sizes, e.name, kind.name, cost.bytes);
    }
    note(&suite, "walked and grouped", kind.name, walk);
  }
  return finish(flags, {suite, sizes});
}
