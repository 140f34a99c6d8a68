#include "query/block_view.h"

#include <algorithm>
#include <cstring>

#include "format/ints/column.h"
#include "format/strings/distinct.h"
#include "reader/corrupt.h"

namespace steno::query {

using reader::BlockEntry;
using reader::LogFile;

void BlockView::name(const LogFile& file, const BlockEntry& entry) {
  file_ = &file;
  entry_ = &entry;
  session_ = file.sessions()[entry.session].get();
  status_ = Status();
}

Status BlockView::start(const LogFile& file, const BlockEntry& entry, Result<format::DataBlock> data) {
  name(file, entry);
  groups_.clear();
  order_ = {};
  walls_ = {};
  own_ticks_.clear();
  rows_sorted_ = false;
  group_walls_of_ = SIZE_MAX;
  repeated_ = false;
  for (const reader::RunEntry& run : runs()) repeated_ |= run.repeated != 0;

  if (!data.ok()) return status_ = data.status();
  data_ = std::move(data).value();
  std::uint32_t columns = 0;
  for (const auto& view : data_.groups()) {
    ViewGroup group;
    group.site = session_->dictionary.site(view.site, entry.offset);
    group.logger = session_->dictionary.logger(view.logger, entry.offset);
    group.records = view.records;
    group.first_column = columns;
    const wire::Layout* layout = group.site->layout();
    if (layout != nullptr) {
      if (layout->fields.size() != view.columns) {
        return status_ = Status(StatusCode::kCorrupt, "columns contradict the types of the site");
      }
      group.columns = view.columns;
    }
    columns += group.columns;
    groups_.push_back(group);
  }
  release_excess();
  columns_used_.assign(columns, 0);
  if (columns_.size() < columns) columns_.resize(columns);
  return {};
}

// Memory is kept from block to block, but not what an odd one took: a few bytes of constant columns can ask for any
// amount.
void BlockView::release_excess() {
  if (decoded_bytes_ > reader::DecodedBlock::kMostKept) {
    columns_.clear();
    scratch_.release();
  }
  decoded_bytes_ = 0;
}

Status BlockView::open(const LogFile& file, const BlockEntry& entry, const reader::BlockPrefetch* prefetch) {
  return start(file, entry, file.open_block(entry, prefetch));
}

Status BlockView::peek(const LogFile& file, const BlockEntry& entry) {
  return start(file, entry, file.peek_block(entry));
}

Status BlockView::adopt(const reader::DecodedBlock& block) {
  if (Status status = start(block.file(), block.entry(), block.file().peek_block(block.entry())); !status.ok())
    return status;
  order_ = block.order();
  walls_ = block.walls();
  return {};
}

bool BlockView::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  return false;
}

std::span<const reader::RunEntry> BlockView::runs() const {
  return std::span(file_->runs()).subspan(entry_->first_run, entry_->runs);
}

const reader::Thread& BlockView::thread_of(const reader::RunEntry& run) const {
  return *session_->dictionary.thread(run.thread, entry_->offset);
}

std::span<const std::uint32_t> BlockView::order() {
  if (!order_.empty()) return order_;
  if (Status status = data_.decode_order(&own_order_); !status.ok()) {
    fail(std::move(status));
    return {};
  }
  return order_ = own_order_;
}

std::span<const std::uint64_t> BlockView::ticks() {
  if (own_ticks_.empty()) {
    if (Status status = data_.decode_clocks(&own_ticks_); !status.ok()) {
      fail(std::move(status));
      own_ticks_.clear();
    }
  }
  return own_ticks_;
}

std::span<const std::int64_t> BlockView::walls() {
  if (!walls_.empty()) return walls_;
  const std::span<const std::uint64_t> clocks = ticks();
  own_walls_.resize(clocks.size());
  session_->clock.walls(clocks, own_walls_.data());
  return walls_ = own_walls_;
}

bool BlockView::wall_bounds(std::int64_t* first, std::int64_t* last) const {
  return file_->wall_bounds(*entry_, first, last);
}

