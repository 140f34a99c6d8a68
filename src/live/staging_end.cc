// The end of a session in what is drained of it: the death of its process, losses that nobody has reported, the end
// block.
#include <algorithm>

#include "base/iso_time.h"
#include "format/clock_block.h"
#include "format/end_block.h"
#include "live/staging_drain.h"

namespace steno::live {
namespace {

constexpr std::size_t kToMilliseconds = 23;  // characters of a time

}  // namespace

// The last sign of life: of the scribe, or a record that it did not come to.
std::uint64_t StagingDrain::death_ticks() const {
  std::uint64_t begin = 0;
  if (wall_ticks_) {
    begin = static_cast<std::uint64_t>(view_.session().start_wall);
  } else if (const auto points = clock_points(); !points.empty()) {
    begin = points.back().ticks;
  }
  return std::max({begin, view_.session().last_look, last_ticks_});
}

std::int64_t StagingDrain::death_wall(std::uint64_t ticks) const {
  if (wall_ticks_) return static_cast<std::int64_t>(ticks);
  if (!clock_points().empty()) return drain_.clock().wall_of(ticks);
  // Without clock points the time is computed as a reader does (file.md §4).
  const ring::SessionFile& session = view_.session();
  const double rate = format::plausible_rate(session.ns_per_tick) ? session.ns_per_tick : 1.0;
  return drain::ClockModel({std::min(first_ticks_, ticks), session.start_wall, 0}, rate).wall_of(ticks);
}

// Says whether all that it logged is here. What records on file report is left out.
std::string StagingDrain::account() const {
  std::uint64_t missing = unreported_discards() + unreadable_;
  bool exact = problems_.empty();
  for (const Ring& ring : rings_) {
    missing += unreported(ring);
    exact = exact && ring.drained.announced != wire::kSiteDiscarded;  // an unknown number
  }
  std::string before;
  if (elsewhere_ != 0) {
    before = std::to_string(elsewhere_) + " of its records " + (elsewhere_ == 1 ? "was" : "were") +
             " written to another file; ";
  }
  if (missing != 0) {
    return before + (exact ? "" : "at least ") + std::to_string(missing) +
           (missing == 1 ? " of its records is missing" : " of its records are missing");
  }
  if (!exact) return before + "an unknown number of its records is missing";
  return elsewhere_ == 0 ? "everything that it logged is here" : before + "all others are here";
}

void StagingDrain::append_death(ByteBuffer& out) {
  if (!died()) return;
  const ring::SessionFile& session = view_.session();
  const std::string_view program = session.program;
  const std::uint64_t ticks = death_ticks();
  const auto record = drain::OwnRecord::died(ticks, session.pid, program.substr(program.rfind('/') + 1),
                                             iso_time(death_wall(ticks)).substr(0, kToMilliseconds) + "Z", account());
  wire::RingOwner owner{{0, session.pid, ""}, ""};
  if (!rings_.empty()) owner = rings_.front().owner;
  drain_.append_death(record, &owner, out, &input_);
  deaths_ = 1;
}

bool StagingDrain::next_unreported(ByteBuffer& out) {
  for (Ring& ring : rings_) {
    // A record that a consumer announced before it died comes first, and as it was.
    const std::uint64_t announced = ring.drained.announced;
    const bool again = announced != 0;
    if (again && announced % 4 == wire::kSiteDiscarded) {
      append_own(ring, drain::OwnRecord::discarded(death_ticks(), announced >> 2, drain::kSomeReason), out);
      return true;
    }
    const std::uint64_t drops = again ? announced >> 2 : unreported(ring);
    if (drops == 0) continue;
    append_own(ring, drain::OwnRecord::dropped(ring.dropping_since, drops, ring.dropping_since), out);
    return true;
  }
  if (const std::uint64_t discards = unreported_discards(); discards != 0) {
    if (const std::uint64_t handlers = std::min(view_.session().in_handlers - handlers_told_, discards);
        handlers != 0) {
      handlers_told_ += handlers;
      if (drains()) ring::take_in_handlers(*view_.shared_session(), handlers);
      append_own(rings_[0], drain::OwnRecord::discarded(death_ticks(), handlers, drain::kHandlerReason), out);
    } else {
      append_own(rings_[0], drain::OwnRecord::discarded(death_ticks(), discards, drain::kSomeReason), out);
    }
    return true;
  }
  if (problems_.empty() || rings_.empty()) return false;
  append_own(rings_[0], drain::OwnRecord::discarded(death_ticks(), 0, problems_.back()), out);
  problems_.pop_back();
  return true;
}

void StagingDrain::reported() {
  Ring& ring = *telling_;
  drain::finish_own(&ring.drained);
  ring.moved = true;
}

void StagingDrain::append_end(ByteBuffer& out) {
  if (!problems_.empty()) return;
  format::EndBlock end;
  for (const Ring& ring : rings_) drain::add_ring_total(ring.drained, &end);
  if (deaths_ != 0) {
    end.rings.push_back({ring::kDeathRing, deaths_, 0, 0});
    end.records += deaths_;
  }
  end.died = died();
  format::append_end_block(out, end, tag());
}

}  // namespace steno::live
