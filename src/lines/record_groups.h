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
  static constexpr std::size_t kMost = 1024;  // records at a time

  struct Group {
    const reader::DecodedBlock* block = nullptr;
    const reader::DecodedGroup* group = nullptr;
    std::uint32_t count = 0;
    std::uint32_t first = 0;  // of its rows among rows()
  };

  RecordGroups();

  // Takes the records of the slices, kMost at most.
  void gather(std::span<const reader::Slice> slices);

  // In the order in which the records first have them.
  std::span<const Group> groups() const { return groups_; }
  // The rows of a group's records, in the order of the slices.
  std::span<const std::uint32_t> rows(const Group& group) const {
    return std::span(rows_).subspan(group.first, group.count);
  }
  // The group of each record among groups(), in the order of the slices.
  std::span<const std::uint16_t> indices() const { return indices_; }

 private:
  // Which of groups() a group of a block is, if `batch` is the current one.
  struct Entry {
    std::uint32_t batch = 0;
    std::uint32_t index = 0;
  };
  // Where the entries of a block's groups begin, if `batch` is the current one.
  struct Base {
    const reader::DecodedBlock* block = nullptr;
    std::uint32_t batch = 0;
    std::uint32_t first = 0;
  };
  static constexpr unsigned kBaseBits = 11;

  void begin(std::size_t records);
  Entry* entries_of(const reader::DecodedBlock& block);
  std::uint32_t add(const reader::DecodedBlock& block, const reader::DecodedGroup& group);

  std::uint32_t batch_ = 0;
  std::vector<Base> bases_;  // a hash table, by block
  std::vector<Entry> entries_;
  std::size_t entries_used_ = 0;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> counts_;       // by group; then where its next row goes
  std::vector<std::uint16_t> indices_;      // by record
  std::vector<std::uint32_t> record_rows_;  // by record
  std::vector<std::uint32_t> rows_;         // by group
};

}  // namespace steno::lines
