#include "scribe/own_record.h"

#include <cstring>

#include "ring/layout.h"
#include "wire/record.h"

namespace steno::scribe {

OwnRecord::OwnRecord(std::uint32_t site, std::uint64_t ticks, const ByteBuffer& arguments)
    : size_(round_up(wire::kArgsOffset + arguments.size(), 8)) {
  store(bytes_, wire::Header{site, static_cast<std::uint16_t>(size_ / 8), 0}.pack());
  store(bytes_ + wire::kHeaderSize, ticks);
  std::memcpy(bytes_ + wire::kArgsOffset, arguments.data(), arguments.size());
}

RingSpan OwnRecord::span(std::uint32_t ring) const {
  return {ring::kOwnRing + ring, bytes_, kRoom, 0};
}

void append_dropped(std::uint64_t records, std::uint64_t since, ByteBuffer& arguments) {
  arguments.put(records);
  arguments.put(since);
}

void append_discarded(std::uint64_t records, std::string_view reason, ByteBuffer& arguments) {
  reason = reason.substr(0, OwnRecord::kRoom - wire::kArgsOffset - 12);
  arguments.put(records);
  arguments.put(static_cast<std::uint32_t>(reason.size()));
  arguments.put_bytes(reason.data(), reason.size());
}

void add_ring_total(std::uint32_t ring, const RingCursor& cursor, std::uint64_t own, std::uint64_t dropped,
                    format::EndBlock* end) {
  end->rings.push_back({ring, cursor.seq, cursor.head, dropped});
  if (own != 0) end->rings.push_back({ring::kOwnRing + ring, own, 0, 0});
  end->records += cursor.seq + own;
}

}  // namespace steno::scribe
