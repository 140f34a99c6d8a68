#include "format/clock_block.h"

namespace steno::format {
namespace {

constexpr std::size_t kPointSize = 32;

}  // namespace

void append_clock_block(ByteBuffer& out, std::span<const ClockPoint> points, SessionTag tag, std::uint8_t flags) {
  const std::size_t start = begin_block(out, BlockType::kClock, tag, flags);
  for (const ClockPoint& point : points) {
    out.put(point.ticks);
    out.put(point.wall_ns);
    out.put(point.ns_per_tick);
    out.put(point.uncertainty_ns);
    out.put(point.flags);
  }
  end_block(out, start);
}

Status parse_clock_block(std::span<const std::uint8_t> payload, std::vector<ClockPoint>* points) {
  if (payload.size() % kPointSize != 0) return Status(StatusCode::kCorrupt, "the clock block ends inside a point");
  const std::size_t before = points->size();
  ByteReader in(payload.data(), payload.size());
  std::uint64_t last = 0;
  while (!in.at_end()) {
    ClockPoint point;
    point.ticks = in.get<std::uint64_t>();
    point.wall_ns = in.get<std::int64_t>();
    point.ns_per_tick = in.get<double>();
    point.uncertainty_ns = in.get<std::uint32_t>();
    point.flags = in.get<std::uint32_t>();
    if (!plausible_rate(point.ns_per_tick) || point.ticks < last) {
      points->resize(before);
      return Status(StatusCode::kCorrupt, "the clock block has an impossible rate or ticks that go back");
    }
    last = point.ticks;
    points->push_back(point);
  }
  return Status();
}

}  // namespace steno::format
