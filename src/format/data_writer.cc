#include "format/data_writer.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "format/block.h"
#include "format/ints/column.h"
#include "format/ints/wide_column.h"
#include "format/related_columns.h"
#include "format/rows.h"
#include "format/shown_columns.h"
#include "format/stacks.h"
#include "format/strings/codec.h"
#include "format/strings/shared/codec.h"

namespace steno::format {
namespace {

constexpr std::size_t kFixedHeader = 32;  // file.md §6
// Most bytes that parts of a directory can take.
constexpr std::size_t kMaxRunBytes = 40;
constexpr std::size_t kMaxGroupBytes = 20;
constexpr std::size_t kMaxLengthBytes = 5;
constexpr std::size_t kMaxStackedBytes = 32;  // of a group in a stack
constexpr std::size_t kMaxStackBytes = 4096;  // of a stack, columns of few values included
// A gap after the directory is left (zeros) rather than closed where it is less than this share of the columns.
constexpr std::size_t kCheapGap = 1024;
// The number by which order and clock are known: no site is that large.
constexpr std::uint64_t kBlockColumns = UINT64_MAX;

// Neighbours of four bytes each.
bool makes_pair(const wire::Field& a, const wire::Field& b) {
  return fixed_size(a.type) == 4 && fixed_size(b.type) == 4 && b.offset == a.offset + 4 && !is_string(b.type);
}

// Numbers that may follow from others.
bool is_counted(ArgType type) {
  return type == ArgType::kI32 || type == ArgType::kI64 || type == ArgType::kU32 || type == ArgType::kU64 ||
         type == ArgType::kPointer;
}

// The number by which the column of an argument is known from block to block; 0: a stack's column has none.
std::uint64_t column_key(const Group& group, std::size_t argument) {
  return group.site == 0 ? 0 : std::uint64_t{group.site} << 16 | (argument & 0xFFFF);
}

}  // namespace

struct DataWriter::Scratch {
  explicit Scratch(std::size_t shared_bytes) : share_strings(shared_bytes != 0), shared(shared_bytes) {}

  bool share_strings;
  SharedStrings shared;
  IntScratch ints;
  StringMemory string_memory{ints};
  StringContext strings{string_memory};  // of the column under way
  ByteBuffer directory;
  ByteBuffer strings_block;
  Stacker stacker;
  std::vector<std::uint32_t> sites, loggers, counts;  // of the groups of a stack
  std::vector<std::uint32_t> lengths;                 // of columns: order, clock, then group by group, stack by stack
  // Per record of a group, where the bytes of its second string are, of its third one, and so on.
  std::vector<std::vector<std::uint32_t>> payloads;
  std::vector<std::uint32_t> cursors;
  std::vector<std::uint32_t> pair[2];  // two columns, gathered together
  std::vector<std::uint32_t> zeros;    // offsets of values that are the same in all records
  RelatedColumns related;
  ShownColumns shown;

  void end_column(std::size_t start, const ByteBuffer& out) {
    lengths.push_back(static_cast<std::uint32_t>(out.size() - start));
  }
  void encode_int_column(const Group& group, std::size_t k, const IntSource& source, ByteBuffer& out) {
    const std::size_t start = out.size();
    const std::uint64_t key = column_key(group, k);
    begin_ints(ints, key);
    if (!related.append_again(k, key, ints, out)) {
      encode_ints(source, IntHint::kAny, ints, out);
      related.replace(k, start, ints, out);
    }
    end_column(start, out);
  }
  void begin_related(const BlockInput& input, const Group& group);
  void encode_group(const BlockInput& input, const Group& group, ByteBuffer& out);
  void encode_constants(const Group& group, ByteBuffer& out);
  void encode_stacks(const BlockInput& input, ByteBuffer& out);
  void encode_string_column(const BlockInput& input, const Group& group, std::size_t k, std::size_t number,
                            ByteBuffer& out);
  void place_parts(std::size_t start, SessionTag tag, ByteBuffer& out);
  void append_directory(const BlockInput& input, std::size_t own_groups);
  void append_stack(const BlockInput& input, const Stacker::Stack& stack, const std::uint32_t** lengths);
  // Writes the directory into the `room` left for it at `at`, before the columns; closes the gap after it, or counts
  // it in. Returns the directory's size.
  std::size_t place_directory(const BlockInput& input, std::size_t own_groups, std::size_t at, std::size_t room,
                              ByteBuffer& out);
};

void DataWriter::Scratch::begin_related(const BlockInput& input, const Group& group) {
  const std::vector<wire::Field>& fields = group.layout_of_records().fields;
  const bool is_stack = group.site == 0;
  if (is_stack || group.records < kZonedColumn) return related.begin(0);
  related.begin(fields.size());
  const std::uint32_t* const offsets = input.offsets.data() + group.first;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const std::byte* const data = input.base_of(group) + fields[k].offset;
    if (is_counted(fields[k].type)) related.set(k, {IntType::of(fields[k].type), group.records, data, offsets});
  }
}

