#include "reader/decoded_block.h"

#include <algorithm>

#include "format/strings/codec.h"
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

constexpr std::size_t kFew = 256;  // values: as many as a column without a zone has, if it is of integers

text::StringPiece view_of(const format::ShapedPart& part) {
  using Kind = text::StringPiece::Kind;
  text::StringPiece piece;
  piece.width = part.piece->width;
  switch (part.piece->kind) {
    case format::PieceKind::kConstant:
      piece.constant = part.piece->text;
      return piece;
    case format::PieceKind::kDecimal:
      piece.kind = Kind::kDecimal;
      break;
    case format::PieceKind::kLowerHex:
      piece.kind = Kind::kLowerHex;
      break;
    case format::PieceKind::kUpperHex:
      piece.kind = Kind::kUpperHex;
      break;
    case format::PieceKind::kText:
      piece.kind = Kind::kText;
      piece.values.type = ArgType::kString;
      piece.values.strings = part.texts.data();
      piece.values.facts = part.arena.facts();
      return piece;
  }
  piece.values.type = ArgType::kU64;
  piece.values.ints = part.numbers.data();
  piece.values.greatest = part.greatest;
  return piece;
}

}  // namespace

Status DecodedBlock::decode(const LogFile& file, const BlockEntry& entry, const DecodeOptions& options) {
  if (Status status = decode_clocks(file, entry); !status.ok()) return status;
  if (Status status = decode_order(); !status.ok()) return status;
  std::vector<std::uint8_t> wanted;
  for (const DecodedGroup& group : groups_) {
    wanted.push_back(options.values && group.site->reaches(options.min_level) ? 1 : 0);
  }
  return decode_columns(wanted, options.packed_strings);
}

// Memory is kept from block to block, but not what an odd one took: each column of many blocks might ask for a lot
// once.
void DecodedBlock::begin_block() {
  arena_->bytes_held() > kMostKept ? arena_->release() : arena_->reset();
  place_in(arena_.get(), order_);
  place_in(arena_.get(), rows_);
  place_in(arena_.get(), clocks_);
  place_in(arena_.get(), walls_);
  groups_.clear();
  columns_.clear();
  shapes_.clear();
  values_used_ = 0;
  decoded_bytes_ = 0;
}

Status DecodedBlock::decode_clocks(const LogFile& file, const BlockEntry& entry) {
  begin_block();
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
  resize_anew(walls_, clocks_.size());
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
  resize_anew(rows_, order_.size());
  group_sizes_.assign(groups, 0);
  for (std::size_t i = 0; i < order_.size(); ++i) rows_[i] = group_sizes_[order_[i]]++;
}

Status DecodedBlock::decode_columns(std::span<const std::uint8_t> wanted, bool packed_strings) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    DecodedGroup& group = groups_[g];
    group.first_column = static_cast<std::uint32_t>(columns_.size());
    if (wanted[g] == 0) group.columns = 0;
    if (wanted[g] == 0 || group.site->layout() == nullptr) continue;
    group.printer = group.site->printer();
    // Columns that no printer prints are values for somebody else.
    auto packed = format::PackedStrings::kNone;
    if (packed_strings && group.printer != nullptr && data_.groups()[g].site != wire::kSiteDropped) {
      packed = is_large(data_.groups()[g].records) ? format::PackedStrings::kAny : format::PackedStrings::kOneShape;
    }
    for (std::uint32_t c = 0; c < group.columns; ++c) {
      text::Column column;
      const ArgType type = group.site->layout()->fields[c].type;
      if (Status status = decode_column(g, c, type, packed, &column); !status.ok()) return status;
      if (column.shapes != nullptr && column.shapes->places != nullptr) packed = format::PackedStrings::kOneShape;
      columns_.push_back(column);
    }
    if (data_.groups()[g].site == wire::kSiteDropped && group.columns == 2) date_drops(group);
  }
  return {};
}

// Returns whether so many of the block's records are many even among a few hundred: it pays to print them shape by
// shape.
bool DecodedBlock::is_large(std::size_t records) const {
  return records > 16 * (format::kMaxShapes + 1) && records > entry_->records / 16;
}

// When the drops began is logged in ticks, which tell nobody anything: shown is the wall clock in nanoseconds.
void DecodedBlock::date_drops(DecodedGroup& group) {
  RawVector<std::uint64_t>& since = values_[values_used_ - 1].ints;
  for (std::uint64_t& ticks : since) ticks = static_cast<std::uint64_t>(session_->clock.wall(ticks));
  group.drops = true;
}

