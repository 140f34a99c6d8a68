#include "reader/accounted.h"

namespace steno::reader {
namespace {

// No session fits: its session block, an entry of its dictionary and a record.
constexpr std::uint64_t kNoSession = 128;
// Where sessions may be packed, a block of one.
constexpr std::uint64_t kNoPackedSession = 40;

}  // namespace

Accounting::Accounting(const LogFile& file)
    : file_(file), least_session_(kNoSession), is_known_(std::size_t{1} << 16, false) {
  for (const auto& session : file.sessions()) {
    if (!session->known || session->info.version >= format::kNewestVersion) least_session_ = kNoPackedSession;
    if (session->known) is_known_[format::session_tag(session->info.session_id).tag] = true;
  }
}

// Returns whether the damaged stretch is filled by blocks of known sessions: their headers, which are whole, lead from
// its beginning to its end.
bool Accounting::is_filled_by_blocks(const Damage& damage) const {
  const auto bytes = file_.bytes(damage.offset, damage.size);
  std::uint64_t at = 0;
  format::BlockHeader header;
  while (at < bytes.size() && format::parse_header(bytes.data() + at, bytes.size() - at, &header) &&
         header.type != format::BlockType::kSession && header.type != format::BlockType::kPacked &&
         is_known_[header.session_tag]) {
    at += header.total_size();
  }
  return at == bytes.size();
}

bool Accounting::covers(const Damage& damage) const {
  switch (damage.kind) {
    case DamageKind::kContent:
      return true;
    case DamageKind::kNewer:
    case DamageKind::kTornTail:  // what was cut off with its rest is unknown
      return false;
    default:
      return damage.size < least_session_ || file_.is_indexed(damage.offset, damage.size) ||
             is_filled_by_blocks(damage);
  }
}

}  // namespace steno::reader
