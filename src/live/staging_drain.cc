#include "live/staging_drain.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/fence.h"
#include "drain/session_info.h"
#include "format/clock_block.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"

namespace steno::live {
namespace {

// The bytes that are copied for one block: so little that it is still in the caches when it is walked and packed.
constexpr std::size_t kArena = std::size_t{1} << 20;
constexpr std::size_t kMaxRecord = wire::kMaxRecordSize;
static_assert(kArena >= 2 * kMaxRecord);
constexpr std::size_t kMostProblems = 1000;
constexpr std::size_t kSharedBytes = std::size_t{4} << 20;     // one process may drain hundreds
constexpr std::uint64_t kUsualReach = std::uint64_t{1} << 23;  // of rings, where programs do not say otherwise

// Goes on from the latest point.
drain::ClockModel clock_of(const std::vector<format::ClockPoint>& points) {
  if (points.empty()) return {{}, 1.0};
  const format::ClockPoint& last = points.back();
  drain::ClockModel model({last.ticks, last.wall_ns, last.uncertainty_ns}, last.ns_per_tick);
  model.go_on();  // begin() appends them all
  return model;
}

}  // namespace

Level recorder_below(const ring::SessionFile& session) {
  const std::uint32_t below = session.recorder_below;
  return below <= static_cast<std::uint32_t>(kLevelOff) ? static_cast<Level>(below) : Level::kTrace;
}

StagingDrain::StagingDrain(staging::ForeignStaging& view, int zstd_level)
    : view_(view),
      wall_ticks_(ticks_are_wall(static_cast<ClockKind>(view.session().clock_kind))),
      drain_(view.ids(), clock_of(clock_points()), wall_ticks_,
             format::WriterOptions{.zstd_level = zstd_level, .shared_bytes = drains() ? kSharedBytes : 0}) {
  drain_.begin_session(view.session().session_id, 0);
  drain_.walker().set_aside_below(recorder_below(view.session()));
  problems_ = view.problems();
  for (const staging::ForeignRing& foreign : view.rings()) {
    Ring ring;
    if (!load(foreign, &ring)) continue;
    hold_back(ring);
    rings_.push_back(std::move(ring));
  }
  triggered_ = drains() && ring::is_dump_due(*view.shared_session());
  // The previous consumer may have written the record with their number already: it is drained first and not repeated.
  if (Ring* const ring = recorder(); triggered_ && ring != nullptr && keeps_recorder()) {
    dump_end_ = flight_recorder(*ring).tail();
    hold_back(*ring);
  }
  if (Ring* const recorder_ring = recorder(); recorder_ring != nullptr) {
    for (Ring& ring : rings_) {
      ring.taken = flight_recorder(*recorder_ring).taken_of(ring.drained.id, ring.taken);
      // The next taken record may be of another ring, and nothing else would show that.
      if (drains()) ring::publish_taken(ring.ring->header(), ring.taken);
    }
  }
  view.refresh_dictionary();
}

bool StagingDrain::refresh() {
  following_ = !drains();
  missed_ = false;
  if (following_) problems_.clear();  // its scribe reports them
  if (!view_.refresh()) return false;
  handlers_told_ = 0;
  std::vector<Ring> before = std::move(rings_);
  rings_.clear();
  for (const staging::ForeignRing& foreign : view_.rings()) {
    const auto known =
        std::find_if(before.begin(), before.end(), [&](const Ring& r) { return r.drained.id == foreign.id(); });
    Ring ring;
    if (known != before.end()) {
      ring = std::move(*known);
      ring.ring = &foreign;
      update(ring);
    } else if (load(foreign, &ring)) {
      hold_back(ring);
      missed_ = missed_ || ring.drained.cursor.seq != 0;
    } else {
      continue;
    }
    rings_.push_back(std::move(ring));
  }
  view_.refresh_dictionary();
  return true;
}

// Takes note of a ring that was walked before. What was released before it was walked is on file.
void StagingDrain::update(Ring& ring) {
  Ring now;
  if (!load(*ring.ring, &now)) {
    ring.pass_over();
    return;
  }
  const std::uint64_t head = ring.drained.cursor.head;
  if (now.drained.cursor.head > head) {
    ring = std::move(now);
    missed_ = true;
  } else if (now.tail < head || now.tail - head > now.extent.capacity) {
    ring.pass_over();  // no producer does that
  } else {
    ring.tail = now.tail;
    ring.extent = now.extent;
  }
  hold_back(ring);
  ring.dropped = now.dropped;
  ring.dropping_since = now.dropping_since;
}

// Notes each problem once, and at most kMostProblems, because a hostile process can cause any number.
void StagingDrain::note_problem(const std::string& what) {
  const bool known = std::find(problems_.begin(), problems_.end(), what) != problems_.end();
  if (!known && problems_.size() < kMostProblems) problems_.push_back(what);
}

bool StagingDrain::moved() const {
  if (rings_.size() != view_.rings().size()) return true;  // one made no sense, maybe for a moment
  if (view_.has_new_rings() || !view_.same_session()) return true;
  return std::any_of(rings_.begin(), rings_.end(), [](const Ring& ring) {
    return !ring.drained.recorder && ring.ring->tail(ring.tail) != ring.tail;
  });
}

bool StagingDrain::waiting() const {
  return std::any_of(rings_.begin(), rings_.end(), [](const Ring& ring) { return ring.waiting() != 0; });
}

// Where a ring stands. False: it makes no sense.
bool StagingDrain::load(const staging::ForeignRing& foreign, Ring* ring) {
  staging::RingFacts facts;
  const bool read = foreign.read(&facts);
  const ring::Release& release = facts.release;
  if (!read || release.position % 8 != 0 || facts.tail % 8 != 0 ||
      facts.tail - release.position > facts.extent.capacity ||
      (foreign.kind() == ring::kRecorderRing && facts.extent.base != 0)) {
    note_problem("ring " + std::to_string(foreign.id()) + ": its positions are inconsistent");
    return false;
  }
  const bool current = facts.session_id == view_.session().session_id;
  ring->ring = &foreign;
  ring->tail = facts.tail;
  ring->extent = facts.extent;
  ring->taken = facts.taken;
  ring->drained = drain::DrainedRing(foreign.id(), release, foreign.kind());
  if (!current) ring->drained.restart_numbers();
  // The producers of a process that lives report the others.
  ring->dropped =
      view_.state() == staging::State::kLive && drains() ? std::min(facts.dropped, facts.left) : facts.dropped;
  ring->dropping_since = facts.dropping_since;
  ring->owner = ring::owner_of(release, facts.owner);
  return true;
}

std::uint64_t StagingDrain::unreported(const Ring& ring) const {
  const std::uint64_t reported = ring.drained.cursor.drops;
  return ring.dropped > reported ? ring.dropped - reported : 0;
}

// Discards that no record has reported. Ring 0 has the count.
std::uint64_t StagingDrain::unreported_discards() const {
  const std::uint64_t discarded = view_.session().discarded;
  if (rings_.empty() || rings_[0].ring->id() != 0) return 0;
  const std::uint64_t reported = rings_[0].drained.discards;
  return discarded > reported ? discarded - reported : 0;
}

bool StagingDrain::pending() const {
  return unreported_discards() != 0 || !problems_.empty() || unreadable_ != 0 ||
         std::any_of(rings_.begin(), rings_.end(), [this](const Ring& ring) {
           return ring.waiting() != 0 || unreported(ring) != 0 || ring.drained.announced != 0;
         });
}

// The latest ones that are certainly whole: the slot after them may have been half written at the crash.
std::vector<format::ClockPoint> StagingDrain::clock_points() const {
  const ring::SessionFile& session = drains() ? *view_.shared_session() : view_.session();
  const std::uint64_t end = session.clock_points;
  const std::uint64_t begin = end < ring::kClockSlots ? 0 : end - (ring::kClockSlots - 1);
  std::vector<format::ClockPoint> points;
  for (std::uint64_t n = begin; n < end; ++n) {
    const ring::ClockSlot slot = session.clock_slots[n % ring::kClockSlots];
    if (!format::plausible_rate(slot.ns_per_tick)) continue;
    if (!points.empty() && slot.ticks <= points.back().ticks) continue;
    points.push_back({slot.ticks, slot.wall_ns, slot.ns_per_tick, slot.uncertainty_ns, slot.flags});
  }
  return points;
}

// How much of each ring has been released: it is on file.
std::vector<format::RingStart> StagingDrain::starts() const {
  std::vector<format::RingStart> starts;
  for (const Ring& ring : rings_) {
    if (ring.drained.cursor.seq != 0) starts.push_back({ring.drained.number(), ring.drained.cursor.seq});
    if (ring.drained.own != 0) starts.push_back({ring::kOwnRing + ring.drained.id, ring.drained.own});
  }
  std::sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) { return a.ring < b.ring; });
  return starts;
}

