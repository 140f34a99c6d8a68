// The session block (file.md §3): which process wrote what follows, and by which clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/block.h"
#include "steno/status.h"

namespace steno::format {

constexpr std::size_t kMostStarts = std::size_t{1} << 18;  // more than a session can have rings

// How many of a ring's records of the session came before what follows.
struct RingStart {
  std::uint32_t ring = 0;  // as in runs (file.md §6)
  std::uint64_t records = 0;

  bool operator==(const RingStart&) const = default;
};

struct SessionBlock {
  std::uint32_t version = kFileVersion;
  std::uint32_t pid = 0;
  std::uint64_t session_id = 0;
  std::int64_t start_wall = 0;   // ns since the Unix epoch
  double ns_per_tick = 1.0;      // first estimate
  std::uint32_t clock_kind = 0;  // ring.md §2
  std::int32_t utc_offset = 0;   // seconds east of UTC
  std::string program;
  std::string host;
  std::string steno_version;
  std::string staging;  // where its rings are, for whoever comes after a crash; empty: in memory of the process
  // If the session goes on here, and what came before was written to another file: how much that was (file.md §3). By
  // ring, in rising order.
  std::optional<std::vector<RingStart>> elsewhere;
};

// The part of a session's id that its blocks carry (file.md §1).
SessionTag session_tag(std::uint64_t session_id, std::uint32_t version = kFileVersion);

// Less than a day.
constexpr bool plausible_utc_offset(std::int32_t seconds) {
  constexpr std::int32_t kDay = 24 * 60 * 60;
  return seconds > -kDay && seconds < kDay;
}

void append_session_block(ByteBuffer& out, const SessionBlock& session);

// `payload` is untrusted. kUnsupported: a newer version wrote it; kCorrupt: anything else that is wrong. Bytes after
// the last field are ignored, so that a later version 1 may add fields.
Result<SessionBlock> parse_session_block(std::span<const std::uint8_t> payload);

}  // namespace steno::format
