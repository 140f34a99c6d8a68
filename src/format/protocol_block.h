// Protocol blocks (file.md §13): records of rings whose kind the writer does not know, as they were, for readers who
// do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace steno::format {

// Where such a record stood.
struct ProtocolRecord {
  std::uint32_t thread = 0;
  std::uint32_t ring = 0;
  std::uint64_t seq = 0;       // of the record after it in its ring
  std::uint64_t position = 0;  // its own, in the ring
  std::span<const std::uint8_t> bytes;
};

void append_protocol_record(ByteBuffer& out, const ProtocolRecord& record);
// False: it is malformed.
[[nodiscard]] bool read_protocol_record(ByteReader& in, ProtocolRecord* record);
// How many there are in a block, up to the first that is malformed.
std::uint64_t count_protocol_records(std::span<const std::uint8_t> payload);

}  // namespace steno::format
