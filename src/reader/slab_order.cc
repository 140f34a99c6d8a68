#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <queue>
#include <tuple>
#include <utility>

#include "reader/slab.h"

namespace steno::reader {
namespace {

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

// Calls f(begin, end) for each stretch of wanted records.
template <class F>
void for_each_wanted(const Segment& segment, bool keep_all, F f) {
  const std::span<const std::uint8_t> keep = segment.block->keep();
  if (keep.empty() || keep_all) return f(segment.begin, segment.end);
  if (segment.block->none_wanted()) return;
  for (std::uint32_t i = segment.begin; i < segment.end;) {
    const auto* const next =
        static_cast<const std::uint8_t*>(std::memchr(keep.data() + i, 1, segment.end - std::size_t{i}));
    if (next == nullptr) return;
    i = static_cast<std::uint32_t>(next - keep.data());
    std::uint32_t end = i + 1;
    while (end < segment.end && keep[end] != 0) ++end;
    f(i, end);
    i = end;
  }
}

}  // namespace

void SlabOrder::run(const Slab& slab, const ReadOptions& options, std::vector<Slice>* slices) {
  slab_ = &slab;
  slices->clear();
  std::size_t alive = 0;
  std::uint32_t source = 0;
  bool one_source = true;
  for (const Segment& segment : slab.segments) {
    if (!segment.block->prepare()) continue;
    one_source = one_source && (alive++ == 0 || segment.source == source);
    source = segment.source;
  }
  if (!options.sort || one_source) {
    for (const Segment& segment : slab.segments) {
      if (!segment.block->prepare()) continue;
      for_each_wanted(segment, options.keep_all, [&](std::uint32_t begin, std::uint32_t end) {
        slices->push_back({&segment.block->block(), segment.thread, begin, end});
      });
    }
    return;
  }
  gather(slab, options);
  for (const Part& part : parts_) sort(part.begin, part.end);
  if (parts_.size() == 1) return emit_part(parts_[0], slices);
  merge_parts(slices);
}

void SlabOrder::gather(const Slab& slab, const ReadOptions& options) {
  items_.clear();
  parts_.clear();
  for (std::uint32_t s = 0; s < slab.segments.size(); ++s) {
    const Segment& segment = slab.segments[s];
    if (!segment.block->prepare()) continue;
    if (parts_.empty() || parts_.back().session_rank != segment.session_rank) {
      parts_.push_back({items_.size(), 0, &segment.block->block().session(), segment.session_rank});
    }
    const std::span<const std::uint64_t> ticks = segment.block->sort_ticks();
    for_each_wanted(segment, options.keep_all, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) items_.push_back({std::max(ticks[i], segment.floor), s, i});
    });
    parts_.back().end = items_.size();
  }
}

// A stable sort by ticks: digit by digit, from the least, over the bits in which they differ.
void SlabOrder::sort(std::size_t begin, std::size_t end) {
  const std::size_t n = end - begin;
  if (n < 2) return;
  std::uint64_t differ = 0;
  bool sorted = true;
  for (std::size_t i = begin + 1; i < end; ++i) {
    differ |= items_[i].ticks ^ items_[i - 1].ticks;
    sorted = sorted && items_[i - 1].ticks <= items_[i].ticks;
  }
  if (sorted) return;
  if (n < kDigits / 8) {
    std::stable_sort(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                     items_.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Item& a, const Item& b) { return a.ticks < b.ticks; });
    return;
  }
  if (swap_.size() < n) swap_.resize(n);
  Item* from = items_.data() + begin;
  Item* to = swap_.data();
  const auto low = static_cast<unsigned>(std::countr_zero(differ));
  const auto high = static_cast<unsigned>(std::bit_width(differ));
  for (unsigned shift = low; shift < high; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> at{};
    for (std::size_t i = 0; i < n; ++i) ++at[from[i].ticks >> shift & (kDigits - 1)];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : at) sum += std::exchange(count, sum);
    for (std::size_t i = 0; i < n; ++i) to[at[from[i].ticks >> shift & (kDigits - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != items_.data() + begin) std::copy(from, from + n, items_.data() + begin);
}

inline void SlabOrder::emit(const Item& item, std::vector<Slice>* slices) const {
  const Segment& segment = slab_->segments[item.segment];
  const DecodedBlock* block = &segment.block->block();
  if (!slices->empty() && slices->back().block == block && slices->back().end == item.record &&
      slices->back().thread == segment.thread) {
    ++slices->back().end;
  } else {
    slices->push_back({block, segment.thread, item.record, item.record + 1});
  }
}

void SlabOrder::emit_part(const Part& part, std::vector<Slice>* slices) {
  for (std::size_t i = part.begin; i < part.end; ++i) emit(items_[i], slices);
}

// Sessions have clocks of their own: they meet in wall-clock time.
void SlabOrder::merge_parts(std::vector<Slice>* slices) {
  struct Head {
    std::int64_t key;
    std::uint32_t part;
    bool operator>(const Head& other) const { return std::tie(key, part) > std::tie(other.key, other.part); }
  };
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto key_of = [this](std::uint32_t p) { return parts_[p].session->clock.merge_key(items_[parts_[p].begin].ticks); };
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].begin != parts_[p].end) heads.push({key_of(p), p});
  }
  while (!heads.empty()) {
    const std::uint32_t p = heads.top().part;
    heads.pop();
    Part& part = parts_[p];
    for (;;) {
      emit(items_[part.begin++], slices);
      if (part.begin == part.end) break;
      const Head next{key_of(p), p};
      if (heads.empty() || !(next > heads.top())) continue;
      heads.push(next);
      break;
    }
  }
}

}  // namespace steno::reader
