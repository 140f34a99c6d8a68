#include "reader/decoded_block.h"

#include <string>

namespace steno::reader {
namespace {

bool is_wide(ArgType type) {
  return fixed_size(type) == 16;
}

// Bytes that a decoded value takes, the text of strings not counted.
std::size_t decoded_size(ArgType type) {
  return is_string(type) ? sizeof(std::string_view) : is_wide(type) ? 16 : 8;
}

Status corrupt(const char* what) {
  return {StatusCode::kCorrupt, what};
}

}  // namespace

Status DecodedBlock::decode(const LogFile& file, const BlockEntry& entry, const DecodeOptions& options) {
  file_ = &file;
  entry_ = &entry;
  session_ = file.sessions()[entry.session].get();
  auto data = file.open_block(entry);
  if (!data.ok()) return data.status();
  if (Status status = decode_order(*data); !status.ok()) return status;
  if (Status status = data->decode_clocks(&clocks_); !status.ok()) return status;
  if (clocks_.size() != entry.records) return corrupt("clock column is too short");
  walls_.resize(clocks_.size());
  session_->clock.walls(clocks_, walls_.data());
  keys_ = walls_.data();
  if (!session_->clock.monotone()) {
    own_keys_.resize(clocks_.size());
    session_->clock.merge_keys(clocks_, own_keys_.data());
    keys_ = own_keys_.data();
  }
  return decode_groups(*data, options);
}

Status DecodedBlock::decode_order(const format::DataBlock& data) {
  if (Status status = data.decode_order(&order_); !status.ok()) return status;
  if (order_.size() != entry_->records) return corrupt("order column is too short");
  group_sizes_.assign(data.groups().size(), 0);
  rows_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] >= group_sizes_.size()) return corrupt("order column names a group that is not there");
    rows_[i] = group_sizes_[order_[i]]++;
  }
  for (std::size_t g = 0; g < group_sizes_.size(); ++g) {
    if (group_sizes_[g] != data.groups()[g].records) return corrupt("order column contradicts the groups");
  }
  return {};
}

Status DecodedBlock::decode_groups(const format::DataBlock& data, const DecodeOptions& options) {
  groups_.clear();
  columns_.clear();
  release_excess();
  for (std::size_t g = 0; g < data.groups().size(); ++g) {
    const auto& view = data.groups()[g];
    DecodedGroup group;
    group.site = session_->dictionary.site(view.site, entry_->offset);
    group.logger = session_->dictionary.logger(view.logger, entry_->offset);
    group.first_value = static_cast<std::uint32_t>(columns_.size());
    const wire::Layout* layout = group.site->layout();
    if (options.values && layout != nullptr && group.site->info().level >= options.min_level) {
      if (layout->fields.size() != view.columns) return corrupt("columns contradict the types of the site");
      group.printer = group.site->printer();
      group.columns = view.columns;
      for (std::size_t c = 0; c < view.columns; ++c) {
        if (Status status = decode_column(data, g, c, layout->fields[c].type); !status.ok()) return status;
      }
      if (view.site == wire::kSiteDropped && view.columns == 2) date_drops(group);
    }
    groups_.push_back(group);
  }
  return {};
}

// When the drops began is logged in ticks, which tell nobody anything: shown is the wall clock in nanoseconds.
void DecodedBlock::date_drops(DecodedGroup& group) {
  std::vector<std::uint64_t>& since = values_[values_used_ - 1].ints;
  for (std::uint64_t& ticks : since) ticks = static_cast<std::uint64_t>(session_->clock.wall(ticks));
  group.drops = true;
}

// Memory is kept from block to block, but not what an odd one took: each column of many blocks might ask for a lot
// once.
void DecodedBlock::release_excess() {
  values_used_ = 0;
  decoded_bytes_ = 0;
  std::uint64_t kept = 0;
  for (const format::ColumnValues& values : values_) {
    kept += values.ints.capacity() * sizeof(std::uint64_t) + values.bytes.capacity() +
            values.strings.capacity() * sizeof(std::string_view) + values.arena.capacity();
  }
  if (kept > kMostKept) values_.clear();
}

Status DecodedBlock::add_bytes(std::size_t bytes) {
  decoded_bytes_ += bytes;
  return decoded_bytes_ <= kMostBytes ? Status() : corrupt("more values than a block can hold");
}

Status DecodedBlock::decode_column(const format::DataBlock& data, std::size_t group, std::size_t index, ArgType type) {
  const std::size_t records = data.groups()[group].records;
  if (Status status = add_bytes(records * decoded_size(type)); !status.ok()) return status;
  // A deque would keep addresses; instead columns_ points at the vectors' own memory, which a move leaves in place.
  if (values_used_ == values_.size()) values_.emplace_back();
  format::ColumnValues& values = values_[values_used_++];
  if (Status status = data.decode_column(group, index, type, &values); !status.ok()) return status;
  if (Status status = add_bytes(values.arena.size()); !status.ok()) return status;
  Column column;
  column.type = type;
  std::size_t got;
  if (is_string(type)) {
    column.strings = values.strings.data();
    got = values.strings.size();
  } else if (is_wide(type)) {
    column.wide = values.bytes.data();
    got = values.bytes.size() / 16;
  } else {
    column.ints = values.ints.data();
    got = values.ints.size();
  }
  if (got != records) return corrupt("a column is too short");
  columns_.push_back(column);
  return {};
}

}  // namespace steno::reader
