#include "top/counts.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "wire/record.h"

namespace steno::cli {
namespace {

// Bytes that a record takes in its ring.
std::uint64_t ring_bytes(const reader::DecodedBlock& block, std::uint32_t i) {
  const reader::DecodedGroup& group = block.group(i);
  const wire::Layout* layout = group.site->layout();
  if (layout == nullptr) return wire::kArgsOffset;
  std::size_t bytes = layout->fixed_end;
  if (layout->strings != 0) {
    const text::Column* columns = block.columns(group);
    for (std::uint32_t c = 0; c < group.columns; ++c) {
      if (columns[c].strings != nullptr) bytes += columns[c].string_at(block.row(i)).size();
    }
  }
  return round_up(bytes, 8);
}

}  // namespace

TopRow& TopCounts::row_of(const reader::Site& site) {
  const wire::SiteInfo& info = site.info();
  const std::uint64_t key = site.known() && info.id >= wire::kFirstUserSite ? info.stable_id : info.id;
  const auto [found, is_new] = rows_.try_emplace(key);
  TopRow& row = found->second;
  if (is_new) {
    row.level = info.level;
    row.file = info.file;
    row.line = info.line;
    row.format = info.format;
  }
  return row;
}

void TopCounts::add(const reader::Slice& slice) {
  const reader::DecodedGroup* group = nullptr;
  TopRow* row = nullptr;
  for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
    if (&slice.block->group(i) != group) {
      group = &slice.block->group(i);
      row = &row_of(*group->site);
    }
    ++row->records;
    row->bytes += ring_bytes(*slice.block, i);
  }
}

TopRound TopCounts::end_round(std::int64_t time, double seconds) {
  TopRound round;
  round.time = time;
  round.seconds = seconds;
  for (auto& [key, row] : rows_) {
    row.total_records += row.records;
    row.total_bytes += row.bytes;
    round.records += row.records;
    round.bytes += row.bytes;
    round.total_records += row.total_records;
    round.total_bytes += row.total_bytes;
    round.rows.push_back(row);
    row.records = row.bytes = 0;
  }
  std::sort(round.rows.begin(), round.rows.end(), [](const TopRow& a, const TopRow& b) {
    return std::tie(b.records, b.total_records, a.file, a.line, a.format) <
           std::tie(a.records, a.total_records, b.file, b.line, b.format);
  });
  return round;
}

}  // namespace steno::cli
