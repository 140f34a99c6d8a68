#include "sink/feed.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "wire/record.h"

namespace steno::sink {
namespace {

constexpr std::int64_t kPromptNs = 1'000'000;   // between looks, if a sink is a terminal
constexpr std::int64_t kBatchNs = 100'000'000;  // else
// How many records are handed out at a time: few enough to be still in a core's cache when they are printed, and at
// least a few of each ring.
constexpr std::size_t kPartRecords = 4096;
constexpr std::size_t kLeastOfRing = 64;
// The bytes that are copied of another process's rings at a time: of all together, of one at least.
constexpr std::size_t kCopiedBytes = std::size_t{1} << 18;
constexpr std::size_t kLeastCopied = std::size_t{1} << 14;
constexpr std::size_t kArena = kCopiedBytes + 2 * wire::kMaxRecordSize;
constexpr std::size_t kKeptPoints = 16;  // of the clock

}  // namespace

Feed::Feed(std::shared_ptr<SinkSet> sinks, FeedSession session, drain::IdSource& ids, const drain::ClockModel& clock)
    : ids_(ids), walker_(ids, clock, session.wall_ticks), sinks_(std::move(sinks)), session_(std::move(session)) {
  walker_.set_aside_below(session_.recorder_below);
  for (const std::shared_ptr<SinkThread>& sink : sinks_->sinks()) listeners_.push_back({sink});
}

void Feed::add_ring(const drain::RingSpan& span, const drain::RingCursor& from, wire::RingOwner owner) {
  rings_.push_back({span, from, std::move(owner)});
}

void Feed::skip_to(std::size_t ring, const drain::RingCursor& cursor, const wire::RingOwner& owner) {
  Ring& skipped = rings_[ring];
  if (skipped.cursor.head >= cursor.head) return;
  skipped.cursor = cursor;
  skipped.owner = owner;
}

void Feed::set_levels(const LevelOfSink& level_of) {
  for (const std::shared_ptr<SinkThread>& sink : sinks_->sinks()) sink->set_level(level_of(sink->rule_name()));
}

std::vector<Feed::SinkState> Feed::sinks() const {
  std::vector<SinkState> states;
  for (const std::shared_ptr<SinkThread>& sink : sinks_->sinks()) states.push_back({sink->rule_name(), sink->level()});
  return states;
}

std::int64_t Feed::due_in(std::int64_t now) const {
  const std::int64_t gap = !sinks_->is_prompt() ? kBatchNs : holds_ ? kHoldNs : kPromptNs;
  return std::max<std::int64_t>(last_look_ + gap - now, 0);
}

void Feed::look(std::span<const std::uint64_t> tails, std::uint64_t ticks, std::int64_t at, bool last) {
  find_unread(tails);
  if (!unread_.empty()) begin_session();
  Look look;
  look.source = session_.source;
  look.at = last_look_ = at;
  look.ticks = ticks;
  const bool held = std::exchange(holds_, false);
  bool found_some = false;
  for (; walk(tails); found_some = true) hand_out(look, tails, last);
  holds_ = found_some && !last;
  if (found_some) return;
  pool_.trim();
  if (last || held || !declarations_.points.empty()) hand_out(look, tails, last);
}

void Feed::rotate(std::uint64_t ticks, std::int64_t at) {
  Look look;
  look.source = session_.source;
  look.at = at;
  look.ticks = ticks;
  look.last = look.rotate = true;
  holds_ = false;
  for (const Listener& listener : listeners_) listener.sink->push(look, 0);
}

void Feed::begin_again() {
  if (std::exchange(handing_out_, false)) {
    for (Listener& listener : listeners_) listener.missed += walker_.records();
  }
  walker_.forget_entries();
  declarations_ = {};
  declarations_.points = points_;
  loggers_.clear();
}

void Feed::end() {
  Look look;
  look.source = session_.source;
  look.at = last_look_;
  look.last = look.ends = true;
  for (const Listener& listener : listeners_) {
    if (listener.begun) listener.sink->push(look, 0);
  }
}

// To those sinks that have not heard of it, and have room. What has been declared before is declared once more.
void Feed::begin_session() {
  bool begins = false;
  for (Listener& listener : listeners_) {
    if (listener.begun || !listener.sink->has_room()) continue;
    listener.begun = begins = true;
    Look look;
    look.source = session_.source;
    look.begins = session_.info;
    look.whole = false;
    if (!points_.empty()) look.declarations = std::make_shared<const Declarations>(Declarations{{}, points_});
    listener.sink->push(look, 0);
  }
  if (begins) walker_.forget_entries();
}

// Collects the rings that have records to walk, in the order of the time of the last record that was walked in each.
void Feed::find_unread(std::span<const std::uint64_t> tails) {
  unread_.clear();
  for (std::size_t i = 0; i < std::min(rings_.size(), tails.size()); ++i) {
    if (rings_[i].cursor.head < tails[i]) unread_.push_back(i);
  }
  std::stable_sort(unread_.begin(), unread_.end(),
                   [this](std::size_t a, std::size_t b) { return rings_[a].latest < rings_[b].latest; });
}

// Walks some records of each ring in that half of the rings whose position in time is the oldest, so that few records
// must wait for older ones of another ring. False: there is nothing left.
bool Feed::walk(std::span<const std::uint64_t> tails) {
  find_unread(tails);
  unread_.resize((unread_.size() + 1) / 2);
  lasts_.clear();
  if (unread_.empty()) {
    walker_.begin(nullptr);
    return false;
  }
  walker_.set_most_of_ring(std::max(kPartRecords / unread_.size(), kLeastOfRing));
  const bool walked = copy_ != nullptr ? walk_copies(tails) : walk_in_place(tails);
  walker_.protocol_records().clear();  // no lines
  handing_out_ = walked;
  return walked;
}

bool Feed::walk_in_place(std::span<const std::uint64_t> tails) {
  const std::byte* base = nullptr;
  for (const std::size_t i : unread_) {
    if (base == nullptr || rings_[i].span.data < base) base = rings_[i].span.data;
  }
  walker_.begin(base);
  for (const std::size_t i : unread_) {
    if (walker_.full()) break;
    Ring& ring = rings_[i];
    const std::size_t before = walker_.records();
    (void)walker_.add(ring.span, &ring.owner, tails[i], &ring.cursor);
    if (walker_.records() != before) lasts_.push_back({i, walker_.records() - 1});
  }
  (void)walker_.take_corrupt_bytes();  // the scribe walks them as well, and reports them
  return true;
}

// Walks copies of rings as StagingDrain::next() does, which reports what cannot be read.
bool Feed::walk_copies(std::span<const std::uint64_t> tails) {
  arena_.ensure(0, kArena);
  walker_.begin(arena_.data());
  const std::size_t most = std::max(kCopiedBytes / unread_.size() / 8 * 8, kLeastCopied);
  std::size_t used = 0;
  for (const std::size_t i : unread_) {
    if (walker_.full() || used + wire::kMaxRecordSize > kArena) break;
    Ring& ring = rings_[i];
    const std::size_t size = copy_part(i, tails[i], most, used);
    if (size == 0) {
      ring.cursor.head = tails[i];
      continue;
    }
    const drain::RingCursor from = ring.cursor;
    drain::RingSpan span = ring.span;
    span.data = arena_.data() + used;
    span.extent = {0, std::bit_ceil(size)};
    span.origin = from.head;
    span.cut = from.head + size < tails[i];
    span.taken = std::max(ring.span.taken, from.head) - from.head;
    drain::RingCursor cursor = {0, from.seq, from.drops};
    const std::size_t before = walker_.records();
    if (!walker_.add(span, &ring.owner, size, &cursor)) break;
    used += size;
    ring.cursor = {from.head + cursor.head, cursor.seq, cursor.drops};
    if (walker_.take_corrupt_bytes() != 0) ring.cursor.head = tails[i];
    if (walker_.records() != before) lasts_.push_back({i, walker_.records() - 1});
  }
  return true;
}

// Copies the next bytes of a ring, up to `most`, or as many as its next record has, to `at` of the arena. Returns how
// many; 0: they cannot be read.
std::size_t Feed::copy_part(std::size_t ring, std::uint64_t tail, std::size_t most, std::size_t at) {
  const std::uint64_t head = rings_[ring].cursor.head;
  const std::uint64_t waiting = tail - head;
  std::byte* const to = arena_.data() + at;
  const std::size_t size = std::min<std::uint64_t>(waiting, most);
  if (!copy_(ring, head, size, to)) return 0;
  const std::size_t record = wire::Header::unpack(load<std::uint64_t>(to)).size();
  const std::size_t whole = std::min<std::uint64_t>(waiting, record);
  if (whole <= size) return size;
  return copy_(ring, head + size, whole - size, to + size) ? whole : 0;
}

// Gives each sink the records that were walked; to a sink without room, only how many of them it misses.
void Feed::hand_out(Look look, std::span<const std::uint64_t> tails, bool last) {
  std::swap(declarations_.entries, walker_.new_entries());
  if (!declarations_.empty()) {
    look.declarations = std::make_shared<const Declarations>(std::exchange(declarations_, {}));
  }
  const format::BlockInput input = walker_.records() != 0 ? walker_.finish() : format::BlockInput();
  if (look.declarations != nullptr) {
    points_.insert(points_.end(), look.declarations->points.begin(), look.declarations->points.end());
    if (points_.size() > kKeptPoints) points_.erase(points_.begin(), points_.end() - std::ptrdiff_t{kKeptPoints});
  }
  for (const Last& end : lasts_) rings_[end.ring].latest = input.clocks[end.record];
  find_unread(tails);
  look.whole = unread_.empty();
  look.last = last && look.whole;
  look.settled = look.whole ? UINT64_MAX : rings_[unread_.front()].latest;
  std::shared_ptr<const Records> copy;
  for (auto& [sink, begun, missed] : listeners_) {
    const std::uint64_t wanted = count_wanted(*sink, input);
    const bool room = begun && (wanted == 0 || sink->has_room());
    if (wanted != 0 && room && copy == nullptr) copy = pool_.copy(input);
    look.records = wanted != 0 && room ? copy : nullptr;
    Look own = look;
    if (!begun) own.declarations = nullptr;
    sink->push(std::move(own), (room ? 0 : wanted) + missed);
    missed = 0;
  }
  handing_out_ = false;
}

std::uint64_t Feed::count_wanted(const SinkThread& sink, const format::BlockInput& input) {
  std::uint64_t records = 0;
  for (const format::Group& group : input.groups) {
    if (sink.wants(group.level, logger_name(group.logger))) records += group.records;
  }
  return records;
}

const std::string& Feed::logger_name(std::uint32_t id) {
  const auto [found, is_new] = loggers_.try_emplace(id);
  if (is_new && id != 0) (void)ids_.find_logger(id, &found->second);
  return found->second;
}

}  // namespace steno::sink
