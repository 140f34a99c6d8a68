#include "real/encoder.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "common/harness.h"
#include "common/ring_consumer.h"
#include "drain/process_clock.h"
#include "drain/span_walker.h"
#include "runtime/core.h"
#include "scribe/scribe.h"

namespace steno::bench {
namespace {

constexpr std::size_t kBlocksToLearn = 8;
constexpr std::size_t kSlack = 64;  // gathering may read past a record

EncodeCost encode_once(const std::vector<std::byte>& bytes, const EncodeScale& scale, format::Effort effort) {
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
    // The scribe has had time before, and knows the columns.
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

std::vector<std::byte> ring_bytes(Stream& stream, std::size_t records) {
  std::vector<std::byte> bytes(kSlack);
  stream.draw(records);
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
    stream.log();
  }
  bytes.insert(bytes.begin(), kSlack, std::byte{});  // and before the first
  return bytes;
}

std::vector<std::byte> ring_bytes(const LogKind& kind, std::size_t records) {
  return ring_bytes(*kind.stream(0), records);
}

EncodeCost encode(const std::vector<std::byte>& ring, const EncodeScale& scale, format::Effort effort) {
  EncodeCost least = encode_once(ring, scale, effort);
  for (std::size_t r = 1; r < scale.rounds; ++r) {
    const EncodeCost cost = encode_once(ring, scale, effort);
    least.walk_ns = std::min(least.walk_ns, cost.walk_ns);
    least.write_ns = std::min(least.write_ns, cost.write_ns);
  }
  return least;
}

}  // namespace steno::bench
