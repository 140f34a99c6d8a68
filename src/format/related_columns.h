// Columns of integers that follow from another one of their group (file.md §9.2.2), for FollowingColumns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "format/following_columns.h"
#include "format/ints/related.h"
#include "format/ints/source.h"

namespace steno::format {

// To look for a relation takes some microseconds for each two columns of a group.
class RelatedIntegers {
 public:
  using Source = IntSource;
  using Context = IntScratch&;
  struct Way {
    Relation relation = Relation::kOther;
    std::size_t other = 0;
  };
  static constexpr std::size_t kMostKnown = 512;

  void begin(std::size_t columns);
  static bool may_follow(std::span<const IntSource> sources, std::size_t k, const IntScratch& scratch);
  static TrialUse next(CodecTrial& trial, std::size_t count, const IntScratch&) { return trial.next(count, true); }
  [[nodiscard]] bool find(std::span<const IntSource> sources, std::size_t k, std::size_t size,
                          std::span<const std::size_t> others, Way* way);
  [[nodiscard]] bool append(std::span<const IntSource> sources, std::size_t k, const Way& way, IntScratch& scratch,
                            ByteBuffer& out);
  static bool still_suits(std::size_t size, std::size_t count, double value_bytes);
  static bool is_one(std::span<const std::uint8_t> column) { return is_related(column); }

 private:
  struct Column {
    std::vector<std::uint64_t> values;
    Zone zone;  // of the values
    bool gathered = false;
  };

  const Column& column_of(std::span<const IntSource> sources, std::size_t k);

  std::vector<Column> columns_;  // of the group that is under way; more than it has, perhaps
  std::vector<std::uint64_t> rests_;
};

using RelatedColumns = FollowingColumns<RelatedIntegers>;

}  // namespace steno::format