void StagingDrain::begin(ByteBuffer& out, bool elsewhere) {
  const std::uint32_t consumers = drains() ? ring::count_consumer(*view_.shared_session()) : 0;
  first_consumer_ = consumers == 0;
  drain_.begin_session(view_.session().session_id, consumers);
  format::SessionBlock block = drain::session_info(view_.session(), view_.directory());
  elsewhere_ = 0;
  if (elsewhere) {
    block.elsewhere = starts();
    for (const format::RingStart& start : *block.elsewhere) elsewhere_ += start.records;
  }
  format::append_session_block(out, block);
  if (!wall_ticks_) drain_.points() = clock_points();
  drain_.append_points(out);
}

// Copies what the ring still has, up to `room` bytes, after what is in the arena. Leaves out what was released, and
// maybe overwritten, while it did: that is on file.
std::size_t StagingDrain::copy(Ring& ring, std::byte* arena, std::size_t room) {
  std::size_t size = std::min<std::uint64_t>(ring.waiting(), room);
  const std::size_t at = used_;
  used_ += size;
  const bool copied = ring.ring->copy(ring.extent, ring.drained.cursor.head, size, arena + at);
  const bool reads_along = view_.state() != staging::State::kOrphan && !drains();
  if (copied && !reads_along) return size;
  // Released meanwhile: may have been overwritten while it was copied, and is on file by now. What the release that is
  // loaded now names is whole, and it brings the number of the first record that is.
  fence<__ATOMIC_ACQUIRE>();
  Ring now;
  const std::uint64_t head = ring.drained.cursor.head;
  if (reads_along && !load(*ring.ring, &now)) {
    ring.pass_over();
    size = 0;
  } else if (reads_along && now.drained.cursor.head > head) {
    // Bytes that cannot be copied any more are released: their pages have been given back.
    const std::uint64_t gone = copied ? std::min<std::uint64_t>(now.drained.cursor.head - head, size) : size;
    std::memmove(arena + at, arena + at + gone, size - gone);
    size -= gone;
    ring.drained.cursor = now.drained.cursor;
    ring.owner = now.owner;
    ring.tail = std::max(ring.tail, ring.drained.cursor.head);
    missed_ = true;
    if (!copied && ring.waiting() != 0) {
      used_ = at;
      return copy(ring, arena, room);
    }
  } else if (!copied) {
    note_problem("ring " + std::to_string(ring.drained.id) + ": it can no longer be read");
    ring.pass_over();
    size = 0;
  }
  used_ = at + size;
  return size;
}

