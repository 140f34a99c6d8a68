#include "sink/records.h"

#include <algorithm>

#include "wire/record.h"

namespace steno::sink {

format::BlockInput Records::input() const {
  format::BlockInput input;
  input.base = reinterpret_cast<const std::byte*>(bytes.data());
  input.runs = runs;
  input.groups = groups;
  input.order = order;
  input.clocks = clocks;
  input.offsets = offsets;
  return input;
}

std::size_t Records::memory() const {
  return bytes.size() + order.size() * (sizeof order[0] + sizeof clocks[0] + sizeof offsets[0]) +
         groups.size() * sizeof groups[0] + runs.size() * sizeof runs[0];
}

std::shared_ptr<const Records> copy_records(const format::BlockInput& input) {
  auto copy = std::make_shared<Records>();
  copy->runs.assign(input.runs.begin(), input.runs.end());
  copy->groups.assign(input.groups.begin(), input.groups.end());
  copy->order.assign(input.order.begin(), input.order.end());
  copy->clocks.assign(input.clocks.begin(), input.clocks.end());
  copy->offsets.resize(input.offsets.size());
  for (format::Group& group : copy->groups) {
    const std::byte* const base = group.base != nullptr ? group.base : input.base;
    for (std::uint32_t i = group.first; i < group.first + group.records; ++i) {
      const std::byte* const record = base + std::size_t{input.offsets[i]} * 8;
      // Not what its header says: of a record in a context that is without the context.
      const std::size_t end = std::min<std::size_t>(group.layout->payloads_end(record), wire::kMaxRecordSize);
      const std::size_t size = round_up(end, 8);
      wire::Header header = wire::Header::unpack(load<std::uint64_t>(record));
      header.size8 = static_cast<std::uint16_t>(size / 8);
      copy->offsets[i] = static_cast<std::uint32_t>(copy->bytes.size() / 8);
      copy->bytes.put(header.pack());
      copy->bytes.put_bytes(record + wire::kHeaderSize, size - wire::kHeaderSize);
    }
    group.layout = nullptr;
    group.base = nullptr;
  }
  return copy;
}

}  // namespace steno::sink
