#include "lines/record_groups.h"

#include <algorithm>

namespace steno::lines {

RecordGroups::RecordGroups() : bases_(std::size_t{1} << kBaseBits), counts_(kMost) {
  static_assert((std::size_t{1} << kBaseBits) >= 2 * kMost);
  static_assert(kMost <= UINT16_MAX + std::size_t{1});
}

void RecordGroups::gather(std::span<const reader::Slice> slices) {
  constexpr std::size_t kAhead = 16;
  std::size_t records = 0;
  for (const reader::Slice& slice : slices) records += slice.end - slice.begin;
  begin(records);

  std::uint16_t* index = indices_.data();
  std::uint32_t* row = record_rows_.data();
  const reader::DecodedBlock* block = nullptr;
  Entry* entries = nullptr;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const reader::Slice& slice = slices[s];
    // Where threads alternate, slices are short and far apart.
    if (s + kAhead < slices.size()) slices[s + kAhead].block->prefetch(slices[s + kAhead].begin);
    if (slice.block != block) {
      block = slice.block;
      entries = entries_of(*block);
    }
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      const std::uint32_t g = block->group_index(i);
      if (entries[g].batch != batch_) entries[g] = {batch_, add(*block, block->groups()[g])};
      const std::uint32_t found = entries[g].index;
      *index++ = static_cast<std::uint16_t>(found);
      ++counts_[found];
      *row++ = block->row(i);
    }
  }
  std::uint32_t first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].first = first;
    groups_[g].count = counts_[g];
    counts_[g] = first;
    first += groups_[g].count;
  }
  for (std::size_t i = 0; i < records; ++i) rows_[counts_[indices_[i]]++] = record_rows_[i];
}

void RecordGroups::begin(std::size_t records) {
  if (++batch_ == 0) {  // the numbers of batches begin anew
    std::fill(bases_.begin(), bases_.end(), Base());
    std::fill(entries_.begin(), entries_.end(), Entry());
    batch_ = 1;
  }
  groups_.clear();
  entries_used_ = 0;
  indices_.resize(records);
  record_rows_.resize(records);
  rows_.resize(records);
}

// One for each group of the block, valid until the next call.
RecordGroups::Entry* RecordGroups::entries_of(const reader::DecodedBlock& block) {
  const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(&block) * 0x9E3779B97F4A7C15;
  std::size_t slot = hash >> (64 - kBaseBits);
  while (bases_[slot].batch == batch_ && bases_[slot].block != &block) slot = (slot + 1) % bases_.size();
  if (bases_[slot].batch != batch_) {
    bases_[slot] = {&block, batch_, static_cast<std::uint32_t>(entries_used_)};
    entries_used_ += block.groups().size();
    if (entries_.size() < entries_used_) entries_.resize(entries_used_);
  }
  return entries_.data() + bases_[slot].first;
}

[[gnu::noinline]] std::uint32_t RecordGroups::add(const reader::DecodedBlock& block,
                                                  const reader::DecodedGroup& group) {
  const auto index = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({&block, &group, 0, 0});
  counts_[index] = 0;
  return index;
}

}  // namespace steno::lines