void DataWriter::Scratch::encode_group(const BlockInput& input, const Group& group, ByteBuffer& out) {
  begin_related(input, group);
  shown.begin(group.layout_of_records().fields.size());
  const std::uint32_t* offsets = input.offsets.data() + group.first;
  const wire::Layout& layout = group.layout_of_records();
  const std::vector<wire::Field>& fields = layout.fields;
  std::size_t strings_seen = 0;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const wire::Field& field = fields[k];
    const std::byte* data = input.base_of(group) + field.offset;
    if (is_string(field.type)) {
      const std::size_t start = out.size();
      strings.shared = share_strings ? shared.of(group.site, static_cast<std::uint32_t>(k)) : nullptr;
      strings.column = column_key(group, k);
      begin_ints(ints, strings.column);
      encode_string_column(input, group, k, strings_seen++, out);
      end_column(start, out);
    } else if (fixed_size(field.type) == kWideSize) {
      const std::size_t start = out.size();
      encode_wide(data, offsets, group.records, out);
      end_column(start, out);
    } else if (group.records >= kShortColumn && k + 1 < fields.size() && makes_pair(field, fields[k + 1])) {
      const IntSource source{IntType::of(field.type), group.records, data, offsets};
      for (auto& column : pair) column.resize(round_up(group.records, kMiniBlock));
      gather_pair(source, pair[0].data(), pair[1].data());
      encode_int_column(group, k, IntSource::array(pair[0].data(), group.records, source.type), out);
      ++k;
      encode_int_column(group, k, IntSource::array(pair[1].data(), group.records, IntType::of(fields[k].type)), out);
    } else {
      encode_int_column(group, k, {IntType::of(field.type), group.records, data, offsets}, out);
    }
  }
  if (group.own_layout != nullptr) encode_constants(group, out);
}

// Encodes the constants of a group as if each record had them.
void DataWriter::Scratch::encode_constants(const Group& group, ByteBuffer& out) {
  const std::uint32_t begin = group.own_layout->fixed_end;
  const auto* const values = reinterpret_cast<const std::byte*>(group.constants.data());
  const std::byte* payload = values + (group.layout->fixed_end - begin);
  zeros.resize(std::max<std::size_t>(zeros.size(), group.records));
  for (std::size_t k = group.own_layout->fields.size(); k < group.layout->fields.size(); ++k) {
    const wire::Field& field = group.layout->fields[k];
    const std::byte* const value = values + (field.offset - begin);
    const std::size_t start = out.size();
    begin_ints(ints, column_key(group, k));
    if (is_string(field.type)) {
      const StringRef text{reinterpret_cast<const std::uint8_t*>(payload), load<std::uint32_t>(value)};
      payload += text.bytes();
      encode_constant_string(text, out);
    } else if (fixed_size(field.type) == kWideSize) {
      encode_wide(value, zeros.data(), group.records, out);
    } else {
      encode_ints({IntType::of(field.type), group.records, value, zeros.data()}, IntHint::kAny, ints, out);
    }
    end_column(start, out);
  }
}

void DataWriter::Scratch::encode_stacks(const BlockInput& input, ByteBuffer& out) {
  BlockInput stacked = input;
  stacked.offsets = stacker.offsets();
  // Strings of many statements are no column of a dictionary's.
  const bool shares = std::exchange(share_strings, false);
  for (const Stacker::Stack& stack : stacker.stacks()) encode_group(stacked, stack.all, out);
  share_strings = shares;
}

