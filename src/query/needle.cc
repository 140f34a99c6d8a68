#include "query/needle.h"

#include <algorithm>

namespace steno::query {

Needle::Needle(std::string_view text, bool ignore_case)
    : text_(text.substr(0, kMaxSize)), size_(text_.size()), whole_(text.size() <= kMaxSize), ignore_case_(ignore_case) {
  for (std::size_t i = 0; i < size_; ++i) {
    const auto c = static_cast<std::uint8_t>(text[i]);
    const std::uint64_t bit = std::uint64_t{1} << i;
    masks_[c] |= bit;
    if (ignore_case && c >= 'a' && c <= 'z') masks_[c - 'a' + 'A'] |= bit;
    if (ignore_case && c >= 'A' && c <= 'Z') masks_[c - 'A' + 'a'] |= bit;
  }
  if (size_ != 0) accept_ = std::uint64_t{1} << (size_ - 1);
}

std::uint64_t Needle::mask_of(const CharSet& set) const {
  std::uint64_t mask = 0;
  for (std::size_t c = 0; c < set.size(); ++c) {
    if (set[c]) mask |= masks_[c];
  }
  return mask;
}

std::uint64_t Needle::closure(std::uint64_t state, const CharSet& set, std::uint64_t start) const {
  const std::uint64_t mask = mask_of(set);
  for (;;) {
    const std::uint64_t next = state | ((state << 1 | start) & mask);
    if (next == state) return state;
    state = next;
  }
}

std::uint64_t Needle::before_any(std::uint64_t good, const CharSet& set) const {
  const std::uint64_t mask = mask_of(set);
  good |= accept_;
  for (;;) {
    const std::uint64_t more = good | (good & mask) >> 1;
    if (more == good) return good;
    good = more;
  }
}

}  // namespace steno::query
