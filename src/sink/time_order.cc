#include "sink/time_order.h"

#include <algorithm>
#include <utility>

namespace steno::sink {
namespace {

constexpr std::size_t kMostSpare = 2;

}  // namespace

void TimeOrder::add(std::shared_ptr<const Records> records, const reader::Session& session, std::uint64_t offset,
                    std::int64_t look, const Wanted& wanted) {
  release(std::exchange(taken_, 0));
  Block added;
  if (spare_.empty()) {
    added.decoded = std::make_unique<reader::DecodedBlock>();
  } else {
    added.decoded = std::move(spare_.back());
    spare_.pop_back();
  }
  added.records = std::move(records);
  const format::BlockInput input = added.records->input();
  added.decoded->gather(session, input, offset);
  wanted_.clear();
  for (const reader::DecodedGroup& group : added.decoded->groups()) wanted_.push_back(wanted(group) ? 1 : 0);

  const std::size_t before = items_.size();
  const std::uint64_t number = first_block_ + blocks_.size();
  std::uint32_t i = 0;
  for (const format::Run& run : input.runs) {
    const reader::Thread* const thread = session.dictionary.thread(run.thread, offset);
    std::uint64_t latest = 0;
    for (std::uint32_t end = i + run.records; i < end; ++i) {
      latest = std::max(latest, input.clocks[i]);  // a record never comes before an earlier one of its thread
      if (wanted_[input.order[i]] != 0) items_.push_back({latest, look, number, thread, i});
    }
  }
  added.left = items_.size() - before;
  blocks_.push_back(std::move(added));
  const auto earlier = [](const Item& a, const Item& b) { return a.ticks < b.ticks; };
  const auto middle = items_.begin() + static_cast<std::ptrdiff_t>(before);
  if (!std::is_sorted(middle, items_.end(), earlier)) std::stable_sort(middle, items_.end(), earlier);
  if (middle != items_.end()) {
    std::inplace_merge(std::upper_bound(items_.begin(), middle, *middle, earlier), middle, items_.end(), earlier);
  }
  release(0);
}

std::span<const reader::Slice> TimeOrder::take(std::uint64_t ticks, std::int64_t look) {
  release(std::exchange(taken_, 0));
  std::size_t end = items_.size();
  while (end != 0 && items_[end - 1].ticks > ticks && items_[end - 1].look > look) --end;
  slices_.clear();
  for (std::size_t i = 0; i < end; ++i) {
    const Item& item = items_[i];
    const reader::DecodedBlock* const decoded = block(item.block).decoded.get();
    if (!slices_.empty() && slices_.back().block == decoded && slices_.back().end == item.record &&
        slices_.back().thread == item.thread) {
      ++slices_.back().end;
    } else {
      slices_.push_back({decoded, item.thread, item.record, item.record + 1});
    }
  }
  taken_ = end;
  return slices_;
}

// Removes the first items, and the blocks that no item refers to any more.
void TimeOrder::release(std::size_t items) {
  for (std::size_t i = 0; i < items; ++i) --block(items_[i].block).left;
  items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(items));
  while (!blocks_.empty() && blocks_.front().left == 0) {
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(blocks_.front().decoded));
    blocks_.pop_front();
    ++first_block_;
  }
}

}  // namespace steno::sink