void StagingDrain::fill_arena(Scratch::Array<std::byte>& arena) {
  used_ = 0;
  std::uint64_t waiting = 0;
  for (const Ring& ring : rings_) waiting += ring.waiting();
  arena.resize(std::min<std::uint64_t>(waiting, kArena));
  pieces_.clear();
  // Before anything more is taken to it.
  const Ring* const recorder_ring = recorder();
  const bool recorder_first = recorder_ring != nullptr && recorder_ring->waiting() != 0;
  for (Ring& ring : rings_) {
    if (ring.waiting() == 0 || (recorder_first && !ring.drained.recorder)) continue;
    if (used_ + kMaxRecord > kArena && !pieces_.empty()) return;
    const std::size_t at = used_;
    const std::size_t size = copy(ring, arena.data(), kArena - at);
    if (size != 0) pieces_.push_back({&ring, at, size, size < ring.waiting()});
  }
}

bool StagingDrain::next(ByteBuffer& out) {
  drain::SpanWalker& walker = drain_.walker();
  Scratch::Array<std::byte> arena(Scratch::of_thread());
  bool more = true;
  while (more) {
    fill_arena(arena);
    if (pieces_.empty() && !report_recorder()) return false;
    if (pieces_.empty()) continue;
    walker.begin(arena.data());
    for (const Piece& piece : pieces_) {
      Ring& ring = *piece.ring;
      if (walker.full()) break;
      const drain::RingCursor before = ring.drained.cursor;
      const drain::RingSpan span = {ring.drained.number(),
                                    arena.data() + piece.at,
                                    {0, std::bit_ceil(piece.size)},
                                    before.head,
                                    piece.cut,
                                    ring.drained.recorder,
                                    std::max(ring.taken, before.head) - before.head};
      const wire::RingOwner owner = ring.owner;
      drain::RingCursor cursor = {0, before.seq, before.drops};
      if (!walker.add(span, &ring.owner, piece.size, &cursor)) break;
      ring.drained.cursor = {before.head + cursor.head, cursor.seq, cursor.drops};
      ring.moved = true;
      if (!walker.aside().empty()) take_aside(ring, owner);
      if (ring.drained.recorder) recorded_ += cursor.seq - before.seq;
      if (const std::uint64_t bytes = walker.take_corrupt_bytes(); bytes != 0) skip(ring, bytes);
    }
    unreadable_ += walker.take_unreadable();
    more = walker.records() == 0 && walker.protocol_records().empty();  // pads and the like only
  }
  if (!drain_.append_block(out, &input_)) {
    input_ = {};
    return true;
  }
  // While the process lives, `last_look` is later.
  if (records_ == 0 || view_.state() != staging::State::kLive) {
    const auto [first, last] = std::minmax_element(input_.clocks.begin(), input_.clocks.end());
    first_ticks_ = std::min(first_ticks_, *first);
    last_ticks_ = std::max(last_ticks_, *last);
  }
  records_ += walker.records();
  note_trigger();
  return true;
}

