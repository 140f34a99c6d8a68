#include <algorithm>
#include <bit>
#include <cstring>
#include <queue>
#include <tuple>

#include "reader/radix_sort.h"
#include "reader/slab.h"

namespace steno::reader {
namespace {

// Calls f(begin, end) for each stretch of wanted records.
template <class F>
void for_each_wanted(const Segment& segment, bool keep_all, F f) {
  const std::span<const std::uint8_t> keep = segment.block->keep();
  if (keep.empty() || keep_all) return f(segment.begin, segment.end);
  if (segment.block->none_wanted()) return;
  for (std::uint32_t i = segment.begin; i < segment.end;) {
    const void* const next = std::memchr(keep.data() + i, 1, segment.end - std::size_t{i});
    if (next == nullptr) return;
    i = static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(next) - keep.data());
    std::uint32_t end = i + 1;
    while (end < segment.end && keep[end] != 0) ++end;
    f(i, end);
    i = end;
  }
}

// How a record is packed into one word that sorts by tick, segment, record. Ticks count from `least`.
struct Packing {
  std::uint64_t least = UINT64_MAX;
  unsigned tick_bits = 0;
  unsigned segment_bits = 0;
  unsigned record_bits = 0;

  bool fits() const { return tick_bits + segment_bits + record_bits <= 64; }
};

Packing packing_of(std::span<const Segment> segments) {
  Packing packing;
  std::uint64_t greatest = 0;
  std::uint32_t longest = 0;
  for (const Segment& segment : segments) {
    const std::span<const std::uint64_t> ticks = segment.block->sort_ticks();
    packing.least = std::min(packing.least, std::max(ticks[segment.begin], segment.floor));
    greatest = std::max(greatest, std::max(ticks[segment.end - std::size_t{1}], segment.floor));
    longest = std::max(longest, segment.end - segment.begin);
  }
  packing.tick_bits = static_cast<unsigned>(std::bit_width(greatest - packing.least));
  packing.segment_bits = static_cast<unsigned>(std::bit_width(segments.size() - 1));
  packing.record_bits = static_cast<unsigned>(std::bit_width(longest - 1));
  return packing;
}

// Sorts words that are in order but for bits [low, high). Two passes bring nearly all of them where they belong; what
// is left is put right by insertion, unless that turns out to be more than a little.
void sort_words(std::vector<std::uint64_t>& words, unsigned low, unsigned high, std::vector<std::uint64_t>* swap) {
  constexpr unsigned kTwoPasses = 22;
  const unsigned from = high > low + kTwoPasses ? high - kTwoPasses : low;
  radix_sort(
      words.data(), words.size(), from, high, [](std::uint64_t word) { return word; }, swap);
  if (from == low) return;
  std::size_t moves = 4 * words.size();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::uint64_t word = words[i];
    std::size_t at = i;
    for (; at != 0 && words[at - 1] > word; --at) words[at] = words[at - 1];
    words[at] = word;
    if (i - at > moves) return std::sort(words.begin(), words.end());
    moves -= i - at;
  }
}

}  // namespace

void SlabOrder::run(Slab& slab, const ReadOptions& options, std::vector<Slice>* slices) {
  slab_ = &slab;
  keep_all_ = options.keep_all;
  slices->clear();
  std::erase_if(slab.segments, [](const Segment& segment) { return !segment.block->prepare(); });
  if (slab.segments.empty()) return;
  const auto other_source = [&](const Segment& segment) { return segment.source != slab.segments[0].source; };
  if (!options.sort || std::none_of(slab.segments.begin(), slab.segments.end(), other_source)) {
    for (const Segment& segment : slab.segments) {
      for_each_wanted(segment, keep_all_, [&](std::uint32_t begin, std::uint32_t end) {
        slices->push_back({&segment.block->block(), segment.thread, begin, end});
      });
    }
    return;
  }
  std::vector<Part> parts;
  for (std::size_t s = 0; s < slab.segments.size(); ++s) {
    if (s == 0 || slab.segments[s].session_rank != slab.segments[s - 1].session_rank) parts.push_back({s, s});
    parts.back().end_segment = s + 1;
  }
  if (parts.size() == 1) return sort_part(parts[0], slices);
  merge_parts(parts, slices);
}

// f(ticks, segment, record) for each wanted record of the part, ring by ring.
template <class F>
void SlabOrder::for_each_item(const Part& part, F f) const {
  for (std::size_t s = part.first_segment; s < part.end_segment; ++s) {
    const Segment& segment = slab_->segments[s];
    const std::uint64_t* ticks = segment.block->sort_ticks().data();
    for_each_wanted(segment, keep_all_, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        f(std::max(ticks[i], segment.floor), static_cast<std::uint32_t>(s), i);
      }
    });
  }
}

