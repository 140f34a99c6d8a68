#include "format/protocol_block.h"

#include "wire/record.h"

namespace steno::format {

void append_protocol_record(ByteBuffer& out, const ProtocolRecord& record) {
  out.put_varint(record.thread);
  out.put_varint(record.ring);
  out.put_varint(record.seq);
  out.put_varint(record.position);
  out.put_varint(record.bytes.size());
  out.put_bytes(record.bytes.data(), record.bytes.size());
}

bool read_protocol_record(ByteReader& in, ProtocolRecord* record) {
  const std::uint64_t thread = in.get_varint();
  const std::uint64_t ring = in.get_varint();
  record->seq = in.get_varint();
  record->position = in.get_varint();
  const std::uint64_t size = in.get_varint();
  const std::uint8_t* bytes = in.take(size);
  if (bytes == nullptr || thread > UINT32_MAX || ring > UINT32_MAX || size < wire::kHeaderSize) return false;
  record->thread = static_cast<std::uint32_t>(thread);
  record->ring = static_cast<std::uint32_t>(ring);
  record->bytes = {bytes, static_cast<std::size_t>(size)};
  return true;
}

std::uint64_t count_protocol_records(std::span<const std::uint8_t> payload) {
  ByteReader in(payload.data(), payload.size());
  std::uint64_t count = 0;
  for (ProtocolRecord record; !in.at_end() && read_protocol_record(in, &record);) ++count;
  return count;
}

}  // namespace steno::format
