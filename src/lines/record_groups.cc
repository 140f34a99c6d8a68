#include "lines/record_groups.h"

namespace steno::lines {

RecordGroups::RecordGroups() : slots_(std::size_t{1} << kSlotBits) {
  static_assert((std::size_t{1} << kSlotBits) >= 2 * kMost);
}

void RecordGroups::gather(std::span<const reader::Slice> slices) {
  constexpr std::size_t kAhead = 16;
  for (const Group& group : groups_) slots_[group.slot] = {};
  groups_.clear();
  std::size_t records = 0;
  for (const reader::Slice& slice : slices) records += slice.end - slice.begin;
  places_.resize(records);
  record_rows_.resize(records);
  rows_.resize(records);

  Place* place = places_.data();
  std::uint32_t* row = record_rows_.data();
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const reader::Slice& slice = slices[s];
    // Where threads alternate, slices are short and far apart.
    if (s + kAhead < slices.size()) slices[s + kAhead].block->prefetch(slices[s + kAhead].begin);
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      const std::uint32_t index = index_of(*slice.block, slice.block->group(i));
      *place++ = {index, groups_[index].count++};
      *row++ = slice.block->row(i);
    }
  }
  std::uint32_t first = 0;
  for (Group& group : groups_) {
    group.first = first;
    first += group.count;
  }
  for (std::size_t i = 0; i < records; ++i) {
    places_[i].at += groups_[places_[i].group].first;
    rows_[places_[i].at] = record_rows_[i];
  }
}

inline std::uint32_t RecordGroups::index_of(const reader::DecodedBlock& block, const reader::DecodedGroup& group) {
  const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(&group) * 0x9E3779B97F4A7C15;
  for (std::size_t slot = hash >> (64 - kSlotBits);; slot = (slot + 1) % slots_.size()) {
    if (slots_[slot].group == &group) return slots_[slot].index;
    if (slots_[slot].group == nullptr) return add(block, group, slot);
  }
}

[[gnu::noinline]] std::uint32_t RecordGroups::add(const reader::DecodedBlock& block, const reader::DecodedGroup& group,
                                                  std::size_t slot) {
  const auto index = static_cast<std::uint32_t>(groups_.size());
  slots_[slot] = {&group, index};
  groups_.push_back({&block, &group, 0, 0, static_cast<std::uint32_t>(slot)});
  return index;
}

}  // namespace steno::lines
