// Records in the order of the output, put together by the groups that they are of: what is done for all records of a
// group at once needs to look only once at what they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reader/slab.h"

namespace steno::lines {

// Memory that is reused. Not thread-safe.
class RecordGroups {
 public:
  static constexpr std::size_t kMost = 512;  // records at a time

  struct Group {
    const reader::DecodedBlock* block = nullptr;
    const reader::DecodedGroup* group = nullptr;
    std::uint32_t count = 0;
    std::uint32_t first = 0;  // of its rows among rows()
    std::uint32_t slot = 0;   // in the table
  };
  // Of a record: its group among groups(), and its row among rows().
  struct Place {
    std::uint32_t group;
    std::uint32_t at;
  };

  RecordGroups();

  // Takes the records of the slices, kMost at most.
  void gather(std::span<const reader::Slice> slices);

  std::span<const Group> groups() const { return groups_; }
  std::span<const std::uint32_t> rows(const Group& group) const {
    return std::span(rows_).subspan(group.first, group.count);
  }
  // Of the records, in the order of the slices.
  std::span<const Place> places() const { return places_; }

 private:
  struct Slot {
    const reader::DecodedGroup* group = nullptr;
    std::uint32_t index = 0;
  };
  static constexpr unsigned kSlotBits = 10;

  std::uint32_t index_of(const reader::DecodedBlock& block, const reader::DecodedGroup& group);
  std::uint32_t add(const reader::DecodedBlock& block, const reader::DecodedGroup& group, std::size_t slot);

  std::vector<Slot> slots_;
  std::vector<Group> groups_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> record_rows_;  // by record
  std::vector<std::uint32_t> rows_;         // by group
};

}  // namespace steno::lines
