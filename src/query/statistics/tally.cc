#include "query/statistics/tally.h"

namespace steno::query {

void NumberTally::grow() {
  constexpr std::size_t kFirst = 4;
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? kFirst : old.size() * 2, {});
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.count == 0) continue;
    std::size_t at = hash(slot.value) & mask;
    while (slots_[at].count != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void NumberTally::add(std::uint64_t value, std::uint64_t count) {
  if (count == 0) return;
  if (used_ * 2 >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash(value) & mask;
  while (slots_[at].count != 0 && slots_[at].value != value) at = (at + 1) & mask;
  if (slots_[at].count == 0) {
    slots_[at].value = value;
    ++used_;
  }
  slots_[at].count += count;
}

void TextTally::add(std::string_view text, std::uint64_t count) {
  constexpr std::size_t kNode = 72;  // beside the characters
  const auto found = counts_.find(text);
  if (found != counts_.end()) {
    found->second += count;
    return;
  }
  counts_.emplace(text, count);
  bytes_ += kNode + text.size();
}

}  // namespace steno::query
