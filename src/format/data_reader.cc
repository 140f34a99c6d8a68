#include "format/data_reader.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "base/scratch.h"
#include "format/data_block_impl.h"
#include "format/ints/column.h"
#include "format/ints/related.h"
#include "format/ints/wide_column.h"
#include "format/rows.h"
#include "format/strings/codec.h"
#include "format/strings/shown/column.h"

namespace steno::format {
namespace {

constexpr std::uint64_t kMostStackedBytes = std::uint64_t{1} << 29;  // of a block, decoded

// Names are of ids, whatever the type of the column: 16-byte columns share those of integers.
const char* codec_name(std::uint8_t id) {
  if (static_cast<CodecId>(id) == CodecId::kRelated) return "related";
  if (static_cast<CodecId>(id) == CodecId::kShownBytes) return "shown_bytes";
  if (const IntCodec* codec = find_int_codec(id)) return codec->name;
  if (const StringCodec* codec = find_string_codec(id)) return codec->name;
  return "unknown";
}

bool is_known(ArgType type, std::uint8_t id) {
  if (is_string(type)) return find_string_codec(id) != nullptr || static_cast<CodecId>(id) == CodecId::kShownBytes;
  if (fixed_size(type) == kWideSize) return id <= static_cast<std::uint8_t>(CodecId::kConstant);
  return find_int_codec(id) != nullptr || static_cast<CodecId>(id) == CodecId::kRelated;
}

Status damaged(const char* what, std::span<const std::uint8_t> column, ArgType type) {
  if (!column.empty() && !is_known(type, column[0])) {
    return Status(StatusCode::kUnsupported,
                  std::string(what) + " has codec " + std::to_string(column[0]) +
                      ", which this program does not know: use a newer steno, or one with zstd");
  }
  return corrupt_columns(std::string(what) + " is damaged");
}

IntsResult decode_values(std::span<const std::uint8_t> bytes, ArgType type, std::size_t n, const StringPlace& place,
                         PackedStrings packed, ColumnValues* values) {
  ByteReader in(bytes.data(), bytes.size());
  bool good = false;
  if (is_string(type)) {
    good = decode_string_values(in, n, place, packed, values);
  } else if (fixed_size(type) == kWideSize) {
    resize_anew(values->bytes, n * kWideSize);
    good = decode_wide(in, n, values->bytes.data());
  } else {
    resize_anew(values->ints, n);
    const IntsResult result = read_ints(in, IntType::of(type), n, 0, values->ints.data());
    if (result == IntsResult::kOutside) return result;
    good = result == IntsResult::kRead;
  }
  return good && in.at_end() ? IntsResult::kRead : IntsResult::kDamaged;
}

}  // namespace

const DataBlock::Impl::Bytes* DataBlock::Impl::column(std::size_t group, std::size_t column) const {
  if (is_rows || group >= groups.size() || column >= groups[group].columns) return nullptr;
  return &columns[first_column[group] + column];
}

const DataBlock::Impl::Stack* DataBlock::Impl::stack(std::size_t group) const {
  return group >= stack_of.size() || stack_of[group] == kNoStack ? nullptr : &stacks[stack_of[group]];
}

// A column takes a byte of the directory, and many more once it is decoded.
DataBlock::Impl::Stacked& DataBlock::Impl::stacked(const Stack& from, std::size_t column) const {
  const std::lock_guard lock(stacked_mutex);
  std::unique_ptr<Stacked>& made = from.columns[column];
  if (made == nullptr) made = std::make_unique<Stacked>();
  return *made;
}

Status DataBlock::Impl::copy_stacked(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const {
  const Stack& from = *stack(group);
  const Bytes& bytes = columns[from.first_column + column];
  Stacked& all = stacked(from, column);
  std::call_once(all.once, [&] {
    all.type = type;
    const std::uint64_t size = is_string(type) ? sizeof(std::string_view) : std::max(8u, fixed_size(type));
    if (stacked_bytes.fetch_add(from.records * size, std::memory_order_relaxed) > kMostStackedBytes) return;
    all.result = decode_values(bytes, type, from.records, place(), PackedStrings::kNone, &all.values);
  });
  if (all.type != type) return corrupt_columns("sites of one stack have different types");
  if (all.result == IntsResult::kOutside)
    return corrupt_columns("a column has values outside of the zone that it states");
  if (all.result != IntsResult::kRead) return damaged("a column", bytes, type);
  const std::size_t first = first_value[group];
  const std::size_t n = groups[group].records;
  const auto copy = [](const auto& whole, std::size_t begin, std::size_t count, auto* out) {
    if (!whole.empty())
      out->assign(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                  whole.begin() + static_cast<std::ptrdiff_t>(begin + count));
  };
  values->facts = all.values.facts;
  copy(all.values.ints, first, n, &values->ints);
  copy(all.values.strings, first, n, &values->strings);
  copy(all.values.bytes, first * kWideSize, n * kWideSize, &values->bytes);
  return Status();
}

IntsResult DataBlock::Impl::decode(std::size_t group, std::size_t column, ArgType type, PackedStrings packed,
                                   ColumnValues* values) const {
  const std::size_t n = groups[group].records;
  const std::span<const Bytes> all = std::span(columns).subspan(first_column[group], groups[group].columns);
  if (type == ArgType::kString && is_shown(all[column])) {
    resize_anew(values->strings, n);
    const bool good = read_shown(all, column, n, place(), &values->arena, values->strings.data());
    values->facts = values->arena.facts();
    return good ? IntsResult::kRead : IntsResult::kDamaged;
  }
  if (!is_string(type) && fixed_size(type) <= 8 && is_related(all[column])) {
    resize_anew(values->ints, n);
    return read_related(all, column, IntType::of(type), n, values->ints.data());
  }
  return decode_values(all[column], type, n, place(), packed, values);
}

Status DataBlock::Impl::copy_row_column(std::size_t group, std::size_t column, ArgType type,
                                        ColumnValues* values) const {
  if (group >= groups.size() || column >= groups[group].columns) {
    return Status(StatusCode::kInvalidArgument, "the block has no such column");
  }
  const RowsBlock::Column& from = rows.columns[first_column[group] + column];
  if (from.type != type) return Status(StatusCode::kInvalidArgument, "the column has another type");
  values->ints.assign(from.ints.begin(), from.ints.end());
  values->strings.assign(from.strings.begin(), from.strings.end());
  values->bytes.resize(from.wide.size() * kWideSize);
  for (std::size_t i = 0; i < from.wide.size(); ++i) {
    std::memcpy(values->bytes.data() + i * kWideSize, from.wide[i], kWideSize);
  }
  return Status();
}

DataBlock::DataBlock() : impl_(std::make_unique<Impl>()) {}
DataBlock::DataBlock(DataBlock&&) noexcept = default;
DataBlock& DataBlock::operator=(DataBlock&&) noexcept = default;
DataBlock::~DataBlock() = default;

Result<DataBlock> DataBlock::open(BlockType type, std::span<const std::uint8_t> payload, const LayoutSource& layouts,
                                  const SharedDictionaries* shared) {
  DataBlock block;
  block.impl_->shared = shared;
  Status status;
  if (type == BlockType::kColumns) {
    status = block.impl_->parse_columns(payload);
  } else if (type == BlockType::kRows) {
    auto rows = parse_rows_block(payload, layouts);
    status = rows.ok() ? block.impl_->take_rows(std::move(rows).value()) : rows.status();
  } else {
    status = Status(StatusCode::kInvalidArgument, "not a data block");
  }
  if (!status.ok()) return status;
  block.impl_->find_redacted(layouts);
  return block;
}

void DataBlock::keep(std::unique_ptr<std::uint8_t[]> bytes) {
  impl_->kept = std::move(bytes);
}

std::uint32_t DataBlock::records() const {
  return impl_->records;
}
std::uint64_t DataBlock::min_clock() const {
  return impl_->min_clock;
}
std::uint64_t DataBlock::max_clock() const {
  return impl_->max_clock;
}
std::span<const std::uint64_t, kLevelCount> DataBlock::level_counts() const {
  return impl_->levels;
}
std::span<const Run> DataBlock::runs() const {
  return impl_->runs;
}
std::span<const DataBlock::GroupView> DataBlock::groups() const {
  return impl_->groups;
}

Status DataBlock::decode_order(RawVector<std::uint32_t>* groups) const {
  if (impl_->is_rows) {
    groups->assign(impl_->rows.order.begin(), impl_->rows.order.end());
    return Status();
  }
  const std::size_t n = impl_->records;
  if (impl_->groups.size() == 1 && !impl_->order.empty() &&
      static_cast<CodecId>(impl_->order[0]) == CodecId::kConstant) {
    std::uint64_t index = 0;
    ByteReader one(impl_->order.data(), impl_->order.size());
    if (!decode_ints(one, kTypeU32, 1, 0, &index) || !one.at_end()) {
      return damaged("the order column", impl_->order, ArgType::kU32);
    }
    if (index != 0) return corrupt_columns("its order does not fit its groups");
    groups->assign(n, 0);
    return Status();
  }
  Scratch::Array<std::uint64_t> indices(Scratch::of_thread(), n);
  ByteReader in(impl_->order.data(), impl_->order.size());
  if (!decode_ints(in, kTypeU32, n, 0, indices.data()) || !in.at_end()) {
    return damaged("the order column", impl_->order, ArgType::kU32);
  }
  // Readers walk each group's columns by this column: it must name each group as often as it has records.
  resize_anew(*groups, n);
  if (impl_->groups.size() == 1) {
    for (const std::uint64_t index : indices.span()) {
      if (index != 0) return corrupt_columns("its order does not fit its groups");
    }
    std::fill(groups->begin(), groups->end(), 0);
    return Status();
  }
  std::vector<std::uint32_t> left(impl_->groups.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = impl_->groups[i].records;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t index = indices[i];
    if (index >= left.size() || left[index] == 0) return corrupt_columns("its order does not fit its groups");
    --left[index];
    (*groups)[i] = static_cast<std::uint32_t>(index);
  }
  return Status();
}

Status DataBlock::decode_clocks(RawVector<std::uint64_t>* clocks) const {
  if (impl_->is_rows) {
    clocks->assign(impl_->rows.clocks.begin(), impl_->rows.clocks.end());
    return Status();
  }
  resize_anew(*clocks, impl_->records);
  ByteReader in(impl_->clock.data(), impl_->clock.size());
  if (!decode_ints(in, kTypeU64, impl_->records, 0, clocks->data()) || !in.at_end()) {
    return damaged("the clock column", impl_->clock, ArgType::kU64);
  }
  // A zone that has been read holds all clocks; without one they are few, or one.
  Zone zone;
  if (!read_zone(ByteReader(impl_->clock.data(), impl_->clock.size()), kTypeU64, impl_->records, &zone)) {
    const auto [least, greatest] = std::minmax_element(clocks->begin(), clocks->end());
    zone = {*least, *greatest};
  }
  if (zone.least < impl_->min_clock || zone.greatest > impl_->max_clock) {
    return corrupt_columns("it has times outside of the range that it states");
  }
  return Status();
}

Status DataBlock::decode_column(std::size_t group, std::size_t column, ArgType type, ColumnValues* values,
                                PackedStrings packed) const {
  values->clear();
  if (impl_->is_redacted(group, column)) {
    values->strings.assign(impl_->groups[group].records, kRedacted);
    return Status();
  }
  if (impl_->is_rows) return impl_->copy_row_column(group, column, type, values);
  const auto* bytes = impl_->column(group, column);
  if (bytes == nullptr || fixed_size(type) == 0) {
    return Status(StatusCode::kInvalidArgument, "the block has no such column");
  }
  if (impl_->stack(group) != nullptr) return impl_->copy_stacked(group, column, type, values);
  switch (impl_->decode(group, column, type, packed, values)) {
    case IntsResult::kRead:
      return Status();
    case IntsResult::kOutside:
      return corrupt_columns("a column has values outside of the zone that it states");
    case IntsResult::kDamaged:
      break;
  }
  return damaged("a column", *bytes, type);
}

bool DataBlock::decode_constant(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const {
  values->clear();
  if (impl_->is_redacted(group, column)) {
    values->strings.assign(1, kRedacted);
    return true;
  }
  const auto* bytes = impl_->column(group, column);
  if (bytes == nullptr || bytes->empty() || fixed_size(type) == 0) return false;
  const auto codec = static_cast<CodecId>((*bytes)[0]);
  return codec == (is_string(type) ? CodecId::kConstantString : CodecId::kConstant) &&
         decode_values(*bytes, type, 1, impl_->place(), PackedStrings::kNone, values) == IntsResult::kRead;
}

bool DataBlock::column_zone(std::size_t group, std::size_t column, ArgType type, std::uint64_t* least,
                            std::uint64_t* greatest) const {
  const auto* bytes = impl_->column(group, column);
  const unsigned size = fixed_size(type);
  if (bytes == nullptr || impl_->is_redacted(group, column) || is_string(type) || size == 0 || size > 8) return false;
  Zone zone;
  const ByteReader in(bytes->data(), bytes->size());
  const Impl::Stack* stack = impl_->stack(group);
  const std::size_t n = stack != nullptr ? stack->records : impl_->groups[group].records;
  if (!read_zone(in, IntType::of(type), n, &zone)) return false;
  *least = zone.least;
  *greatest = zone.greatest;
  return true;
}

const SharedDictionaries* DataBlock::shared() const {
  return impl_->shared;
}

std::span<const std::uint8_t> DataBlock::column_bytes(std::size_t group, std::size_t column) const {
  const bool own = impl_->stack(group) == nullptr && !impl_->is_redacted(group, column);
  const auto* bytes = own ? impl_->column(group, column) : nullptr;
  return bytes != nullptr && !is_related(*bytes) && !is_shown(*bytes) ? *bytes : std::span<const std::uint8_t>();
}

DataBlock::ColumnInfo DataBlock::column_info(std::size_t group, std::size_t column) const {
  if (impl_->is_rows) return {0, "rows"};
  const auto* bytes = impl_->column(group, column);
  if (bytes == nullptr || bytes->empty()) return {};
  std::size_t size = bytes->size();
  if (const Impl::Stack* stack = impl_->stack(group)) {
    const auto until = [&](std::uint64_t value) { return size * value / stack->records; };
    const std::uint64_t first = impl_->first_value[group];
    size = until(first + impl_->groups[group].records) - until(first);
  }
  return {size, codec_name((*bytes)[0])};
}

DataBlock::ColumnInfo DataBlock::order_info() const {
  if (impl_->is_rows) return {0, "rows"};
  return {impl_->order.size(), impl_->order.empty() ? "" : codec_name(impl_->order[0])};
}

DataBlock::ColumnInfo DataBlock::clock_info() const {
  if (impl_->is_rows) return {0, "rows"};
  return {impl_->clock.size(), impl_->clock.empty() ? "" : codec_name(impl_->clock[0])};
}

}  // namespace steno::format
