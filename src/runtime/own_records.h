// Records of the protocol's own (ring.md §3), written by the thread that has the ring, on its long way; in signal
// handlers too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/core.h"
#include "wire/record.h"

namespace steno::runtime {

constexpr std::size_t kMaxThreadName = 255;                  // bytes
constexpr std::size_t kDropRecord = wire::kArgsOffset + 16;  // of report_drops()
constexpr std::size_t kThreadRecordRoom = 16 + 16 + 256;     // header, clock, fixed part, name

// A record whose header lacks only its size. False: no room.
bool write_own(Core& core, Ring& ring, std::uint64_t header, const std::byte* arguments, std::size_t size);

// Whose records follow. `name`: of kMaxThreadName bytes at most. False: no room.
bool write_thread_record(Core& core, Ring& ring, std::uint32_t index, std::uint64_t tid, std::string_view name);

// Counts a record for which there is no room.
void drop(Core& core, Ring& ring);

// Says in the log itself how many records are missing here. False: no room.
bool report_drops(Core& core, Ring& ring);

}  // namespace steno::runtime
