// Values of rows of several groups, brought together by group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.h"
#include "format/ints/mini_block.h"

namespace steno::query {

// Hands on each group's values some at a time, at most kMiniBlock: what is done with many at once costs less a value.
// With more than kMostGroups groups it hands on each value alone.
class GroupBatches {
 public:
  static constexpr std::size_t kMostGroups = 512;  // 2 KiB each

  // Forgets what has not been handed on.
  void start(std::size_t groups) {
    sizes_.assign(groups <= kMostGroups ? groups : 0, 0);
    if (waiting_.size() < sizes_.size() * format::kMiniBlock) resize_anew(waiting_, sizes_.size() * format::kMiniBlock);
  }
  // take(group, values) when there are enough of them.
  template <class Take>
  void add(std::uint32_t group, std::uint64_t value, const Take& take) {
    if (sizes_.empty()) return take(group, std::span<const std::uint64_t>(&value, 1));
    std::uint64_t* const values = waiting_.data() + group * format::kMiniBlock;
    values[sizes_[group]++] = value;
    if (sizes_[group] < format::kMiniBlock) return;
    sizes_[group] = 0;
    take(group, std::span<const std::uint64_t>(values, format::kMiniBlock));
  }
  template <class Take>
  void finish(const Take& take) {
    for (std::uint32_t group = 0; group < sizes_.size(); ++group) {
      if (sizes_[group] == 0) continue;
      take(group, std::span<const std::uint64_t>(waiting_.data() + group * format::kMiniBlock, sizes_[group]));
    }
  }

 private:
  std::vector<std::uint32_t> sizes_;
  RawVector<std::uint64_t> waiting_;
};

}  // namespace steno::query
