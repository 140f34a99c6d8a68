#include "sink/feed.h"

#include <algorithm>
#include <utility>

namespace steno::sink {
namespace {

constexpr std::int64_t kPromptNs = 1'000'000;   // between looks, where people look
constexpr std::int64_t kBatchNs = 100'000'000;  // elsewhere

}  // namespace

Result<std::unique_ptr<Feed>> Feed::open(const FeedOptions& options, const format::SessionBlock& session,
                                         drain::IdSource& ids, const drain::ClockModel& clock, bool wall_ticks,
                                         Level recorder_below) {
  std::unique_ptr<Feed> feed(new Feed(ids, clock, wall_ticks));
  feed->walker_.set_aside_below(recorder_below);
  for (const SinkOptions& sink : options.sinks) {
    auto thread = std::make_shared<SinkThread>(sink, session, options.most_wait_ns);
    if (Status status = thread->open(options.file_mode); !status.ok()) {
      feed->close();
      return status;
    }
    feed->prompt_ = feed->prompt_ || thread->is_prompt();
    feed->sinks_.push_back(std::move(thread));
  }
  return feed;
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
  for (const std::shared_ptr<SinkThread>& sink : sinks_) sink->set_level(level_of(sink->rule_name()));
}

std::vector<Feed::SinkState> Feed::sinks() const {
  std::vector<SinkState> states;
  for (const std::shared_ptr<SinkThread>& sink : sinks_) states.push_back({sink->rule_name(), sink->level()});
  return states;
}

std::int64_t Feed::due_in(std::int64_t now) const {
  const std::int64_t gap = !prompt_ ? kBatchNs : holds_ ? kHoldNs : kPromptNs;
  return std::max<std::int64_t>(last_look_ + gap - now, 0);
}

void Feed::look(std::span<const std::uint64_t> tails, std::uint64_t ticks, std::int64_t at, bool last) {
  Look look;
  look.at = last_look_ = at;
  look.ticks = ticks;
  const bool held = std::exchange(holds_, false);
  while (walk(tails)) {
    holds_ = !last;
    look.whole = reached(tails);
    look.last = last && look.whole;
    hand_out(look);
  }
  if (holds_ || look.last) return;  // it is handed out
  look.last = last;
  if (last || held || !declarations_.points.empty()) hand_out(look);
}

void Feed::rotate(std::uint64_t ticks, std::int64_t at) {
  Look look;
  look.at = at;
  look.ticks = ticks;
  look.last = look.rotate = true;
  holds_ = false;
  for (const std::shared_ptr<SinkThread>& sink : sinks_) sink->push(look, 0);
}

bool Feed::reached(std::span<const std::uint64_t> tails) const {
  const std::size_t rings = std::min(rings_.size(), tails.size());
  for (std::size_t i = 0; i < rings; ++i) {
    if (rings_[i].cursor.head < tails[i]) return false;
  }
  return true;
}

// Walks as much as a block may hold. False: there is nothing.
bool Feed::walk(std::span<const std::uint64_t> tails) {
  const std::byte* base = nullptr;
  const std::size_t rings = std::min(rings_.size(), tails.size());
  for (std::size_t i = 0; i < rings; ++i) {
    if (rings_[i].cursor.head >= tails[i]) continue;
    if (base == nullptr || rings_[i].span.data < base) base = rings_[i].span.data;
  }
  walker_.begin(base);
  if (base == nullptr) return false;
  for (std::size_t i = 0; i < rings && !walker_.full(); ++i) {
    Ring& ring = rings_[i];
    if (ring.cursor.head < tails[i]) (void)walker_.add(ring.span, &ring.owner, tails[i], &ring.cursor);
  }
  (void)walker_.take_corrupt_bytes();  // the scribe meets them, too, and says so
  walker_.protocol_records().clear();  // no lines
  return true;
}

// To each sink what was walked, or how much of it would have been its.
void Feed::hand_out(Look look) {
  std::swap(declarations_.entries, walker_.new_entries());
  if (!declarations_.empty()) {
    look.declarations = std::make_shared<const Declarations>(std::exchange(declarations_, {}));
  }
  const format::BlockInput input = walker_.records() != 0 ? walker_.finish() : format::BlockInput();
  std::shared_ptr<const Records> copy;
  for (const std::shared_ptr<SinkThread>& sink : sinks_) {
    const std::uint64_t wanted = count_wanted(*sink, input);
    const bool room = wanted == 0 || sink->has_room();
    if (wanted != 0 && room && copy == nullptr) copy = copy_records(input);
    look.records = wanted != 0 && room ? copy : nullptr;
    sink->push(look, room ? 0 : wanted);
  }
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

void Feed::wait_written() {
  for (const auto& sink : sinks_) (void)sink->wait_written();
}

void Feed::close() {
  for (const auto& sink : sinks_) sink->close();
}

std::string Feed::take_warning() {
  for (const auto& sink : sinks_) {
    if (std::string warning = sink->take_warning(); !warning.empty()) return warning;
  }
  return {};
}

}  // namespace steno::sink