// `number`: of the strings of a record, from 0.
void DataWriter::Scratch::encode_string_column(const BlockInput& input, const Group& group, std::size_t k,
                                               std::size_t number, ByteBuffer& out) {
  const wire::Layout& layout = group.layout_of_records();
  const wire::Field& field = layout.fields[k];
  StringSource source;
  source.count = group.records;
  source.base = input.base_of(group);
  source.offsets = input.offsets.data() + group.first;
  source.slot = field.offset;
  source.payload = layout.fixed_end;
  if (number != 0) source.payloads = payloads[number - 1].data();
  const std::size_t start = out.size();
  const bool plain = field.type == ArgType::kString;
  if (plain) shown.set(k, source);
  if (!plain || !shown.append_again(k, strings.column, strings, out)) {
    encode_strings(source, strings, out);
    if (plain) shown.replace(k, start, strings, out);
  }
  if (number + 1 == layout.strings) return;
  // types.md: payloads follow one another, so where the next one starts depends on the lengths of this.
  if (payloads.size() == number) payloads.emplace_back();
  std::vector<std::uint32_t>& next = payloads[number];
  next.resize(group.records);
  for (std::size_t i = 0; i < source.count; ++i) {
    const std::uint32_t begin = number == 0 ? source.payload : source.payloads[i];
    next[i] = begin + static_cast<std::uint32_t>(source.at(i).bytes());
  }
}

// Puts the strings that the block at `start` is the first to need before it: a write that is cut short leaves none that
// needs more than is there.
void DataWriter::Scratch::place_parts(std::size_t start, SessionTag tag, ByteBuffer& out) {
  ByteBuffer& parts = shared.parts();
  if (parts.empty()) return;
  const std::size_t data_size = out.size() - start;
  strings_block.clear();
  append_block(strings_block, BlockType::kStrings, tag, {parts.data(), parts.size()});
  parts.clear();
  out.grow(strings_block.size());
  std::memmove(out.data() + start + strings_block.size(), out.data() + start, data_size);
  std::memcpy(out.data() + start, strings_block.data(), strings_block.size());
  shared.keep_bound();
}

void DataWriter::Scratch::append_stack(const BlockInput& input, const Stacker::Stack& stack,
                                       const std::uint32_t** lengths_of) {
  directory.put_varint(0);
  directory.put_varint(stack.groups);
  directory.put_varint(stack.all.layout->fields.size());
  for (std::size_t i = 0; i < stack.all.layout->fields.size(); ++i) directory.put_varint(*(*lengths_of)++);
  sites.clear();
  loggers.clear();
  counts.clear();
  for (const Group& group : input.groups.subspan(stack.first_group, stack.groups)) {
    sites.push_back(group.site);
    loggers.push_back(group.logger);
    counts.push_back(group.records);
  }
  for (const auto* column : {&sites, &loggers, &counts}) {
    encode_ints(IntSource::array(column->data(), column->size(), kTypeU32), IntHint::kAny, ints, directory);
  }
}

void DataWriter::Scratch::append_directory(const BlockInput& input, std::size_t own_groups) {
  directory.clear();
  std::uint64_t levels[kLevelCount] = {};
  for (const Group& group : input.groups) levels[static_cast<unsigned>(group.level)] += group.records;
  for (const std::uint64_t count : levels) directory.put_varint(count);
  for (const Run& run : input.runs) append_run(run, directory);
  const std::uint32_t* length = lengths.data() + 2;
  for (const Group& group : input.groups.first(own_groups)) {
    directory.put_varint(group.site);
    directory.put_varint(group.logger);
    directory.put_varint(group.records);
    directory.put_varint(group.layout->fields.size());
    for (std::size_t i = 0; i < group.layout->fields.size(); ++i) directory.put_varint(*length++);
  }
  if (own_groups != input.groups.size()) {
    for (const Stacker::Stack& stack : stacker.stacks()) append_stack(input, stack, &length);
  }
  directory.put_varint(lengths[0]);
  directory.put_varint(lengths[1]);
}

