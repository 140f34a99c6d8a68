#include "format/data_reader.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string>

#include "format/codecs/int_column.h"
#include "format/codecs/string_codec.h"
#include "format/codecs/wide_column.h"
#include "format/rows.h"

namespace steno::format {
namespace {

constexpr std::size_t kFixedHeader = 32;                             // file.md §6
constexpr std::uint64_t kMostStackedBytes = std::uint64_t{1} << 29;  // of a block, decoded
constexpr std::uint32_t kNoStack = UINT32_MAX;

Status corrupt(const std::string& what) {
  return Status(StatusCode::kCorrupt, "columns block: " + what);
}

// Names are of ids, whatever the type of the column: 16-byte columns share those of integers.
const char* codec_name(std::uint8_t id) {
  if (const IntCodec* codec = find_int_codec(id)) return codec->name;
  if (const StringCodec* codec = find_string_codec(id)) return codec->name;
  return "unknown";
}

bool is_known(ArgType type, std::uint8_t id) {
  if (is_string(type)) return find_string_codec(id) != nullptr;
  if (fixed_size(type) == kWideSize) return id <= static_cast<std::uint8_t>(CodecId::kConstant);
  return find_int_codec(id) != nullptr;
}

Status damaged(const char* what, std::span<const std::uint8_t> column, ArgType type) {
  if (!column.empty() && !is_known(type, column[0])) {
    return Status(StatusCode::kUnsupported,
                  std::string(what) + " has codec " + std::to_string(column[0]) +
                      ", which this program does not know: use a newer steno, or one with zstd");
  }
  return corrupt(std::string(what) + " is damaged");
}

IntsResult decode_values(std::span<const std::uint8_t> bytes, ArgType type, std::size_t n,
                         const SharedDictionaries* shared, ColumnValues* values) {
  ByteReader in(bytes.data(), bytes.size());
  bool good = false;
  if (is_string(type)) {
    values->strings.resize(n);
    good = decode_strings(in, n, {.shared = shared}, &values->arena, values->strings.data());
  } else if (fixed_size(type) == kWideSize) {
    values->bytes.resize(n * kWideSize);
    good = decode_wide(in, n, values->bytes.data());
  } else {
    values->ints.resize(n);
    const IntsResult result = read_ints(in, IntType::of(type), n, 0, values->ints.data());
    if (result == IntsResult::kOutside) return result;
    good = result == IntsResult::kRead;
  }
  return good && in.at_end() ? IntsResult::kRead : IntsResult::kDamaged;
}

}  // namespace

struct DataBlock::Impl {
  using Bytes = std::span<const std::uint8_t>;

  // A column that the groups of a stack share: decoded whole, by whoever needs a group's first.
  struct Stacked {
    std::once_flag once;
    ArgType type{};
    IntsResult result = IntsResult::kDamaged;
    ColumnValues values;
  };
  struct Stack {
    std::uint32_t records = 0;
    std::uint32_t first_column = 0;  // index into columns
    std::unique_ptr<Stacked[]> columns;
  };

  std::unique_ptr<std::uint8_t[]> kept;  // what the views below are of, if that is ours
  std::uint32_t records = 0;
  std::uint64_t min_clock = 0;
  std::uint64_t max_clock = 0;
  std::array<std::uint64_t, kLevelCount> levels{};
  std::vector<Run> runs;
  std::vector<GroupView> groups;
  std::vector<std::uint32_t> first_column;  // per group, index into columns
  std::vector<Bytes> columns;
  std::vector<Stack> stacks;
  std::vector<std::uint32_t> stack_of;     // per group; kNoStack. Empty: no group is in one
  std::vector<std::uint32_t> first_value;  // per group: where its values begin in the columns of its stack
  mutable std::atomic<std::uint64_t> stacked_bytes{0};
  Bytes order;
  Bytes clock;
  bool is_rows = false;
  std::vector<std::uint64_t> redacted;  // columns, as column_key(), in order
  const SharedDictionaries* shared = nullptr;
  RowsBlock rows;  // the rest of it has moved to the members above