// A counting sort of the records by group; rows of a group are in the order of the block.
void BlockView::sort_rows() {
  rows_sorted_ = true;
  const std::span<const std::uint32_t> groups = order();
  first_row_.assign(groups_.size() + 1, 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) first_row_[g + 1] = first_row_[g] + groups_[g].records;
  row_records_.resize(groups.size());
  std::vector<std::uint32_t> next(first_row_.begin(), first_row_.end() - 1);
  for (std::uint32_t i = 0; i < groups.size(); ++i) row_records_[next[groups[i]]++] = i;
}

std::span<const std::uint32_t> BlockView::records_of(std::size_t group) {
  if (groups_.size() == 1) return {};
  if (!rows_sorted_) sort_rows();
  if (row_records_.empty()) return {};
  return std::span(row_records_).subspan(first_row_[group], groups_[group].records);
}

std::span<const std::int64_t> BlockView::walls_of(std::size_t group) {
  const std::span<const std::int64_t> all = walls();
  if (groups_.size() == 1 || all.empty()) return all;
  if (group_walls_of_ == group) return group_walls_;
  const std::span<const std::uint32_t> records = records_of(group);
  group_walls_.resize(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) group_walls_[i] = all[records[i]];
  group_walls_of_ = group;
  return group_walls_;
}

void BlockView::clear_records(std::size_t group, std::uint32_t begin, std::uint32_t end, std::span<std::uint8_t> keep) {
  const std::span<const std::uint32_t> records = records_of(group);
  if (groups_.size() == 1) {
    std::fill(keep.begin() + begin, keep.begin() + end, std::uint8_t{0});
    return;
  }
  const auto from = std::lower_bound(records.begin(), records.end(), begin);
  const auto to = std::lower_bound(from, records.end(), end);
  std::fill(keep.begin() + (from - records.begin()), keep.begin() + (to - records.begin()), std::uint8_t{0});
}

bool BlockView::drop_repeated(std::size_t group, std::span<std::uint8_t> keep) {
  if (!repeated_) return false;
  for (const reader::RunEntry& run : runs()) {
    if (run.repeated != 0) clear_records(group, run.start, run.start + run.repeated, keep);
  }
  return true;
}

ArgType BlockView::type_of(std::size_t group, std::size_t index) const {
  return groups_[group].site->layout()->fields[index].type;
}

BlockView::Column& BlockView::column(std::size_t group, std::size_t index) {
  const std::size_t at = groups_[group].first_column + index;
  if (columns_[at] == nullptr) columns_[at] = std::make_unique<Column>();
  Column& column = *columns_[at];
  if (columns_used_[at] == 0) {
    columns_used_[at] = 1;
    column.ints_done = column.strings_done = column.distinct_done = false;
    column.arena.clear();
    column.distinct.clear();
  }
  return column;
}

bool BlockView::decode(std::size_t group, std::size_t index, Column& column) {
  if (column.ints_done) return true;
  column.ints_done = true;
  const ArgType type = type_of(group, index);
  Status status;
  decoded_bytes_ += std::uint64_t{groups_[group].records} * 16;
  if (decoded_bytes_ > file_->limits().decoded_bytes) {
    column.values = {};
    return fail(reader::beyond_limit("decoded_bytes"));
  }
  const std::span<const std::uint8_t> bytes = data_.column_bytes(group, index);
  if (!bytes.empty() && !is_string(type) && fixed_size(type) <= 8) {
    // Into memory that the last block left: what is overwritten need not be zeroed.
    resize_anew(column.values.ints, groups_[group].records);
    ByteReader in(bytes.data(), bytes.size());
    const bool good =
        format::decode_ints(in, format::IntType::of(type), column.values.ints.size(), 0, column.values.ints.data());
    if (!good || !in.at_end()) status = data_.decode_column(group, index, type, &column.values);  // says what is wrong
  } else {
    status = data_.decode_column(group, index, type, &column.values);
  }
  if (!status.ok()) {
    column.values = {};
    return fail(std::move(status));
  }
  if (reports_drops(group) && index == 1) {  // ticks mean nothing to a reader
    for (std::uint64_t& ticks : column.values.ints) ticks = static_cast<std::uint64_t>(session_->clock.wall(ticks));
  }
  return true;
}

std::span<const std::uint64_t> BlockView::ints(std::size_t group, std::size_t index) {
  Column& c = column(group, index);
  decode(group, index, c);
  return c.values.ints;
}

