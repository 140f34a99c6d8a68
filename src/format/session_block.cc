#include "format/session_block.h"

#include <algorithm>

#include "base/checksum.h"
#include "format/clock_block.h"

namespace steno::format {

namespace {

void append_starts(ByteBuffer& out, const std::vector<RingStart>& starts) {
  out.put_varint(starts.size());
  for (const RingStart& start : starts) {
    out.put_varint(start.ring);
    out.put_varint(start.records);
  }
}

// Nothing if they are malformed: then nothing is known of other files.
std::optional<std::vector<RingStart>> read_starts(ByteReader& in) {
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count > std::min<std::uint64_t>(in.remaining() / 2, kMostStarts)) return std::nullopt;
  std::vector<RingStart> starts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t ring = in.get_varint();
    const std::uint64_t records = in.get_varint();
    if (!in.ok() || ring > UINT32_MAX || (i != 0 && ring <= starts.back().ring)) return std::nullopt;
    starts.push_back({static_cast<std::uint32_t>(ring), records});
  }
  return starts;
}

}  // namespace

SessionTag session_tag(std::uint64_t session_id, std::uint32_t version) {
  const auto tag = static_cast<std::uint16_t>(session_id);
  if (version < 2) return {tag, 0};
  return {tag, static_cast<std::uint32_t>(xxh3(&session_id, sizeof session_id, 0))};
}

void append_session_block(ByteBuffer& out, const SessionBlock& session) {
  const std::size_t start = begin_block(out, BlockType::kSession, session_tag(session.session_id, session.version));
  out.put(session.version);
  out.put(session.pid);
  out.put(session.session_id);
  out.put(session.start_wall);
  out.put(session.ns_per_tick);
  out.put(session.clock_kind);
  out.put(session.utc_offset);
  out.put_string(session.program);
  out.put_string(session.host);
  out.put_string(session.steno_version);
  out.put_string(session.staging);
  if (session.elsewhere) append_starts(out, *session.elsewhere);
  end_block(out, start);
}

Result<SessionBlock> parse_session_block(std::span<const std::uint8_t> payload) {
  ByteReader in(payload.data(), payload.size());
  SessionBlock session;
  session.version = in.get<std::uint32_t>();
  if (session.version > kNewestVersion) {
    return Status(StatusCode::kUnsupported, "the file has format version " + std::to_string(session.version) +
                                                "; this program reads up to version " + std::to_string(kNewestVersion) +
                                                ": use a newer steno");
  }
  session.pid = in.get<std::uint32_t>();
  session.session_id = in.get<std::uint64_t>();
  session.start_wall = in.get<std::int64_t>();
  session.ns_per_tick = in.get<double>();
  session.clock_kind = in.get<std::uint32_t>();
  session.utc_offset = in.get<std::int32_t>();
  session.program = in.get_string();
  session.host = in.get_string();
  session.steno_version = in.get_string();
  if (!in.ok()) return Status(StatusCode::kCorrupt, "the session block ends too early");
  if (in.remaining() != 0) session.staging = in.get_string();
  if (!in.ok()) session.staging.clear();
  if (in.ok() && in.remaining() != 0) session.elsewhere = read_starts(in);
  if (session.version == 0) return Status(StatusCode::kCorrupt, "the session block has version 0");
  if (!plausible_rate(session.ns_per_tick)) {
    return Status(StatusCode::kCorrupt, "the session block has an impossible clock rate");
  }
  if (!plausible_utc_offset(session.utc_offset)) {
    return Status(StatusCode::kCorrupt, "the session block is a day or more off UTC");
  }
  return session;
}

}  // namespace steno::format