  Status parse_columns(Bytes payload);
  Status parse_directory(ByteReader in, std::uint32_t run_count, std::uint32_t group_count, Bytes body);
  bool read_group(std::uint64_t site, ByteReader& in, std::vector<std::uint32_t>* lengths);
  bool read_stack(std::uint32_t most, ByteReader& in, std::vector<std::uint32_t>* lengths);
  Status take_rows(RowsBlock block);
  void find_redacted(const LayoutSource& layouts);
  static std::uint64_t column_key(std::size_t group, std::size_t column) { return std::uint64_t{group} << 32 | column; }
  bool is_redacted(std::size_t group, std::size_t column) const {
    return !redacted.empty() && std::binary_search(redacted.begin(), redacted.end(), column_key(group, column));
  }
  // nullptr unless there is such a column in a columns block.
  const Bytes* column(std::size_t group, std::size_t column) const;
  // nullptr: the group is in no stack.
  const Stack* stack(std::size_t group) const;
  Status copy_stacked(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const;
  Status copy_row_column(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const;
};

Status DataBlock::Impl::parse_columns(Bytes payload) {
  ByteReader in(payload.data(), payload.size());
  min_clock = in.get<std::uint64_t>();
  max_clock = in.get<std::uint64_t>();
  records = in.get<std::uint32_t>();
  const auto run_count = in.get<std::uint32_t>();
  const auto group_count = in.get<std::uint32_t>();
  const auto directory_size = in.get<std::uint32_t>();
  const std::uint8_t* directory = in.take(directory_size);
  if (directory == nullptr) return corrupt("it ends too early");
  if (records == 0 || records > kMaxRecords || run_count > directory_size / kLeastRun || group_count > records ||
      min_clock > max_clock) {
    return corrupt("impossible counts");
  }
  return parse_directory(ByteReader(directory, directory_size), run_count, group_count,
                         payload.subspan(kFixedHeader + directory_size));
}

bool DataBlock::Impl::read_group(std::uint64_t site, ByteReader& in, std::vector<std::uint32_t>* lengths) {
  const std::uint64_t logger = in.get_varint();
  const std::uint64_t count = in.get_varint();
  const std::uint64_t column_count = in.get_varint();
  // A length takes a byte at least, so the directory's size bounds what is kept.
  if (!in.ok() || site > UINT32_MAX || logger > UINT16_MAX || count == 0 || count > records ||
      column_count > in.remaining()) {
    return false;
  }
  first_column.push_back(static_cast<std::uint32_t>(lengths->size()));
  groups.push_back({static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(logger),
                    static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(column_count)});
  for (std::uint64_t i = 0; i < column_count; ++i) {
    const std::uint64_t length = in.get_varint();
    if (length > kMaxPayload) return false;
    lengths->push_back(static_cast<std::uint32_t>(length));
  }
  return in.ok();
}

// Groups that share columns, at most so many.
bool DataBlock::Impl::read_stack(std::uint32_t most, ByteReader& in, std::vector<std::uint32_t>* lengths) {
  const std::uint64_t count = in.get_varint();
  const std::uint64_t column_count = in.get_varint();
  if (!in.ok() || count == 0 || count > most || column_count > in.remaining()) return false;
  Stack stack;
  stack.first_column = static_cast<std::uint32_t>(lengths->size());
  for (std::uint64_t i = 0; i < column_count; ++i) {
    const std::uint64_t length = in.get_varint();
    if (length > kMaxPayload) return false;
    lengths->push_back(static_cast<std::uint32_t>(length));
  }
  std::array<std::vector<std::uint64_t>, 3> facts;  // sites, loggers, records
  for (auto& column : facts) {
    column.resize(count);
    if (!in.ok() || !decode_ints(in, kTypeU32, count, 0, column.data())) return false;
  }
  stack_of.resize(groups.size(), kNoStack);
  first_value.resize(groups.size(), 0);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [sites, loggers, counts] = facts;
    if (sites[i] == 0 || loggers[i] > UINT16_MAX || counts[i] == 0 || counts[i] > records) return false;
    first_column.push_back(stack.first_column);
    groups.push_back({static_cast<std::uint32_t>(sites[i]), static_cast<std::uint32_t>(loggers[i]),
                      static_cast<std::uint32_t>(counts[i]), static_cast<std::uint32_t>(column_count)});
    stack_of.push_back(static_cast<std::uint32_t>(stacks.size()));
    first_value.push_back(static_cast<std::uint32_t>(sum));
    sum += counts[i];
    if (sum > records) return false;
  }
  stack.records = static_cast<std::uint32_t>(sum);
  stack.columns = std::make_unique<Stacked[]>(column_count);
  stacks.push_back(std::move(stack));
  return true;
}

Status DataBlock::Impl::parse_directory(ByteReader in, std::uint32_t run_count, std::uint32_t group_count, Bytes body) {
  std::uint64_t by_level = 0;
  for (std::uint64_t& count : levels) {
    count = in.get_varint();
    if (count > records) return corrupt("impossible counts");
    by_level += count;
  }
  std::uint64_t in_runs = 0;
  for (std::uint32_t i = 0; i < run_count; ++i) {
    if (!read_run(in, &runs.emplace_back())) return corrupt("damaged run");
    in_runs += runs.back().records;
  }
  std::uint64_t in_groups = 0;
  std::vector<std::uint32_t> lengths;
  while (groups.size() < group_count) {
    const std::size_t before = groups.size();
    const std::uint64_t site = in.get_varint();
    const bool good = site == 0 ? read_stack(group_count - static_cast<std::uint32_t>(before), in, &lengths)
                                : read_group(site, in, &lengths);
    if (!good) return corrupt("damaged group");
    for (std::size_t g = before; g < groups.size(); ++g) in_groups += groups[g].records;
  }
  if (!stacks.empty()) stack_of.resize(groups.size(), kNoStack);
  if (by_level != records || in_runs != records || in_groups != records) {
    return corrupt("its levels, runs or groups do not sum up");
  }
  const std::uint64_t order_size = in.get_varint();
  const std::uint64_t clock_size = in.get_varint();
  if (!in.ok()) return corrupt("damaged directory");  // what comes after the directory is a gap
  ByteReader bytes(body.data(), body.size());
  const auto take = [&](std::uint64_t size) {
    const std::uint8_t* p = bytes.take(size);
    return p != nullptr ? Bytes(p, size) : Bytes();
  };
  order = take(order_size);
  clock = take(clock_size);
  columns.reserve(lengths.size());
  for (const std::uint32_t length : lengths) columns.push_back(take(length));
  if (!bytes.ok() || !bytes.at_end()) return corrupt("its columns do not fill it");
  return Status();
}

Status DataBlock::Impl::take_rows(RowsBlock block) {
  is_rows = true;
  records = static_cast<std::uint32_t>(block.order.size());
  const auto [least, greatest] = std::minmax_element(block.clocks.begin(), block.clocks.end());
  min_clock = *least;
  max_clock = *greatest;
  runs = std::move(block.runs);
  groups = std::move(block.groups);
  first_column = std::move(block.first_column);
  rows = std::move(block);
  return Status();
}

void DataBlock::Impl::find_redacted(const LayoutSource& layouts) {
  if (!layouts.redacts_any()) return;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::uint32_t c = 0; c < groups[g].columns; ++c) {
      if (layouts.redacts(groups[g].site, c)) redacted.push_back(column_key(g, c));
    }
  }
}

