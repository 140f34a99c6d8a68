#include "reader/turn_merge.h"

#include <algorithm>
#include <functional>

#include "reader/slab.h"

namespace steno::reader {
namespace {

constexpr std::size_t kTrial = 256;      // turns after which it shows whether they are long enough
constexpr std::uint32_t kAhead = 8;      // a cache line of ticks
constexpr unsigned kSkipsAfterVain = 7;  // a trial in vain costs about a hundredth of the sorting that follows

std::uint64_t tick_of(unsigned __int128 head) {
  return static_cast<std::uint64_t>(head >> 64);
}
std::uint32_t ring_of(unsigned __int128 head) {
  return static_cast<std::uint32_t>(head);
}
unsigned __int128 make_head(std::uint64_t tick, std::size_t ring) {
  return static_cast<unsigned __int128>(tick) << 64 | ring;
}

// The first of ticks[at .. end) that is above `last`; ticks[at] is not.
std::uint32_t end_of_turn(const std::uint64_t* ticks, std::uint32_t at, std::uint32_t end, std::uint64_t last) {
  constexpr std::uint32_t kNear = 16;
  const std::uint32_t near = end - at > kNear ? at + kNear : end;
  std::uint32_t i = at + 1;
  while (i < near && ticks[i] <= last) ++i;
  if (i < near || i == end) return i;
  std::uint32_t step = kNear;
  while (end - i > step && ticks[i + step] <= last) {
    i += step + 1;
    step *= 2;
  }
  const std::uint32_t high = end - i > step ? i + step : end;
  return static_cast<std::uint32_t>(std::upper_bound(ticks + i, ticks + high, last) - ticks);
}

}  // namespace

void TurnMerge::Ring::enter(const Segment& next) {
  ticks = next.block->sort_ticks().data();
  block = &next.block->block();
  thread = next.thread;
  segment = &next;
  at = next.begin;
  end = next.end;
}

bool TurnMerge::run(std::span<const Segment> segments, std::vector<Slice>* slices) {
  if (skips_ != 0) {
    --skips_;
    return false;
  }
  gather(segments);
  const std::size_t before = slices->size();
  if (merge(slices)) return true;
  slices->resize(before);
  skips_ = kSkipsAfterVain;
  return false;
}

void TurnMerge::gather(std::span<const Segment> segments) {
  rings_.clear();
  heads_.clear();
  for (const Segment& segment : segments) {
    if (rings_.empty() || segment.source != rings_.back().segment->source) {
      Ring ring;
      ring.enter(segment);
      heads_.push_back(make_head(std::max(ring.ticks[ring.at], segment.floor), rings_.size()));
      rings_.push_back(ring);
    }
    rings_.back().segments_end = &segment + 1;
  }
  std::make_heap(heads_.begin(), heads_.end(), std::greater<>());
  // A turn costs about as much as this many records in a sort by digits: measured.
  shortest_turn_ = heads_.size() <= 256 ? 2 : 3;
}

bool TurnMerge::merge(std::vector<Slice>* slices) {
  std::uint64_t records = 0;
  std::size_t turns = 0;
  while (!heads_.empty()) {
    Ring& ring = rings_[ring_of(heads_[0])];
    // The turn ends where another ring has the next record; of equal ticks the first ring's comes first.
    std::uint64_t last = UINT64_MAX;
    if (heads_.size() > 1) {
      const Head next = heads_.size() > 2 ? std::min(heads_[1], heads_[2]) : heads_[1];
      last = tick_of(next) - (ring_of(next) < ring_of(heads_[0]) ? 1 : 0);
    }
    const std::uint32_t end = end_of_turn(ring.ticks, ring.at, ring.end, last);
    slices->push_back({ring.block, ring.thread, ring.at, end});
    records += end - ring.at;
    if (++turns % kTrial == 0 && records < turns * shortest_turn_) return false;
    if (end != ring.end) {
      ring.at = end;
      __builtin_prefetch(ring.ticks + end + kAhead);
    } else if (++ring.segment != ring.segments_end) {
      ring.enter(*ring.segment);
    } else {
      std::pop_heap(heads_.begin(), heads_.end(), std::greater<>());
      heads_.pop_back();
      continue;
    }
    // Only a segment's first ticks can be below its floor.
    replace_first(make_head(std::max(ring.ticks[ring.at], ring.segment->floor), ring_of(heads_[0])));
  }
  return true;
}

void TurnMerge::replace_first(Head head) {
  Head* const heads = heads_.data();
  const std::size_t size = heads_.size();
  std::size_t hole = 0;
  for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
    if (child + 1 < size) child += heads[child + 1] < heads[child] ? 1 : 0;
    if (head < heads[child]) break;
    heads[hole] = heads[child];
    hole = child;
  }
  heads[hole] = head;
}

}  // namespace steno::reader
