#include "reader/accounted.h"

#include <algorithm>

namespace steno::reader {
namespace {

// No session fits: its session block, an entry of its dictionary and a record.
constexpr std::uint64_t kNoSession = 128;
// Where sessions may be packed, a block of one.
constexpr std::uint64_t kNoPackedSession = 40;

std::uint64_t least_session(const LogFile& file) {
  const bool may_be_packed = std::any_of(file.sessions().begin(), file.sessions().end(), [](const auto& session) {
    return !session->known || session->info.version >= format::kNewestVersion;
  });
  return may_be_packed ? kNoPackedSession : kNoSession;
}

bool is_known(const LogFile& file, std::uint16_t tag) {
  return std::any_of(file.sessions().begin(), file.sessions().end(), [tag](const auto& session) {
    return session->known && format::session_tag(session->info.session_id).tag == tag;
  });
}

// Returns whether the damaged stretch is filled by blocks of known sessions: their headers, which are whole, lead from
// its beginning to its end.
bool is_filled_by_blocks(const LogFile& file, const Damage& damage) {
  const auto bytes = file.bytes(damage.offset, damage.size);
  std::uint64_t at = 0;
  format::BlockHeader header;
  while (at < bytes.size() && format::parse_header(bytes.data() + at, bytes.size() - at, &header) &&
         header.type != format::BlockType::kSession && header.type != format::BlockType::kPacked &&
         is_known(file, header.session_tag)) {
    at += header.total_size();
  }
  return at == bytes.size();
}

}  // namespace

bool is_accounted(const LogFile& file, const Damage& damage) {
  switch (damage.kind) {
    case DamageKind::kContent:
      return true;
    case DamageKind::kNewer:
    case DamageKind::kTornTail:  // what was cut off with its rest is unknown
      return false;
    default:
      return damage.size < least_session(file) || file.is_indexed(damage.offset, damage.size) ||
             is_filled_by_blocks(file, damage);
  }
}

}  // namespace steno::reader
