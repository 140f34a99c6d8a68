#include "format/related_columns.h"

#include <algorithm>
#include <array>
#include <bit>

#include "format/codecs/int_column.h"

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

void RelatedColumns::begin(std::span<const IntSource> columns) {
  sources_ = columns;
  if (columns_.size() < columns.size()) columns_.resize(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns_[k].gathered = columns_[k].is_other = columns_[k].is_related = false;
  }
}

const std::vector<std::uint64_t>& RelatedColumns::values_of(std::size_t k) {
  Column& column = columns_[k];
  if (column.gathered) return column.values;
  column.gathered = true;
  column.values.resize(sources_[k].count);
  collect(sources_[k], column.values.data(), &column.zone);
  return column.values;
}

bool RelatedColumns::may_be_other(std::size_t k) const {
  return k < sources_.size() && sources_[k].count != 0 && !columns_[k].is_related;
}

// What the column follows from so that its rests take the fewest bits. False: nothing.
bool RelatedColumns::find(std::size_t k, double bits, Known* known) {
  double least = bits - std::max(1.0, bits / 4);
  bool found = false;
  for (std::size_t other = 0; other < std::min(sources_.size(), kMostColumns); ++other) {
    if (other == k || !may_be_other(other)) continue;
    for (const Relation relation : kRelations) {
      const double estimate = sampled_bits(relation, values_of(k), values_of(other));
      if (estimate > least || (found && estimate == least)) continue;
      found = true;
      least = estimate;
      known->relation = relation;
      known->other = other;
    }
  }
  return found;
}

void RelatedColumns::append(std::size_t k, const Known& known, IntScratch& scratch, ByteBuffer& out) {
  const std::vector<std::uint64_t>& values = values_of(k);
  rests_.resize(values.size());
  std::uint64_t start = 0;
  find_rests(known.relation, values.data(), values_of(known.other).data(), values.size(), rests_.data(), &start);
  append_related(known.relation, known.other, sources_[known.other].type, rests_, start, sources_[k].type,
                 columns_[k].zone, scratch, out);
}

// Column k is one of so many bytes now.
void RelatedColumns::note(std::size_t k, std::size_t size, Known* known) {
  columns_[k].is_related = true;
  columns_[known->other].is_other = true;
  known->bytes = static_cast<double>(size) / static_cast<double>(sources_[k].count);
}

bool RelatedColumns::append_again(std::size_t k, std::uint64_t key, IntScratch& scratch, ByteBuffer& out) {
  current_ = nullptr;
  if (k >= std::min(sources_.size(), kMostColumns) || sources_[k].count < kZonedColumn || columns_[k].is_other)
    return false;
  if (key == 0 || scratch.quick) return false;
  Known& known = known_.of(key);
  const TrialUse use = known.trial.next(sources_[k].count, true);
  if (use == TrialUse::kCompare) current_ = &known;
  if (use != TrialUse::kFirst || !may_be_other(known.other)) return false;
  const std::size_t start = out.size();
  append(k, known, scratch, out);
  const std::size_t size = out.size() - start;
  if (static_cast<double>(size) <= kMostGrowth * known.bytes * static_cast<double>(sources_[k].count) + kFewBytes) {
    note(k, size, &known);
    return true;
  }
  out.truncate(start);
  known.forget();
  return false;
}

void RelatedColumns::replace(std::size_t k, std::size_t start, IntScratch& scratch, ByteBuffer& out) {
  constexpr std::size_t kShare = 8;
  if (current_ == nullptr) return;
  const std::size_t count = sources_[k].count;
  const std::size_t size = out.size() - start;
  const double bits = 8 * static_cast<double>(size) / static_cast<double>(count);
  // What is not found is as if it had been larger.
  const bool found = bits >= kLeastBits && find(k, bits, current_);
  const auto append_found = [&] {
    if (found) append(k, *current_, scratch, out);
    return found;
  };
  current_->trial.compare(start, kShare, append_found, out);
  if (is_related({out.data() + start, out.size() - start})) note(k, out.size() - start, current_);
}

}  // namespace steno::format