std::size_t DataWriter::Scratch::place_directory(const BlockInput& input, std::size_t own_groups, std::size_t at,
                                                 std::size_t room, ByteBuffer& out) {
  append_directory(input, own_groups);
  const std::size_t size = directory.size();
  const std::size_t gap = room - size;
  const std::size_t columns_size = out.size() - at - room;
  std::uint8_t* p = out.data() + at;
  std::memcpy(p, directory.data(), size);
  if (gap * kCheapGap <= columns_size) {
    std::memset(p + size, 0, gap);
    return room;
  }
  std::memmove(p + size, p + room, columns_size);
  out.truncate(out.size() - gap);
  return size;
}

DataWriter::DataWriter(WriterOptions options)
    : options_(options), scratch_(std::make_unique<Scratch>(options.shared_bytes)) {
  scratch_->strings.zstd_level = options.zstd_level;
}

DataWriter::~DataWriter() = default;

bool DataWriter::write(const BlockInput& all, SessionTag session_tag, ByteBuffer& out, Effort effort) {
  Scratch& scratch = *scratch_;
  const std::size_t records = all.order.size();
  assert(records >= 1 && records <= kMaxRecords && all.clocks.size() == records && all.offsets.size() == records);
  if (records < options_.rows_below) {
    append_rows_block(all, session_tag, scratch.cursors, out);
    return false;
  }
  scratch.strings.quick = effort == Effort::kQuick;
  scratch.string_memory.left_out = false;
  scratch.ints.quick = effort != Effort::kFull;
  scratch.ints.left_out = false;
  const bool stacked = options_.stack_groups && scratch.stacker.arrange(all);
  const BlockInput& input = stacked ? scratch.stacker.block() : all;
  const std::size_t own_groups = stacked ? scratch.stacker.own_groups() : input.groups.size();

  const std::size_t start = begin_block(out, BlockType::kColumns, session_tag);
  const std::size_t fixed = out.size();
  // The directory holds lengths that are known at the end. Room for the largest it can be.
  std::size_t room = kLevelCount * kMaxLengthBytes + input.runs.size() * kMaxRunBytes + 2 * kMaxLengthBytes;
  for (const Group& group : input.groups.first(own_groups)) {
    room += kMaxGroupBytes + group.layout->fields.size() * kMaxLengthBytes;
  }
  room += (input.groups.size() - own_groups) * kMaxStackedBytes;
  if (stacked) room += scratch.stacker.stacks().size() * kMaxStackBytes;
  out.grow(kFixedHeader + room);

  scratch.lengths.clear();
  const auto block_column = [&](const IntSource& source, IntHint hint) {
    const std::size_t at = out.size();
    encode_ints(source, hint, scratch.ints, out);
    scratch.lengths.push_back(static_cast<std::uint32_t>(out.size() - at));
    return ByteReader(out.data() + at, out.size() - at);
  };
  begin_ints(scratch.ints, kBlockColumns);
  block_column(IntSource::array(input.order.data(), records, kTypeU32), IntHint::kOffsets);
  const ByteReader clock = block_column(IntSource::array(input.clocks.data(), records, kTypeU64), IntHint::kDeltas);
  Zone zone;
  if (!read_zone(clock, kTypeU64, records, &zone)) {
    const auto [least, greatest] = std::minmax_element(input.clocks.begin(), input.clocks.end());
    zone = {*least, *greatest};
  }
  for (const Group& group : input.groups.first(own_groups)) scratch.encode_group(input, group, out);
  if (stacked) scratch.encode_stacks(input, out);

  const std::size_t directory_size = scratch.place_directory(input, own_groups, fixed + kFixedHeader, room, out);
  std::uint8_t* p = out.data() + fixed;
  store(p, zone.least);
  store(p + 8, zone.greatest);
  store(p + 16, static_cast<std::uint32_t>(records));
  store(p + 20, static_cast<std::uint32_t>(input.runs.size()));
  store(p + 24, static_cast<std::uint32_t>(input.groups.size()));
  store(p + 28, static_cast<std::uint32_t>(directory_size));
  const bool left_out = effort == Effort::kQuick && (scratch.string_memory.left_out || scratch.ints.left_out);
  if (left_out) add_flags(out, start, kQuickFlag);
  end_block(out, start);
  scratch.place_parts(start, session_tag, out);
  return left_out;
}

void DataWriter::begin_stretch() {
  scratch_->shared.begin_stretch();
}

void DataWriter::begin_session(std::uint64_t first) {
  scratch_->shared.begin_session(first);
}

}  // namespace steno::format
