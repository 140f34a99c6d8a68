#include "sink/records.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "drain/payload_ends.h"
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

namespace {

// The records of a group, one after the other.
void copy_group(const format::BlockInput& input, format::Group& group, Records* copy) {
  const std::byte* const base = group.base != nullptr ? group.base : input.base;
  const drain::PayloadEnds ends(*group.layout);
  for (std::uint32_t i = group.first; i < group.first + group.records; ++i) {
    const std::byte* const record = base + std::size_t{input.offsets[i]} * 8;
    // Not what its header says: of a record in a context that is without the context.
    const std::size_t end = std::min<std::uint64_t>(ends.end(record), wire::kMaxRecordSize);
    const std::size_t size = round_up(end, 8);
    copy->offsets[i] = static_cast<std::uint32_t>(copy->bytes.size() / 8);
    std::uint8_t* const to = copy->bytes.grow(size);
    std::memcpy(to, record, size);
    wire::Header header = wire::Header::unpack(load<std::uint64_t>(to));
    header.size8 = static_cast<std::uint16_t>(size / 8);
    store(to, header.pack());
  }
  group.layout = nullptr;
  group.base = nullptr;
}

}  // namespace

std::shared_ptr<const Records> RecordsPool::copy(const format::BlockInput& input) {
  std::unique_ptr<Records> copy = take();
  copy->bytes.clear();
  copy->runs.assign(input.runs.begin(), input.runs.end());
  copy->groups.assign(input.groups.begin(), input.groups.end());
  copy->order.assign(input.order.begin(), input.order.end());
  copy->clocks.assign(input.clocks.begin(), input.clocks.end());
  copy->offsets.resize(input.offsets.size());
  for (format::Group& group : copy->groups) copy_group(input, group, copy.get());
  const auto give_back = [spare = spare_](Records* records) {
    std::unique_ptr<Records> own(records);
    const std::lock_guard lock(spare->mutex);
    if (spare->records.size() < kMostSpare) spare->records.push_back(std::move(own));
  };
  return {copy.release(), give_back};
}

std::unique_ptr<Records> RecordsPool::take() {
  {
    const std::lock_guard lock(spare_->mutex);
    if (!spare_->records.empty()) {
      std::unique_ptr<Records> records = std::move(spare_->records.back());
      spare_->records.pop_back();
      return records;
    }
  }
  return std::make_unique<Records>();
}

void RecordsPool::trim() {
  std::vector<std::unique_ptr<Records>> unused;
  const std::lock_guard lock(spare_->mutex);
  unused.swap(spare_->records);
}

}  // namespace steno::sink
