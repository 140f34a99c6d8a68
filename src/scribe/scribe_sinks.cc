// The scribe's sinks: they get copies of the records before the rings are released.
#include "base/clock.h"
#include "drain/session_info.h"
#include "runtime/levels.h"
#include "scribe/scribe.h"
#include "sink/feed.h"

namespace steno::scribe {

// Gives the sinks all records up to tails_. Only then may the rings be released.
void Scribe::show_sinks() {
  if (feed_ == nullptr) return;
  set_sink_levels();
  for (std::size_t i = 0; i < feed_->rings(); ++i) {
    const runtime::Ring& ring = core_.rings().at(static_cast<std::uint32_t>(i));
    feed_->set_extent(i, ring.extent());
    if (holds_back(ring.index)) feed_->skip_to(i, rings_[i].cursor, ring.owner);  // past what was overwritten
  }
  feed_->look(tails_, looked_ticks_, looked_at_, std::exchange(feed_all_, false));
}

void Scribe::set_sink_levels() {
  const runtime::Levels& levels = runtime::Levels::instance();
  const std::uint64_t changes = levels.sink_changes();
  if (feed_ == nullptr || std::exchange(sink_changes_, changes) == changes) return;
  feed_->set_levels([&](std::string_view name) { return levels.sink_level(core_.slot(), name); });
}

std::vector<sink::Feed::SinkState> Scribe::sinks() {
  set_sink_levels();
  return feed_ != nullptr ? feed_->sinks() : std::vector<sink::Feed::SinkState>();
}

void Scribe::show_sinks_if_due() {
  if (feed_ != nullptr && (feed_all_ || feed_->due_in(monotonic_now()) == 0)) show_sinks();
}

Status Scribe::open_sinks() {
  if (options_.sinks.empty()) return {};
  const bool forever = options_.block_at_most == kForever;
  format::SessionBlock session = drain::session_info(core_.session(), core_.staging().path());
  const bool wall_ticks = ticks_are_wall(core_options_.clock);
  session.ns_per_tick = wall_ticks ? 1.0 : drain_.clock().ns_per_tick();
  auto sinks = sink::SinkSet::open(options_.sinks, options_.file_mode, forever ? INT64_MAX : block_at_most_ns());
  if (!sinks.ok()) return sinks.status();
  sinks_ = std::move(sinks).value();
  sink::FeedSession of = {0, std::make_shared<const format::SessionBlock>(std::move(session)), wall_ticks,
                          core_options_.recorder_below};
  feed_ = std::make_unique<sink::Feed>(sinks_, std::move(of), ids_, drain_.clock());
  return {};
}

void Scribe::close_sinks() {
  if (feed_ == nullptr) return;
  sinks_->close();
  check_warnings();
}

}  // namespace steno::scribe
