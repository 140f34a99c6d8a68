#include "reader/turn_merge.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "reader/slab.h"

namespace steno::reader {
namespace {

constexpr std::size_t kTrial = 256;      // turns after which it shows whether they are long enough
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

std::uint64_t tick_at(const Segment& segment, std::uint32_t i) {
  return std::max(segment.block->sort_ticks()[i], segment.floor);
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
      heads_.push_back(make_head(tick_at(segment, segment.begin), rings_.size()));
      rings_.push_back({&segment, &segment, segment.begin});
    }
    ++rings_.back().end;
  }
  std::make_heap(heads_.begin(), heads_.end(), std::greater<>());
  // A turn costs about as much as this many records in a sort by digits: measured.
  shortest_turn_ = 2 + static_cast<unsigned>(std::bit_width(heads_.size())) / 2;
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
    const Segment& segment = *ring.segment;
    const std::uint64_t* ticks = segment.block->sort_ticks().data();
    const std::uint32_t end = end_of_turn(ticks, ring.at, segment.end, last);
    slices->push_back({&segment.block->block(), segment.thread, ring.at, end});
    records += end - ring.at;
    if (++turns % kTrial == 0 && records < turns * shortest_turn_) return false;
    if (end != segment.end) {
      ring.at = end;
    } else if (++ring.segment != ring.end) {
      ring.at = ring.segment->begin;
    } else {
      std::pop_heap(heads_.begin(), heads_.end(), std::greater<>());
      heads_.pop_back();
      continue;
    }
    replace_first(make_head(tick_at(*ring.segment, ring.at), ring_of(heads_[0])));
  }
  return true;
}

// Whose turn is over usually waits for long: its head goes down to the leaves first, and up from there.
void TurnMerge::replace_first(Head head) {
  Head* const heads = heads_.data();
  const std::size_t size = heads_.size();
  std::size_t hole = 0;
  std::size_t child = 1;
  for (; child + 1 < size; child = 2 * hole + 1) {
    child += heads[child + 1] < heads[child] ? 1 : 0;
    heads[hole] = heads[child];
    hole = child;
  }
  if (child < size) {
    heads[hole] = heads[child];
    hole = child;
  }
  while (hole != 0 && head < heads[(hole - 1) / 2]) {
    heads[hole] = heads[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  heads[hole] = head;
}

}  // namespace steno::reader