// Within a session the order of keys is the order of ticks.
void SlabOrder::sort_part(const Part& part, std::vector<Slice>* slices) {
  const std::span segments =
      std::span(slab_->segments).subspan(part.first_segment, part.end_segment - part.first_segment);
  const auto all_wanted = [this](const Segment& segment) { return keep_all_ || segment.block->keep().empty(); };
  if (std::all_of(segments.begin(), segments.end(), all_wanted) && turns_.run(segments, slices)) return;
  const Packing packing = packing_of(segments);
  const unsigned low = packing.segment_bits + packing.record_bits;
  if (packing.fits()) {
    packed_.resize(slab_->records);
    std::uint64_t* out = packed_.data();
    for_each_item(part, [&](std::uint64_t ticks, std::uint32_t s, std::uint32_t i) {
      const std::uint64_t segment = s - part.first_segment;
      const std::uint64_t at = segment << packing.record_bits | (i - slab_->segments[s].begin);
      *out++ = low < 64 ? (ticks - packing.least) << low | at : at;
    });
    packed_.resize(static_cast<std::size_t>(out - packed_.data()));
    sort_words(packed_, low, low + packing.tick_bits, &packed_swap_);
    return emit_packed(segments, packing.segment_bits, packing.record_bits, slices);
  }
  items_.clear();
  for_each_item(part, [&](std::uint64_t ticks, std::uint32_t s, std::uint32_t i) {
    items_.push_back({ticks - packing.least, s, i});
  });
  radix_sort(
      items_.data(), items_.size(), 0, packing.tick_bits, [](const Item& item) { return item.ticks; }, &items_swap_);
  for (const Item& item : items_) emit(item.segment, item.record, slices);
}

// The sorted words as slices: words that follow each other in their segment are one.
void SlabOrder::emit_packed(std::span<const Segment> segments, unsigned segment_bits, unsigned record_bits,
                            std::vector<Slice>* slices) {
  const std::uint64_t place =
      segment_bits + record_bits < 64 ? (std::uint64_t{1} << (segment_bits + record_bits)) - 1 : ~std::uint64_t{0};
  const std::uint64_t record_mask = (std::uint64_t{1} << record_bits) - 1;
  slices->resize(packed_.size());
  Slice* out = slices->data();
  for (std::size_t i = 0; i < packed_.size();) {
    const std::uint64_t first = packed_[i] & place;
    std::uint64_t count = 1;
    // Never into the next segment: its first word is that many on, but its record is 0.
    while (++i < packed_.size() && (packed_[i] & place) == first + count && ((first + count) & record_mask) != 0)
      ++count;
    const Segment& segment = segments[first >> record_bits];
    const std::uint32_t begin = segment.begin + static_cast<std::uint32_t>(first & record_mask);
    *out++ = {&segment.block->block(), segment.thread, begin, begin + static_cast<std::uint32_t>(count)};
  }
  slices->resize(static_cast<std::size_t>(out - slices->data()));
}

inline void SlabOrder::emit(std::uint32_t s, std::uint32_t record, std::vector<Slice>* slices) const {
  const Segment& segment = slab_->segments[s];
  const DecodedBlock* block = &segment.block->block();
  if (!slices->empty() && slices->back().end == record && slices->back().block == block &&
      slices->back().thread == segment.thread) {
    ++slices->back().end;
  } else {
    slices->push_back({block, segment.thread, record, record + 1});
  }
}

// Sessions have clocks of their own: they meet in wall-clock time.
void SlabOrder::merge_parts(const std::vector<Part>& parts, std::vector<Slice>* slices) {
  struct Head {
    std::int64_t key;
    std::uint32_t part;
    bool operator>(const Head& other) const { return std::tie(key, part) > std::tie(other.key, other.part); }
  };
  items_.clear();
  std::vector<std::size_t> at;
  std::vector<std::size_t> ends;
  for (const Part& part : parts) {
    at.push_back(items_.size());
    for_each_item(part, [&](std::uint64_t ticks, std::uint32_t s, std::uint32_t i) {
      items_.push_back({ticks, s, i});
    });
    ends.push_back(items_.size());
    std::uint64_t differ = 0;
    for (std::size_t i = at.back(); i < ends.back(); ++i) differ |= items_[i].ticks ^ items_[at.back()].ticks;
    radix_sort(
        items_.data() + at.back(), ends.back() - at.back(), 0, static_cast<unsigned>(std::bit_width(differ)),
        [](const Item& item) { return item.ticks; }, &items_swap_);
  }
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto head_of = [&](std::uint32_t p) {
    const Item& item = items_[at[p]];
    return Head{slab_->segments[item.segment].block->block().session().clock.merge_key(item.ticks), p};
  };
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (at[p] != ends[p]) heads.push(head_of(p));
  }
  while (!heads.empty()) {
    const std::uint32_t p = heads.top().part;
    heads.pop();
    for (;;) {
      emit(items_[at[p]].segment, items_[at[p]].record, slices);
      if (++at[p] == ends[p]) break;
      const Head next = head_of(p);
      if (heads.empty() || !(next > heads.top())) continue;
      heads.push(next);
      break;
    }
  }
}

}  // namespace steno::reader