std::span<const std::uint64_t> BlockView::ints(std::size_t group, std::size_t index,
                                               Scratch::Array<std::uint64_t>* memory) {
  const std::span<const std::uint8_t> bytes = data_.column_bytes(group, index);
  if (has_ints(group, index) || bytes.empty() || reports_drops(group)) return ints(group, index);
  const std::size_t n = groups_[group].records;
  decoded_bytes_ += std::uint64_t{n} * 16;
  if (decoded_bytes_ > file_->limits().decoded_bytes) return ints(group, index);  // says what is wrong
  memory->resize(n);
  ByteReader in(bytes.data(), bytes.size());
  const bool good = format::decode_ints(in, format::IntType::of(type_of(group, index)), n, 0, memory->data());
  return good && in.at_end() ? memory->span() : ints(group, index);
}

bool BlockView::has_ints(std::size_t group, std::size_t index) const {
  const std::size_t at = groups_[group].first_column + index;
  return columns_used_[at] != 0 && columns_[at]->ints_done;
}

std::span<const std::uint8_t> BlockView::wide(std::size_t group, std::size_t index) {
  Column& c = column(group, index);
  decode(group, index, c);
  return c.values.bytes;
}

const StringColumn& BlockView::strings(std::size_t group, std::size_t index) {
  Column& c = column(group, index);
  if (c.strings_done) return c.strings;
  c.strings_done = true;
  c.strings = {};
  decoded_bytes_ += std::uint64_t{groups_[group].records} * 8;
  c.arena.clear();
  const std::span<const std::uint8_t> bytes = data_.column_bytes(group, index);
  if (!bytes.empty() &&
      format::read_distinct_strings(bytes, groups_[group].records, data_.shared(), &c.arena, &c.distinct, &c.codes)) {
    c.distinct_done = true;
    c.strings.coded = true;
    c.strings.distinct = c.distinct;
    c.strings.codes = c.codes;
  } else if (decode(group, index, c)) {
    c.strings.strings = c.values.strings;
  }
  return c.strings;
}

std::span<const std::string_view> BlockView::distinct(std::size_t group, std::size_t index) {
  Column& c = column(group, index);
  if (c.distinct_done) return c.distinct;
  c.distinct_done = true;
  const std::span<const std::uint8_t> bytes = data_.column_bytes(group, index);
  if (bytes.empty() ||
      !format::read_distinct_strings(bytes, groups_[group].records, data_.shared(), &c.arena, &c.distinct, nullptr)) {
    c.distinct.clear();
  }
  return c.distinct;
}

bool BlockView::zone(std::size_t group, std::size_t index, std::uint64_t* least, std::uint64_t* greatest) const {
  if (reports_drops(group)) return false;
  return data_.column_zone(group, index, type_of(group, index), least, greatest);
}

bool BlockView::constant(std::size_t group, std::size_t index, std::uint64_t* value) const {
  const std::span<const std::uint8_t> bytes = data_.column_bytes(group, index);
  std::uint64_t same = 0;
  return !bytes.empty() && static_cast<format::CodecId>(bytes[0]) == format::CodecId::kConstant &&
         zone(group, index, value, &same);
}

void BlockView::value(std::size_t group, std::size_t index, std::size_t row, text::Value* out) {
  out->type = type_of(group, index);
  if (is_string(out->type)) {
    const StringColumn& c = strings(group, index);
    out->string = c.coded || row < c.strings.size() ? c.at(row) : std::string_view();
  } else if (fixed_size(out->type) == 16) {
    const std::span<const std::uint8_t> bytes = wide(group, index);
    static constexpr std::uint8_t kZeros[16] = {};
    out->wide = bytes.size() >= (row + 1) * 16 ? bytes.data() + row * 16 : kZeros;
  } else {
    const std::span<const std::uint64_t> column_ints = ints(group, index);
    out->bits = row < column_ints.size() ? column_ints[row] : 0;
  }
}

void BlockView::values(std::size_t group, std::size_t row, text::Value* out) {
  for (std::size_t i = 0; i < groups_[group].columns; ++i) value(group, i, row, &out[i]);
}

bool BlockView::reports_drops(std::size_t group) const {
  return groups_[group].site->info().id == wire::kSiteDropped && groups_[group].columns == 2;
}

}  // namespace steno::query
