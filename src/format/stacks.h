// Groups of few records that share columns (file.md §6): a program with thousands of statements has many in each block,
// with a few records each, and columns of a few values are mostly overhead.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "format/data_writer.h"

namespace steno::format {

// One per writer. Views what it was given last.
class Stacker {
 public:
  struct Stack {
    std::uint32_t first_group = 0;
    std::uint32_t groups = 0;
    Group all;  // its layout, and all of its records, as a slice of offsets()
  };

  // Finds the groups that are to be stacked. False: none; then there is nothing to be had from the rest.
  bool arrange(const BlockInput& input);

  // The block with the groups of stacks after the others.
  const BlockInput& block() const { return block_; }
  std::size_t own_groups() const { return own_; }  // so many come first
  const std::vector<Stack>& stacks() const { return stacks_; }
  const std::vector<std::uint32_t>& offsets() const { return offsets_; }

 private:
  BlockInput block_;
  std::size_t own_ = 0;
  std::vector<Stack> stacks_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_types_;  // hash of the types; index of a stack
  std::vector<std::uint32_t> stack_of_;                        // by group
  std::vector<std::uint32_t> bucket_of_;                       // by group that is stacked: its stack and magnitude
  std::vector<std::uint32_t> next_;                            // by bucket: the next index
  std::vector<std::uint32_t> new_index_;                       // by group
  std::vector<Group> groups_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> offsets_;
};

}  // namespace steno::format