std::uint64_t DecodedBlock::sequence(std::uint32_t i) const {
  const std::span<const RunEntry> runs =
      file_ == nullptr ? std::span<const RunEntry>(gathered_runs_)
                       : std::span<const RunEntry>(file_->runs()).subspan(entry_->first_run, entry_->runs);
  const auto after = std::upper_bound(runs.begin(), runs.end(), i,
                                      [](std::uint32_t record, const RunEntry& run) { return record < run.start; });
  if (after == runs.begin()) return 0;
  const RunEntry& run = *std::prev(after);
  return run.first_seq + (i - run.start);
}

std::uint64_t DecodedBlock::missing_strings() const {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < values_used_; ++i) {
    for (const std::string_view s : values_[i].strings) missing += s.data() == format::kMissingString ? 1 : 0;
  }
  return missing;
}

std::size_t DecodedBlock::bytes_held() const {
  return arena_->bytes_held();
}

Status DecodedBlock::add_bytes(std::size_t bytes) {
  decoded_bytes_ += bytes;
  if (decoded_bytes_ > file_->limits().decoded_bytes) return beyond_limit("decoded_bytes");
  return decoded_bytes_ <= most_bytes_ ? Status() : beyond_limit("memory");
}

// A bound that no value of a column is greater than, as unsigned integers.
std::uint64_t DecodedBlock::greatest_of(std::size_t group, std::size_t index, ArgType type,
                                        std::span<const std::uint64_t> ints) const {
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  if (data_.column_zone(group, index, type, &least, &greatest)) {
    return least <= greatest ? greatest : UINT64_MAX;  // signed, and some are negative
  }
  if (ints.size() > kFew) return UINT64_MAX;
  for (const std::uint64_t value : ints) greatest = std::max(greatest, value);
  return greatest;
}

// A deque would keep addresses; instead columns_ points at the vectors' memory, which a move leaves in place.
format::ColumnValues& DecodedBlock::next_values() {
  if (values_used_ == values_.size()) values_.emplace_back();
  format::ColumnValues& values = values_[values_used_++];
  values.place_in(arena_.get());
  return values;
}

Status DecodedBlock::decode_column(std::size_t group, std::size_t index, ArgType type, format::PackedStrings packed,
                                   text::Column* column) {
  format::ColumnValues& values = next_values();
  std::size_t records = data_.groups()[group].records;
  if (data_.decode_constant(group, index, type, &values)) {
    records = 1;
    column->mask = 0;
  } else {
    if (Status status = add_bytes(records * decoded_size(type)); !status.ok()) return status;
    if (Status status = data_.decode_column(group, index, type, &values, packed); !status.ok()) return status;
    if (Status status = add_bytes(values.arena.size()); !status.ok()) return status;
  }
  column->type = type;
  if (is_string(type)) return view_strings(values, records, column);
  std::size_t got;
  if (is_wide(type)) {
    column->wide = values.bytes.data();
    got = values.bytes.size() / 16;
  } else {
    column->ints = values.ints.data();
    column->greatest = greatest_of(group, index, type, values.ints);
    got = values.ints.size();
  }
  return got == records ? Status() : corrupt("a column is too short");
}

Status DecodedBlock::view_strings(format::ColumnValues& values, std::size_t records, text::Column* column) {
  if (values.form == format::StringForm::kShapes) {
    column->shapes = view_shapes(values.shaped);
    return add_bytes(values.shaped.bytes_held());
  }
  column->facts = values.facts;
  std::size_t got;
  if (values.form == format::StringForm::kCodes) {
    column->codes = values.ints.data();
    column->strings = values.table.data();
    got = values.ints.size();
  } else {
    column->strings = values.strings.data();
    got = values.strings.size();
  }
  return got == records ? Status() : corrupt("a column is too short");
}

const text::StringShapes* DecodedBlock::view_shapes(format::ShapedStrings& shaped) {
  static_assert(text::StringShapes::kShapeBits == format::ShapedStrings::kShapeBits);
  auto view = std::make_unique<text::StringShapes>();
  if (!shaped.has_one_shape()) view->places = shaped.places().data();
  view->shapes.resize(shaped.counts().size());
  text::StringPiece& other = view->shapes[0].emplace_back();
  other.kind = text::StringPiece::Kind::kText;
  other.values.type = ArgType::kString;
  other.values.strings = shaped.others().data();
  other.values.facts = shaped.facts_of_others();
  for (std::size_t k = 1; k < shaped.counts().size(); ++k) {
    for (const format::ShapedPart& part : shaped.parts_of(k)) view->shapes[k].push_back(view_of(part));
  }
  return shapes_.emplace_back(std::move(view)).get();
}

}  // namespace steno::reader