// After bytes that are not a record, the next record cannot be found. For a live process its own scribe decides where
// to continue; otherwise the following records would have different numbers in the file.
void StagingDrain::skip(Ring& ring, std::uint64_t bytes) {
  if (following_) {
    ring.drained.cursor.head -= bytes;
    ring.pass_over();
    return;
  }
  bytes += ring.waiting();
  ring.drained.cursor.head = ring.tail;
  note_problem(std::to_string(bytes) + " bytes of ring " + std::to_string(ring.ring->id()) +
               " cannot be read: something other than steno overwrote them");
}

void StagingDrain::append_own(Ring& ring, const drain::OwnRecord& record, ByteBuffer& out) {
  drain::Drain::announce(&ring.drained, record);
  drain_.append_own(ring.drained, record, &ring.owner, out, &input_);
  ring.moved = true;
  telling_ = &ring;
  ++records_;
}

bool StagingDrain::nearly_full() const {
  return std::any_of(rings_.begin(), rings_.end(), [](const Ring& ring) {
    if (ring.drained.recorder) return false;  // nobody waits for what is there
    // Its capacity may be less by now, and that of a later tail.
    const std::uint64_t waiting = ring.ring->tail(ring.tail) - ring.drained.cursor.head;
    const ring::RingHeader* const header = ring.ring->header();
    const std::uint64_t now = header != nullptr ? ring::load_extent(header).capacity : ring.extent.capacity;
    return waiting >= ring::wake_mark_of(std::min(ring.extent.capacity, std::max(now, ring::kMinCapacity)));
  });
}

StagingDrain::Backlog StagingDrain::take_backlog() {
  Backlog backlog;
  backlog.held_up = std::exchange(held_up_, false);
  for (const Ring& ring : rings_) {
    if (ring.waiting() <= backlog.pending) continue;
    backlog.pending = ring.waiting();
    // Its owner says no more of it; but a ring whose producer waits cannot grow.
    const bool grows = !ring::is_producer_waiting(ring.ring->header());
    backlog.reach = grows ? std::max(ring.extent.capacity, kUsualReach) : ring.extent.capacity;
  }
  return backlog;
}

void StagingDrain::update_clock(bool force) {
  if (!wall_ticks_) drain_.update_clock(force, *view_.shared_session());
}

void StagingDrain::release() {
  for (Ring& ring : rings_) {
    if (!ring.moved) continue;
    ring::publish(ring.ring->header(), ring.drained.release(), ring.owner);
    held_up_ = ring::wake_producer(ring.ring->header()) || held_up_;
    ring.moved = false;
  }
}

void StagingDrain::take_back() {
  for (Ring& ring : rings_) {
    const ring::RingHeader* const header = ring.ring->header();
    const ring::Release& last = ring::last_release(header);
    ring.drained.rewind(last);
    ring.owner = ring::owner_at(header, last);
    ring.moved = false;
  }
}

}  // namespace steno::live
