// A session of another process to the sinks of its scribe: what is in its rings, before it is released.
//
//   StagingFeed feed(view, sinks, drain);
//   feed.look(drain, false);   // when due, and before anything is released
//   feed.look(drain, true);    // at the end: nothing is held back for what may come
//
// Sinks keep these promises. While producer and scribe run: each record once, as in a process (steno/sink.h). A
// producer that is killed: all that its calls had returned from is shown. A scribe that is killed: the next one shows
// what was not released yet, which the killed one may have shown already; what was in its sinks' queues is in the log
// alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "drain/clock_model.h"
#include "live/staging_drain.h"
#include "sink/feed.h"
#include "sink/sink_set.h"
#include "staging/foreign_staging.h"

namespace steno::live {

// Not thread-safe.
class StagingFeed {
 public:
  // The view is one that drains, and outlives this; `drain` is the one of that view.
  StagingFeed(staging::ForeignStaging& view, std::shared_ptr<sink::SinkSet> sinks, const StagingDrain& drain);
  StagingFeed(const StagingFeed&) = delete;
  StagingFeed& operator=(const StagingFeed&) = delete;
  ~StagingFeed();

  // Goes on where another feed of the same session has ended, with other sinks.
  void go_on_from(const StagingFeed& before);
  // How long until the next look is due, in ns; 0: now.
  std::int64_t due_in(std::int64_t now) const { return feed_.due_in(now); }
  // Shows what is in the rings. Nobody else has released anything since the last look.
  void look(StagingDrain& drain, bool last);

 private:
  struct Ring {
    std::uint32_t id = 0;
    bool recorder = false;
    staging::RingFacts facts;
  };

  void find_rings();
  void look_at_recorder(StagingDrain& drain);
  void take_points(const StagingDrain& drain);
  bool copy(std::size_t ring, std::uint64_t position, std::size_t size, std::byte* to) const;

  staging::ForeignStaging& view_;
  const bool wall_ticks_;
  drain::ClockModel clock_;
  sink::Feed feed_;
  std::vector<Ring> rings_;           // as the feed's
  std::vector<std::uint64_t> tails_;  // likewise
  std::uint64_t last_point_ = 0;      // its ticks
};

}  // namespace steno::live
