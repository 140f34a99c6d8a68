#include "format/related_columns.h"

#include <algorithm>
#include <array>
#include <bit>

#include "format/without.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostColumns = 12;  // of a group that are looked at
constexpr std::size_t kWindow = 64;       // values that are looked at together ...
constexpr std::size_t kWindows = 8;       // ... and how often
constexpr std::size_t kSpared = 4;        // values of a window that may lie far from the others, at either end
static_assert(kWindow + 1 <= kZonedColumn);
constexpr double kLeastBits = 1;       // of a value; else there is nothing to gain
constexpr double kMostGrowth = 1.25;   // of the bytes of a value, until it is looked for anew ...
constexpr std::size_t kFewBytes = 64;  // ... but for so many of a column

// About how many bits the rest of a value takes if it follows so, by some that lie together here and there.
double sampled_bits(Relation relation, const std::vector<std::uint64_t>& values,
                    const std::vector<std::uint64_t>& others) {
  std::array<std::uint64_t, kWindow + 1> rests;
  double bits = 0;
  for (std::size_t w = 0; w < kWindows; ++w) {
    const std::size_t first = (values.size() - rests.size()) * w / (kWindows - 1);
    std::uint64_t start;
    find_rests(relation, values.data() + first, others.data() + first, rests.size(), rests.data(), &start);
    std::array<std::int64_t, kWindow> sorted;
    for (std::size_t i = 0; i < kWindow; ++i) sorted[i] = static_cast<std::int64_t>(rests[i + 1]);
    std::sort(sorted.begin(), sorted.end());
    const std::uint64_t range =
        static_cast<std::uint64_t>(sorted[kWindow - 1 - kSpared]) - static_cast<std::uint64_t>(sorted[kSpared]);
    bits += static_cast<double>(std::bit_width(range));
  }
  return bits / kWindows;
}

}  // namespace

void RelatedIntegers::begin(std::size_t columns) {
  if (columns_.size() < columns) columns_.resize(columns);
  for (std::size_t k = 0; k < columns; ++k) columns_[k].gathered = false;
}

bool RelatedIntegers::may_follow(std::span<const IntSource> sources, std::size_t k, const IntScratch& scratch) {
  if (is_left_out(kRelatedName)) return false;
  return k < kMostColumns && sources[k].count >= kZonedColumn && !scratch.quick;
}

const RelatedIntegers::Column& RelatedIntegers::column_of(std::span<const IntSource> sources, std::size_t k) {
  Column& column = columns_[k];
  if (column.gathered) return column;
  column.gathered = true;
  column.values.resize(sources[k].count);
  collect(sources[k], column.values.data(), &column.zone);
  return column;
}

// By what its rests take the fewest bits.
bool RelatedIntegers::find(std::span<const IntSource> sources, std::size_t k, std::size_t size,
                           std::span<const std::size_t> others, Way* way) {
  const double bits = 8 * static_cast<double>(size) / static_cast<double>(sources[k].count);
  if (bits < kLeastBits) return false;
  double least = bits - std::max(1.0, bits / 4);
  bool found = false;
  for (const std::size_t other : others) {
    if (other >= kMostColumns) break;
    for (const Relation relation : kRelations) {
      const double estimate = sampled_bits(relation, column_of(sources, k).values, column_of(sources, other).values);
      if (estimate > least || (found && estimate == least)) continue;
      found = true;
      least = estimate;
      *way = {relation, other + 1};
    }
  }
  return found;
}

bool RelatedIntegers::append(std::span<const IntSource> sources, std::size_t k, const Way& way, IntScratch& scratch,
                             ByteBuffer& out) {
  const std::size_t other = way.other - 1;
  const Column& column = column_of(sources, k);
  rests_.resize(column.values.size());
  std::uint64_t start = 0;
  find_rests(way.relation, column.values.data(), column_of(sources, other).values.data(), column.values.size(),
             rests_.data(), &start);
  append_related(way.relation, other, sources[other].type, rests_, start, sources[k].type, column.zone, scratch, out);
  return true;
}

bool RelatedIntegers::still_suits(std::size_t size, std::size_t count, double value_bytes) {
  return static_cast<double>(size) <= kMostGrowth * value_bytes * static_cast<double>(count) + kFewBytes;
}

}  // namespace steno::format
