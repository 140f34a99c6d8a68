#include "reader/decoded_block.h"

#include <string>

#include "format/codecs/string_codec.h"
#include "reader/corrupt.h"

namespace steno::reader {
namespace {

bool is_wide(ArgType type) {
  return fixed_size(type) == 16;
}

// Bytes that a decoded value takes, the text of strings not counted.
std::size_t decoded_size(ArgType type) {
  return is_string(type) ? sizeof(std::string_view) : is_wide(type) ? 16 : 8;
}

std::size_t capacity_of(const format::ColumnValues& values) {
  return values.ints.capacity() * sizeof(std::uint64_t) + values.bytes.capacity() +
         values.strings.capacity() * sizeof(std::string_view) + values.arena.capacity();
}

}  // namespace

Status DecodedBlock::decode(const LogFile& file, const BlockEntry& entry, const DecodeOptions& options) {
  if (Status status = decode_clocks(file, entry); !status.ok()) return status;
  if (Status status = decode_order(); !status.ok()) return status;
  std::vector<std::uint8_t> wanted;
  for (const DecodedGroup& group : groups_) {
    wanted.push_back(options.values && group.site->reaches(options.min_level) ? 1 : 0);
  }
  return decode_columns(wanted);
}

Status DecodedBlock::decode_clocks(const LogFile& file, const BlockEntry& entry) {
  file_ = &file;
  entry_ = &entry;
  session_ = file.sessions()[entry.session].get();
  auto data = file.open_block(entry);
  if (!data.ok()) return data.status();
  data_ = std::move(data).value();
  if (Status status = data_.decode_clocks(&clocks_); !status.ok()) return status;
  return clocks_.size() == entry.records ? Status() : corrupt("clock column is too short");
}

Status DecodedBlock::decode_order() {
  if (Status status = data_.decode_order(&order_); !status.ok()) return status;
  if (order_.size() != entry_->records) return corrupt("order column is too short");
  // That it names each group as often as that has records is DataBlock's to check.
  count_rows(data_.groups().size());
  walls_.resize(clocks_.size());
  session_->clock.walls(clocks_, walls_.data());

  groups_.clear();
  std::uint32_t columns = 0;
  for (const auto& view : data_.groups()) {
    DecodedGroup group;
    group.site = session_->dictionary.site(view.site, entry_->offset);
    group.logger = session_->dictionary.logger(view.logger, entry_->offset);
    group.first_column = columns;
    if (const wire::Layout* layout = group.site->layout(); layout != nullptr) {
      if (layout->fields.size() != view.columns) return corrupt("columns contradict the types of the site");
      group.columns = view.columns;
    }
    columns += group.columns;
    groups_.push_back(group);
  }
  return {};
}

void DecodedBlock::count_rows(std::size_t groups) {
  one_group_ = groups == 1;
  rows_.clear();
  if (one_group_) return;
  rows_.resize(order_.size());
  group_sizes_.assign(groups, 0);
  for (std::size_t i = 0; i < order_.size(); ++i) rows_[i] = group_sizes_[order_[i]]++;
}

Status DecodedBlock::decode_columns(std::span<const std::uint8_t> wanted) {
  release_excess();
  columns_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    DecodedGroup& group = groups_[g];
    group.first_column = static_cast<std::uint32_t>(columns_.size());
    if (wanted[g] == 0) group.columns = 0;
    if (wanted[g] == 0 || group.site->layout() == nullptr) continue;
    group.printer = group.site->printer();
    for (std::uint32_t c = 0; c < group.columns; ++c) {
      text::Column column;
      const ArgType type = group.site->layout()->fields[c].type;
      if (Status status = decode_column(g, c, type, &column); !status.ok()) return status;
      columns_.push_back(column);
    }
    if (data_.groups()[g].site == wire::kSiteDropped && group.columns == 2) date_drops(group);
  }
  return {};
}

// When the drops began is logged in ticks, which tell nobody anything: shown is the wall clock in nanoseconds.
void DecodedBlock::date_drops(DecodedGroup& group) {
  std::vector<std::uint64_t>& since = values_[values_used_ - 1].ints;
  for (std::uint64_t& ticks : since) ticks = static_cast<std::uint64_t>(session_->clock.wall(ticks));
  group.drops = true;
}

std::uint64_t DecodedBlock::missing_strings() const {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < values_used_; ++i) {
    for (const std::string_view s : values_[i].strings) missing += s.data() == format::kMissingString ? 1 : 0;
  }
  return missing;
}

std::size_t DecodedBlock::bytes_held() const {
  std::size_t bytes = 4 * (order_.capacity() + rows_.capacity()) + 8 * (clocks_.capacity() + walls_.capacity());
  for (const format::ColumnValues& values : values_) bytes += capacity_of(values);
  return bytes;
}

// Memory is kept from block to block, but not what an odd one took: each column of many blocks might ask for a lot
// once.
void DecodedBlock::release_excess() {
  values_used_ = 0;
  decoded_bytes_ = 0;
  std::uint64_t kept = 0;
  for (const format::ColumnValues& values : values_) kept += capacity_of(values);
  if (kept > kMostKept) values_.clear();
}

Status DecodedBlock::add_bytes(std::size_t bytes) {
  decoded_bytes_ += bytes;
  if (decoded_bytes_ > file_->limits().decoded_bytes) return beyond_limit("decoded_bytes");
  return decoded_bytes_ <= most_bytes_ ? Status() : beyond_limit("memory");
}

Status DecodedBlock::decode_column(std::size_t group, std::size_t index, ArgType type, text::Column* column) {
  // A deque would keep addresses; instead columns_ points at the vectors' own memory, which a move leaves in place.
  if (values_used_ == values_.size()) values_.emplace_back();
  format::ColumnValues& values = values_[values_used_++];
  std::size_t records = data_.groups()[group].records;
  if (data_.decode_constant(group, index, type, &values)) {
    records = 1;
    column->mask = 0;
  } else {
    if (Status status = add_bytes(records * decoded_size(type)); !status.ok()) return status;
    if (Status status = data_.decode_column(group, index, type, &values); !status.ok()) return status;
    if (Status status = add_bytes(values.arena.size()); !status.ok()) return status;
  }
  column->type = type;
  std::size_t got;
  if (is_string(type)) {
    column->strings = values.strings.data();
    got = values.strings.size();
  } else if (is_wide(type)) {
    column->wide = values.bytes.data();
    got = values.bytes.size() / 16;
  } else {
    column->ints = values.ints.data();
    got = values.ints.size();
  }
  return got == records ? Status() : corrupt("a column is too short");
}

}  // namespace steno::reader
