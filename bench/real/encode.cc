// What the scribe does to the records of a log, without the rings, the thread and the file: walking and grouping them,
// and writing data blocks, in one thread and in memory. The place to look at with a profiler.
//
//   encode [--records N] [--chunk BYTES] [--rounds N] [--only LOG] [--effort full|brisk|quick]
//     defaults: 500,000 records, 512 KiB of a ring a block, the least of 7 rounds, all logs, all efforts
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/harness.h"
#include "common/ring_consumer.h"
#include "drain/process_clock.h"
#include "drain/span_walker.h"
#include "format/data_writer.h"
#include "query/commands.h"
#include "query/tables.h"
#include "real/write_log.h"
#include "runtime/core.h"
#include "scribe/scribe.h"

namespace steno::bench {
namespace {

struct Scale {
  std::size_t records;
  std::size_t chunk;
  std::size_t rounds;
};

struct Effort {
  const char* name;
  format::Effort effort;
};
constexpr Effort kEfforts[] = {
    {"full", format::Effort::kFull}, {"brisk", format::Effort::kBrisk}, {"quick", format::Effort::kQuick}};

constexpr std::size_t kBlocksToLearn = 8;
constexpr std::size_t kSlack = 64;  // gathering may read past a record

// The records as they lie in a ring.
std::vector<std::byte> ring_bytes(const LogKind& kind, std::size_t records) {
  std::vector<std::byte> bytes(kSlack);
  const auto stream = kind.stream(0);
  stream->draw(records);
  {
    const RingConsumer copy([&](const char* data, std::size_t size) {
      const auto* p = reinterpret_cast<const std::byte*>(data);
      for (const std::byte* const end = p + size; p < end;) {  // without pads, which may be longer than a chunk
        const wire::Header header = wire::Header::unpack(load<std::uint64_t>(p));
        if (header.site != wire::kSitePad) bytes.insert(bytes.end() - kSlack, p, p + header.size());
        p += header.size();
      }
    });
    steno::prepare_thread();
    stream->log();
  }
  bytes.insert(bytes.begin(), kSlack, std::byte{});  // and before the first
  return bytes;
}

struct Cost {
  double walk_ns = 0;   // a record
  double write_ns = 0;  // a record
  double bytes = 0;     // a record
};

Cost encode(const std::vector<std::byte>& bytes, const Scale& scale, format::Effort effort) {
  scribe::CoreIds ids(*runtime::core_of_slot(0));
  drain::SpanWalker walker(ids, drain::process_clock(), false);
  format::DataWriter writer({.shared_bytes = std::size_t{32} << 20});
  writer.begin_session(1);
  drain::RingSpan span;
  span.data = bytes.data() + kSlack;
  const std::size_t size = bytes.size() - 2 * kSlack;
  span.extent.capacity = std::bit_ceil(size);
  wire::RingOwner owner;
  drain::RingCursor cursor;
  ByteBuffer out;
  double walk = 0;
  double write = 0;
  std::size_t blocks = 0;
  std::size_t records = 0;
  std::size_t written = 0;
  while (cursor.head < size) {
    const double begin = seconds_now();
    walker.begin(span.data);
    // A record must not be cut: the walk stops before one that is.
    span.cut = cursor.head + scale.chunk < size;
    walker.add(span, &owner, std::min<std::uint64_t>(size, cursor.head + scale.chunk), &cursor);
    if (walker.records() == 0) break;
    const format::BlockInput input = walker.finish();
    const double walked = seconds_now();
    out.clear();
    // As a scribe that has had time before, and knows the columns.
    writer.write(input, 1, out, blocks < kBlocksToLearn ? format::Effort::kFull : effort);
    if (blocks++ < kBlocksToLearn) continue;
    write += seconds_now() - walked;
    walk += walked - begin;
    records += walker.records();
    written += out.size();
  }
  if (records == 0) {
    std::fprintf(stderr, "encode: %zu bytes of records are fewer than %zu blocks of --chunk %zu: take more --records\n",
                 size, kBlocksToLearn + 1, scale.chunk);
    std::exit(2);
  }
  const auto n = static_cast<double>(records);
  return {walk / n * 1e9, write / n * 1e9, static_cast<double>(written) / n};
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  Scale scale{take_number(&argc, argv, "--records", 500'000), take_number(&argc, argv, "--chunk", 1 << 19),
              take_number(&argc, argv, "--rounds", 7)};
  const std::string only = take_text(&argc, argv, "--only");
  const std::string effort = take_text(&argc, argv, "--effort");
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) scale = {20'000, 1 << 15, 1};
  pin(0);
  steno::set_level(steno::Level::kTrace);
  Suite suite{"encode", "Records of a ring to data blocks, in memory", "ns a record", true, {}, {}};
  Suite sizes{"encode_sizes", "Their size, by effort", "bytes a record", true, {}, {}};
  for (const LogKind& kind : log_kinds()) {
    if (!only.empty() && only != kind.name) continue;
    const std::vector<std::byte> bytes = ring_bytes(kind, scale.records);
    double walk = std::numeric_limits<double>::infinity();
    for (const Effort& e : kEfforts) {
      if (!effort.empty() && effort != e.name) continue;
      double write = std::numeric_limits<double>::infinity();
      double size = 0;
      for (std::size_t r = 0; r < scale.rounds; ++r) {
        const Cost cost = encode(bytes, scale, e.effort);
        walk = std::min(walk, cost.walk_ns);
        write = std::min(write, cost.write_ns);
        size = cost.bytes;
      }
      note(&suite, std::string("written with effort: ") + e.name, kind.name, write);
      note(&sizes, e.name, kind.name, size);
    }
    note(&suite, "walked and grouped", kind.name, walk);
  }
  return finish(flags, {suite, sizes});
}