const DataBlock::Impl::Bytes* DataBlock::Impl::column(std::size_t group, std::size_t column) const {
  if (is_rows || group >= groups.size() || column >= groups[group].columns) return nullptr;
  return &columns[first_column[group] + column];
}

const DataBlock::Impl::Stack* DataBlock::Impl::stack(std::size_t group) const {
  return group >= stack_of.size() || stack_of[group] == kNoStack ? nullptr : &stacks[stack_of[group]];
}

Status DataBlock::Impl::copy_stacked(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const {
  const Stack& from = *stack(group);
  const Bytes& bytes = columns[from.first_column + column];
  Stacked& all = from.columns[column];
  std::call_once(all.once, [&] {
    all.type = type;
    const std::uint64_t size = is_string(type) ? sizeof(std::string_view) : std::max(8u, fixed_size(type));
    if (stacked_bytes.fetch_add(from.records * size, std::memory_order_relaxed) > kMostStackedBytes) return;
    all.result = decode_values(bytes, type, from.records, shared, &all.values);
  });
  if (all.type != type) return corrupt("sites of one stack have different types");
  if (all.result == IntsResult::kOutside) return corrupt("a column has values outside of the zone that it states");
  if (all.result != IntsResult::kRead) return damaged("a column", bytes, type);
  const std::size_t first = first_value[group];
  const std::size_t n = groups[group].records;
  const auto copy = [](const auto& whole, std::size_t begin, std::size_t count, auto* out) {
    if (!whole.empty())
      out->assign(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                  whole.begin() + static_cast<std::ptrdiff_t>(begin + count));
  };
  copy(all.values.ints, first, n, &values->ints);
  copy(all.values.strings, first, n, &values->strings);
  copy(all.values.bytes, first * kWideSize, n * kWideSize, &values->bytes);
  return Status();
}

Status DataBlock::Impl::copy_row_column(std::size_t group, std::size_t column, ArgType type,
                                        ColumnValues* values) const {
  if (group >= groups.size() || column >= groups[group].columns) {
    return Status(StatusCode::kInvalidArgument, "the block has no such column");
  }
  const RowsBlock::Column& from = rows.columns[first_column[group] + column];
  if (from.type != type) return Status(StatusCode::kInvalidArgument, "the column has another type");
  values->ints = from.ints;
  values->strings = from.strings;
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

Status DataBlock::decode_order(std::vector<std::uint32_t>* groups) const {
  if (impl_->is_rows) {
    *groups = impl_->rows.order;
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
    if (index != 0) return corrupt("its order does not fit its groups");
    groups->assign(n, 0);
    return Status();
  }
  std::vector<std::uint64_t> indices(n);
  ByteReader in(impl_->order.data(), impl_->order.size());
  if (!decode_ints(in, kTypeU32, n, 0, indices.data()) || !in.at_end()) {
    return damaged("the order column", impl_->order, ArgType::kU32);
  }
  // Readers walk each group's columns by this column: it must name each group as often as it has records.
  groups->resize(n);
  if (impl_->groups.size() == 1) {
    for (const std::uint64_t index : indices) {
      if (index != 0) return corrupt("its order does not fit its groups");
    }
    std::fill(groups->begin(), groups->end(), 0);
    return Status();
  }
  std::vector<std::uint32_t> left(impl_->groups.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = impl_->groups[i].records;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t index = indices[i];
    if (index >= left.size() || left[index] == 0) return corrupt("its order does not fit its groups");
    --left[index];
    (*groups)[i] = static_cast<std::uint32_t>(index);
  }
  return Status();
}

Status DataBlock::decode_clocks(std::vector<std::uint64_t>* clocks) const {
  if (impl_->is_rows) {
    *clocks = impl_->rows.clocks;
    return Status();
  }
  clocks->resize(impl_->records);
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
    return corrupt("it has times outside of the range that it states");
  }
  return Status();
}

Status DataBlock::decode_column(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const {
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
  switch (decode_values(*bytes, type, impl_->groups[group].records, impl_->shared, values)) {
    case IntsResult::kRead:
      return Status();
    case IntsResult::kOutside:
      return corrupt("a column has values outside of the zone that it states");
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
         decode_values(*bytes, type, 1, impl_->shared, values) == IntsResult::kRead;
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
  return bytes != nullptr ? *bytes : std::span<const std::uint8_t>();
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
