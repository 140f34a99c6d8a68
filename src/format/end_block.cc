#include "format/end_block.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastRing = 4;  // bytes a ring takes at least

}  // namespace

void append_end_block(ByteBuffer& out, const EndBlock& end, SessionTag tag) {
  const std::size_t start = begin_block(out, BlockType::kEnd, tag);
  out.put_varint(end.records);
  out.put_varint(end.rings.size());
  for (const RingTotal& total : end.rings) {
    out.put_varint(total.ring);
    out.put_varint(total.seq);
    out.put_varint(total.position);
    out.put_varint(total.dropped);
  }
  out.put_varint(end.died ? 1 : 0);
  end_block(out, start);
}

Result<EndBlock> parse_end_block(std::span<const std::uint8_t> payload) {
  ByteReader in(payload.data(), payload.size());
  EndBlock end;
  end.records = in.get_varint();
  const std::uint64_t rings = in.get_varint();
  if (rings > in.remaining() / kLeastRing) return Status(StatusCode::kCorrupt, "the end block counts too many rings");
  end.rings.reserve(rings);
  for (std::uint64_t i = 0; i < rings; ++i) {
    const std::uint64_t ring = in.get_varint();
    RingTotal total;
    total.ring = static_cast<std::uint32_t>(ring);
    total.seq = in.get_varint();
    total.position = in.get_varint();
    total.dropped = in.get_varint();
    if (!in.ok() || ring > UINT32_MAX) return Status(StatusCode::kCorrupt, "the end block ends too early");
    end.rings.push_back(total);
  }
  end.died = !in.at_end() && (in.get_varint() & 1) != 0;
  if (!in.ok()) return Status(StatusCode::kCorrupt, "the end block ends too early");
  return end;
}

}  // namespace steno::format
