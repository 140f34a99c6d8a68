// Records in memory as the columns of a block.
#include <algorithm>
#include <cstring>

#include "format/ints/source.h"
#include "reader/decoded_block.h"
#include "wire/record.h"

namespace steno::reader {
namespace {

template <class T>
void gather_ints(const std::byte* data, std::span<const std::uint32_t> offsets, format::IntType type,
                 RawVector<std::uint64_t>* out) {
  resize_anew(*out, offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    (*out)[i] = type.extend(load<T>(data + std::size_t{offsets[i]} * 8));
  }
}

void gather_ints(const std::byte* data, std::span<const std::uint32_t> offsets, ArgType argument,
                 RawVector<std::uint64_t>* out) {
  const format::IntType type = format::IntType::of(argument);
  switch (type.bytes) {
    case 1:
      return gather_ints<std::uint8_t>(data, offsets, type, out);
    case 2:
      return gather_ints<std::uint16_t>(data, offsets, type, out);
    case 4:
      return gather_ints<std::uint32_t>(data, offsets, type, out);
    default:
      return gather_ints<std::uint64_t>(data, offsets, type, out);
  }
}

}  // namespace

void DecodedBlock::gather(const Session& session, const format::BlockInput& input, std::uint64_t offset) {
  begin_block();
  file_ = nullptr;
  session_ = &session;
  gathered_ = {};
  gathered_.offset = offset;
  gathered_.records = static_cast<std::uint32_t>(input.order.size());
  entry_ = &gathered_;
  gathered_runs_.clear();
  std::uint32_t start = 0;
  for (const format::Run& run : input.runs) {
    RunEntry& entry = gathered_runs_.emplace_back();
    entry.start = start;
    entry.records = run.records;
    entry.first_seq = run.first_seq;
    start += run.records;
  }
  order_.assign(input.order.begin(), input.order.end());
  clocks_.assign(input.clocks.begin(), input.clocks.end());
  count_rows(input.groups.size());
  resize_anew(walls_, clocks_.size());
  session.clock.walls(clocks_, walls_.data());
  for (const format::Group& source : input.groups) {
    DecodedGroup group;
    group.site = session.dictionary.site(source.site, offset);
    group.logger = session.dictionary.logger(source.logger, offset);
    group.first_column = static_cast<std::uint32_t>(columns_.size());
    if (const wire::Layout* layout = group.site->wire_layout(); layout != nullptr) {
      group.printer = group.site->printer();
      group.columns = static_cast<std::uint32_t>(layout->fields.size());
      payloads_.assign(source.records, layout->fixed_end);
      for (std::size_t i = 0; i < layout->fields.size(); ++i) gather_column(input, source, *group.site, i);
      if (source.site == wire::kSiteDropped && group.columns == 2) date_drops(group);
    }
    groups_.push_back(group);
  }
}

// The values of one argument of a group.
void DecodedBlock::gather_column(const format::BlockInput& input, const format::Group& group, const Site& site,
                                 std::size_t index) {
  format::ColumnValues& values = next_values();
  const wire::Field& field = site.wire_layout()->fields[index];
  const std::span<const std::uint32_t> offsets = input.offsets.subspan(group.first, group.records);
  const std::byte* const data = input.base + field.offset;
  text::Column column;
  column.type = field.type;
  if (site.redacts(index) && !is_string(field.type)) {
    values.strings.assign(1, format::kRedacted);
    column.type = ArgType::kString;
    column.mask = 0;
    column.strings = values.strings.data();
  } else if (is_string(field.type)) {
    resize_anew(values.strings, offsets.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::byte* const record = input.base + std::size_t{offsets[i]} * 8;
      const auto length = load<std::uint32_t>(record + field.offset);
      values.strings[i] = {};
      if (length == kNullString) continue;
      // It was checked when it was walked; a stray pointer may have met it since.
      const std::size_t room = wire::Header::unpack(load<std::uint64_t>(record)).size();
      const std::uint32_t at = payloads_[i];
      const std::size_t size = at <= room ? std::min<std::size_t>(length, room - at) : 0;
      values.strings[i] = {reinterpret_cast<const char*>(record) + at, size};
      payloads_[i] += static_cast<std::uint32_t>(size);
    }
    if (site.redacts(index)) {
      std::fill(values.strings.begin(), values.strings.end(), format::kRedacted);
      column.type = ArgType::kString;
    }
    column.strings = values.strings.data();
  } else if (fixed_size(field.type) == 16) {
    resize_anew(values.bytes, offsets.size() * 16);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      std::memcpy(values.bytes.data() + i * 16, data + std::size_t{offsets[i]} * 8, 16);
    }
    column.wide = values.bytes.data();
  } else {
    gather_ints(data, offsets, field.type, &values.ints);
    column.ints = values.ints.data();
  }
  columns_.push_back(column);
}

}  // namespace steno::reader
