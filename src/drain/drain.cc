#include "drain/drain.h"

#include <algorithm>

#include "format/block.h"
#include "format/session_block.h"
#include "ring/release.h"

namespace steno::drain {

DrainedRing::DrainedRing(std::uint32_t ring, const ring::Release& release, std::uint32_t kind)
    : id(ring),
      recorder(kind == ring::kRecorderRing),
      cursor{release.position, release.seq, release.drops},
      own(release.own),
      announced(release.announced),
      discards(release.discards),
      drops_before(release.drops) {}

void DrainedRing::rewind(const ring::Release& last) {
  const std::uint64_t drops = drops_before;
  *this = DrainedRing(id, last, recorder ? ring::kRecorderRing : ring::kOrdinaryRing);
  drops_before = drops;
}

ring::Release DrainedRing::release() const {
  return {cursor.head, cursor.seq, cursor.drops, own, announced, discards, 0, 0};
}

void DrainedRing::restart_numbers() {
  cursor.seq = 0;
  own = 0;
  drops_before = cursor.drops;
}

Drain::Drain(IdSource& ids, const ClockModel& clock, bool wall_ticks, const format::WriterOptions& options)
    : clock_(clock), walker_(ids, clock_, wall_ticks), writer_(options) {}

void Drain::begin_session(std::uint64_t session_id, std::uint32_t consumers_before) {
  tag_ = format::session_tag(session_id);
  walker_.forget_entries();
  writer_.begin_session(consumers_before == 0 ? 1 : std::uint64_t{consumers_before} << 32);
}

void Drain::update_clock(bool force, ring::SessionFile& session, std::uint64_t quiet_since) {
  const std::size_t before = points_.size();
  clock_.update(read_both(clock_.ns_per_tick()), force, &points_, quiet_since);
  for (std::size_t i = before; i < points_.size(); ++i) {
    const format::ClockPoint& point = points_[i];
    ring::publish_clock(session, {point.ticks, point.wall_ns, point.ns_per_tick, point.uncertainty_ns, point.flags});
  }
}

void Drain::append_points(ByteBuffer& out) {
  if (points_.empty()) return;
  // Points that a session goes on with may be older than those that were read back from staging.
  std::stable_sort(points_.begin(), points_.end(),
                   [](const format::ClockPoint& a, const format::ClockPoint& b) { return a.ticks < b.ticks; });
  format::append_clock_block(out, points_, tag_);
  points_.clear();
}

void Drain::append_whole(format::BlockType type, ByteBuffer& payload, ByteBuffer& out) const {
  if (payload.empty()) return;
  format::append_block(out, type, tag_, {payload.data(), payload.size()});
  payload.clear();
}

bool Drain::append_block(ByteBuffer& out, format::BlockInput* input) {
  append_whole(format::BlockType::kDictionary, walker_.new_entries(), out);
  append_points(out);
  append_whole(format::BlockType::kProtocol, walker_.protocol_records(), out);
  if (walker_.records() == 0) return false;
  *input = walker_.finish(true);
  if (writer_.write(*input, tag_, out, effort_)) ++quick_blocks_;
  return true;
}

void Drain::append_record(std::uint32_t ring, std::uint64_t seq, const OwnRecord& record, wire::RingOwner* owner,
                          ByteBuffer& out, format::BlockInput* input) {
  RingCursor cursor = {0, seq, 0};
  walker_.begin(record.data());
  walker_.add(record.span(ring), owner, record.size(), &cursor);
  (void)append_block(out, input);
}

void Drain::append_own(const DrainedRing& ring, const OwnRecord& record, wire::RingOwner* owner, ByteBuffer& out,
                       format::BlockInput* input) {
  append_record(ring::kOwnRing + ring.id, ring.own, record, owner, out, input);
}

void Drain::append_death(const OwnRecord& record, wire::RingOwner* owner, ByteBuffer& out, format::BlockInput* input) {
  append_record(ring::kDeathRing, 0, record, owner, out, input);
}

void finish_own(DrainedRing* ring) {
  const std::uint64_t records = ring->announced >> 2;
  if (ring->announced % 4 == wire::kSiteDropped) ring->cursor.drops += records;
  if (ring->announced % 4 == wire::kSiteDiscarded) ring->discards += records;
  ++ring->own;
  ring->announced = 0;
}

void add_ring_total(const DrainedRing& ring, format::EndBlock* end) {
  // Records that a flight recorder overwrites are no loss.
  const std::uint64_t dropped = ring.recorder ? 0 : ring.cursor.drops - ring.drops_before;
  end->rings.push_back({ring.number(), ring.cursor.seq, ring.cursor.head, dropped});
  if (ring.own != 0) end->rings.push_back({ring::kOwnRing + ring.id, ring.own, 0, 0});
  end->records += ring.cursor.seq + ring.own;
}

}  // namespace steno::drain
