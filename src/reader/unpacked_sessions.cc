// Packed sessions of a file (file.md §15), as if their blocks lay after its end.
#include <algorithm>

#include "format/packed_session.h"
#include "reader/corrupt.h"
#include "reader/log_file.h"

namespace steno::reader {

using format::BlockType;
using format::PackedSession;

namespace {

bool is_declaration(BlockType type) {
  return type == BlockType::kSession || type == BlockType::kDictionary || type == BlockType::kStrings ||
         type == BlockType::kClock;
}

// A block of a packed session costs the file next to nothing where its model has it. So its memory is what counts.
constexpr std::uint64_t kSessionBytes = sizeof(Session) + 1024;  // with what its containers begin with
constexpr std::uint64_t kBlockBytes = 256;                       // of data
constexpr std::uint64_t kRunBytes = 160;                         // with its place in its ring, which may have no other

bool is_data(BlockType type) {
  return type == BlockType::kColumns || type == BlockType::kRows;
}

// Bytes of memory that a byte of a block's payload may take. Dictionaries, and runs of data, count what they hold.
std::uint64_t memory_of_byte(BlockType type) {
  switch (type) {
    case BlockType::kDictionary:
    case BlockType::kColumns:
    case BlockType::kRows:
    case BlockType::kProtocol:
      return 0;
    case BlockType::kStrings:
      return 64;
    case BlockType::kSession:
      return 8;
    default:
      return 4;
  }
}

}  // namespace

// Appends the blocks of a packed session to those that are unpacked. Where they begin.
std::size_t LogFile::append_unpacked(const PackedSession& packed, Status* status) {
  const std::size_t begin = unpacked_.size();
  const auto model = models_.find(packed.model);
  if (!packed.is_model() && model == models_.end()) {
    *status = {StatusCode::kCorrupt, "a session that is packed by another one, which is damaged"};
    return begin;
  }
  ByteBuffer bare;
  *status = format::unpack(packed, packed.is_model() ? std::span<const std::uint8_t>() : model->second, &bare);
  if (status->ok()) *status = format::append_blocks({bare.data(), bare.size()}, packed.session_id, &unpacked_);
  if (!status->ok()) unpacked_.truncate(begin);
  return begin;
}

void LogFile::unpack_sessions(Ordinals* ordinals) {
  if (packed_.empty()) return;
  for (const ScannedBlock& block : packed_) {
    const auto packed = format::parse_packed_session(block.payload);
    if (!packed.ok() || !packed->is_model()) continue;
    if (models_.try_emplace(format::model_number(packed->content), packed->content).second) {
      models_in_order_.push_back(packed->content);
    }
  }
  const std::uint64_t most_memory = limits_.memory != 0 ? limits_.memory : default_memory(size());
  std::vector<Unpacked> sessions;
  for (const ScannedBlock& block : packed_) {
    const auto packed = format::parse_packed_session(block.payload);
    Status status = packed.ok() ? Status() : packed.status();
    if (status.ok() && 2 * unpacked_.size() > most_memory) status = beyond_limit("memory");
    const std::size_t begin = status.ok() ? append_unpacked(*packed, &status) : 0;
    const std::uint64_t size = block.header.total_size();
    if (!status.ok()) {
      // Nobody knows what was in it: as if its bytes were damaged.
      damage_.push_back({DamageKind::kBytes, block.offset, size, status.message()});
      continue;
    }
    sessions.push_back({packed->session_id, packed->is_model(), begin, unpacked_.size(), block.offset, size});
    if (!packed->is_model()) packed_end_ = std::max(packed_end_, block.offset + size);
  }
  unpacked_begin_ = round_up(size(), 8) + 8;  // apart, whatever the file ends with
  const std::size_t known_damage = damage_.size();
  unpacked_memory_ = unpacked_.size() * 3 / 2;  // it grows by doubling
  std::vector<Damage> beyond;
  unpacking_ = true;
  for (const Unpacked& session : sessions) {
    if (unpacked_memory_ > most_memory) {
      beyond.push_back({DamageKind::kBytes, session.offset, session.size, beyond_limit("memory").message()});
      continue;
    }
    const std::uint64_t before = memory_of(session);
    const std::uint64_t before_runs = kRunBytes * runs_.size();
    take_unpacked(session, ordinals);
    take_deferred();
    unpacked_memory_ += memory_of(session) - before + kRunBytes * runs_.size() - before_runs;
  }
  unpacking_ = false;
  place_damage(known_damage, sessions);
  damage_.insert(damage_.end(), beyond.begin(), beyond.end());
  std::stable_sort(damage_.begin(), damage_.end(),
                   [](const Damage& a, const Damage& b) { return a.offset < b.offset; });
  packed_.clear();
}

// The memory of its session, as far as it is known: 0 before it is.
std::uint64_t LogFile::memory_of(const Unpacked& session) const {
  const auto known = session_by_tag_.find(format::session_tag(session.id).packed());
  return known != session_by_tag_.end() ? kSessionBytes + sessions_[known->second]->dictionary.memory() : 0;
}

// A model repeats a session that is in the file as well; of one that is not, it is the only copy.
void LogFile::take_unpacked(const Unpacked& session, Ordinals* ordinals) {
  const bool repeats = session.is_model && session_by_id_.contains(session.id);
  ScannedBlock block;
  block.tag = format::session_tag(session.id);
  for (std::size_t at = session.begin; at < session.end; at += block.header.total_size()) {
    if (!format::parse_header(unpacked_.data() + at, session.end - at, &block.header)) return;
    if (repeats && !is_declaration(block.header.type)) continue;
    if (repeats) block.header.flags |= format::kCopyFlag;
    if (is_data(block.header.type)) unpacked_memory_ += kBlockBytes;
    unpacked_memory_ += memory_of_byte(block.header.type) * block.header.length;
    block.offset = unpacked_begin_ + at;
    block.payload = {unpacked_.data() + at + format::kBlockHeaderSize, block.header.length};
    if (const Status status = take(block, ordinals, false); !status.ok()) {
      damage_.push_back({DamageKind::kNewer, block.offset, block.header.total_size(), status.message()});
      return;
    }
  }
}

// Moves the damage of unpacked blocks, from the given one on, to where the session lies in the file, and keeps one of
// each session.
void LogFile::place_damage(std::size_t first, const std::vector<Unpacked>& sessions) {
  std::vector<bool> reported(sessions.size());
  const auto last =
      std::remove_if(damage_.begin() + static_cast<std::ptrdiff_t>(first), damage_.end(), [&](Damage& damage) {
        const auto next =
            std::upper_bound(sessions.begin(), sessions.end(), damage.offset - unpacked_begin_,
                             [](std::uint64_t at, const Unpacked& session) { return at < session.begin; });
        const auto index = static_cast<std::size_t>(next - sessions.begin()) - 1;
        damage.offset = sessions[index].offset;
        damage.size = sessions[index].size;
        const bool is_known = reported[index];
        reported[index] = true;
        return is_known && damage.kind == DamageKind::kContent;
      });
  damage_.erase(last, damage_.end());
}

}  // namespace steno::reader
