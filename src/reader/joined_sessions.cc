// Sessions that go on from one file to another (ring.md §5: a process that dies after its file was rotated).
#include <algorithm>

#include "reader/log_file.h"

namespace steno::reader {
namespace {

using RangesByRing = std::map<std::uint32_t, std::vector<SeqRange>>;

void add_range(SeqRange range, std::vector<SeqRange>* ranges) {
  ranges->push_back(range);
  std::sort(ranges->begin(), ranges->end(), [](const SeqRange& a, const SeqRange& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const SeqRange& next : *ranges) {
    if (kept != 0 && next.first <= (*ranges)[kept - 1].end) {
      (*ranges)[kept - 1].end = std::max((*ranges)[kept - 1].end, next.end);
    } else {
      (*ranges)[kept++] = next;
    }
  }
  ranges->resize(kept);
}

enum class Copies { kToo, kNot };

// The records that a file has of a session and that are not known to be damaged; without copies, those to be shown. Its
// runs are in order, so that there are few ranges.
RangesByRing ranges_of(const LogFile& file, const Session& session, Copies copies = Copies::kToo) {
  RangesByRing ranges;
  for (const RingEntry& ring : session.rings) {
    std::vector<SeqRange>& of_ring = ranges[ring.ring];
    for (const std::uint64_t i : ring.runs) {
      const RunEntry& run = file.runs()[i];
      const std::uint64_t first = run.first_seq + (copies == Copies::kNot ? run.repeated : 0);
      const std::uint64_t end = run.first_seq + run.records;
      if (end < run.first_seq || first == end || file.is_damaged(file.blocks()[run.block])) continue;
      if (!of_ring.empty() && first <= of_ring.back().end) {
        of_ring.back().end = std::max(of_ring.back().end, end);
      } else {
        of_ring.push_back({first, end});
      }
    }
  }
  return ranges;
}

void add_all(const RangesByRing& from, RangesByRing* to) {
  for (const auto& [ring, ranges] : from) {
    for (const SeqRange& range : ranges) add_range(range, &(*to)[ring]);
  }
}

// How much of what makes records of a session readable (its statements, threads, clock) is missing in a file.
enum class Doubt { kNone, kMayBeMissing, kIsMissing };

Doubt doubt_of(const LogFile& file, const Session& session) {
  if (session.dictionary.is_incomplete() || !session.dated) return Doubt::kIsMissing;
  const bool whole = file.damage().empty() && (session.end.has_value() || session.running);
  return whole ? Doubt::kNone : Doubt::kMayBeMissing;
}

bool overlap(const std::vector<SeqRange>& ranges, const RunEntry& run) {
  const auto next = std::upper_bound(ranges.begin(), ranges.end(), run.first_seq,
                                     [](std::uint64_t seq, const SeqRange& range) { return seq < range.end; });
  return next != ranges.end() && next->first < run.seq_end();
}

using Points = std::vector<format::ClockPoint>;

// In order of ticks, each once: scribes repeat points in a file.
Points distinct_points(const Points& points) {
  Points sorted = points;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const format::ClockPoint& a, const format::ClockPoint& b) { return a.ticks < b.ticks; });
  Points result;
  for (const format::ClockPoint& point : sorted) {
    const auto is_there = [&] {
      for (auto at = result.rbegin(); at != result.rend() && at->ticks == point.ticks; ++at) {
        if (*at == point) return true;
      }
      return false;
    };
    if (!is_there()) result.push_back(point);
  }
  return result;
}

}  // namespace

// One clock for a session, wherever its records are. By clocks of two files the last record of one could come after the
// first of the next, as a line that goes on from its last point is not the line to the point after it.
void LogFile::share_clock(Session& theirs, Session& mine) const {
  for (Session* const session : {&theirs, &mine}) {
    if (session->points_of_all == nullptr)
      session->points_of_all = std::make_shared<const Points>(distinct_points(session->clock_points));
  }
  if (mine.points_of_all == theirs.points_of_all) return;
  Points all = *theirs.points_of_all;
  all.insert(all.end(), mine.points_of_all->begin(), mine.points_of_all->end());
  all = distinct_points(all);
  if (all.empty()) return;
  if (all.size() != mine.points_of_all->size()) {
    mine.points_of_all = std::make_shared<const Points>(std::move(all));
    mine.dated = true;
    make_clock(mine);
  }
  theirs.points_of_all = mine.points_of_all;
  theirs.dated = true;
  theirs.clock = mine.clock;
}

// Has the blocks of those records checked that another file claims as well: a damaged one must not stand for them.
void LogFile::check_overlap(const Session& session, const RangesByRing& claimed) const {
  std::vector<std::uint32_t> blocks;
  for (const RingEntry& ring : session.rings) {
    const auto ranges = claimed.find(ring.ring);
    if (ranges == claimed.end()) continue;
    for (const std::uint64_t i : ring.runs) {
      if (overlap(ranges->second, runs_[i])) blocks.push_back(runs_[i].block);
    }
  }
  check_claims(std::move(blocks));
}

// The session in this file that is this one, whether its session block is left or not.
Session* LogFile::find_same(const Session& session) const {
  if (session.known) {
    const auto found = session_by_id_.find(session.info.session_id);
    if (found != session_by_id_.end()) return sessions_[found->second].get();
  }
  const auto found = session_by_tag_.find(session.tag.packed());
  if (found == session_by_tag_.end() || session.tag.mark == 0) return nullptr;
  Session& same = *sessions_[found->second];
  return same.known && session.known ? nullptr : &same;
}

void LogFile::join(LogFile& earlier) {
  for (const auto& session : sessions_) {
    Session* const same = earlier.find_same(*session);
    if (same == nullptr) continue;
    Session& mine = *session;
    Session& theirs = *same;
    if (mine.known != theirs.known) {  // one file has lost all copies of its session block
      Session& nameless = mine.known ? theirs : mine;
      nameless.info = (mine.known ? mine : theirs).info;
      nameless.known = true;
      (mine.known ? earlier : *this).make_clock(nameless);
    }
    const RangesByRing claimed = ranges_of(*this, mine);
    check_overlap(mine, ranges_of(earlier, theirs));
    earlier.check_overlap(theirs, claimed);
    add_all(ranges_of(earlier, theirs), &mine.elsewhere);
    add_all(ranges_of(*this, mine), &theirs.elsewhere);
    const bool ended = mine.end.has_value() || mine.running;
    const bool ended_there = theirs.end.has_value() || theirs.running;
    mine.ended_elsewhere = mine.ended_elsewhere || ended_there;
    theirs.ended_elsewhere = theirs.ended_elsewhere || ended;
    if (doubt_of(earlier, theirs) > doubt_of(*this, mine)) {
      const RangesByRing here = ranges_of(*this, mine, Copies::kNot);
      for (const RingEntry& ring : theirs.rings) {
        if (const auto ranges = here.find(ring.ring); ranges != here.end())
          earlier.skip_runs(theirs, ring, ranges->second);
      }
    }
    const RangesByRing before = ranges_of(earlier, theirs, Copies::kNot);
    for (const RingEntry& ring : mine.rings) {
      const auto ranges = before.find(ring.ring);
      if (ranges != before.end()) skip_repeated(mine, ring, ranges->second);
    }
    share_clock(theirs, mine);
  }
}

void LogFile::skip_printed(std::uint64_t session_id, const std::map<std::uint32_t, std::uint64_t>& next) {
  const auto found = session_by_id_.find(session_id);
  if (found == session_by_id_.end()) return;
  Session& session = *sessions_[found->second];
  for (const RingEntry& ring : session.rings) {
    if (const auto known = next.find(ring.ring); known != next.end())
      skip_repeated(session, ring, {{0, known->second}});
  }
}

const RunEntry& LogFile::run_of(const BlockEntry& block, std::uint32_t i) const {
  const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(block.first_run);
  const auto next = std::upper_bound(begin, begin + block.runs, i,
                                     [](std::uint32_t at, const RunEntry& run) { return at < run.start; });
  return *std::prev(next);
}

// The runs that lie in `ranges` whole.
void LogFile::skip_runs(Session& session, const RingEntry& ring, const std::vector<SeqRange>& ranges) {
  for (const std::uint64_t i : ring.runs) {
    RunEntry& run = runs_[i];
    const auto next = std::upper_bound(ranges.begin(), ranges.end(), run.first_seq,
                                       [](std::uint64_t seq, const SeqRange& range) { return seq < range.first; });
    if (next == ranges.begin() || std::prev(next)->end < run.seq_end() || run.seq_end() < run.first_seq) continue;
    const std::uint32_t more = run.records - run.repeated;
    run.repeated = run.records;
    session.records -= more;
    session.repeated += more;
  }
}

// The beginnings of runs that lie in `ranges`.
void LogFile::skip_repeated(Session& session, const RingEntry& ring, const std::vector<SeqRange>& ranges) {
  for (const std::uint64_t i : ring.runs) {
    RunEntry& run = runs_[i];
    const std::uint64_t first = run.first_seq + run.repeated;
    const auto next = std::upper_bound(ranges.begin(), ranges.end(), first,
                                       [](std::uint64_t seq, const SeqRange& range) { return seq < range.first; });
    if (next == ranges.begin() || std::prev(next)->end <= first) continue;
    const auto more =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(std::prev(next)->end - first, run.records - run.repeated));
    run.repeated += more;
    session.records -= more;
    session.repeated += more;
  }
}

}  // namespace steno::reader
