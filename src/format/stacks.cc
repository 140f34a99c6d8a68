#include "format/stacks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "format/ints/source.h"

namespace steno::format {
namespace {

// Groups of fewer records than this are stacked: in columns of their own they would pay more for the columns than for
// the values. Beyond it the values of different statements, side by side, would cost more.
constexpr std::uint32_t kStackBelow = 32;
// Fewer groups of the same types are not worth it.
constexpr std::uint32_t kLeastGroups = 4;
constexpr std::uint32_t kNone = UINT32_MAX;

std::uint64_t hash_of(const Group& group) {
  std::uint64_t h = group.layout->fields.size() + reinterpret_cast<std::uint64_t>(group.base);
  for (const wire::Field& field : group.layout->fields)
    h = (h ^ static_cast<std::uint8_t>(field.type)) * 0x9E3779B97F4A7C15;
  return h;
}

bool same_types(const wire::Layout& a, const wire::Layout& b) {
  return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const wire::Field& x, const wire::Field& y) { return x.type == y.type; });
}

// How large the first number of a group's first record is, in bits.
unsigned magnitude_of(const BlockInput& input, const Group& group) {
  if (group.layout->fields.empty()) return 0;
  const wire::Field& field = group.layout->fields[0];
  const unsigned size = fixed_size(field.type);
  if (size > 8) return 0;
  const IntType type = is_string(field.type) ? IntType::of(ArgType::kU32) : IntType::of(field.type);
  std::uint64_t bits = 0;
  std::memcpy(&bits, input.base_of(group) + std::size_t{input.offsets[group.first]} * 8 + field.offset, size);
  bits = type.extend(bits);
  if (type.is_signed && static_cast<std::int64_t>(bits) < 0) bits = ~bits;
  return static_cast<unsigned>(std::bit_width(bits));
}

}  // namespace

bool Stacker::arrange(const BlockInput& input) {
  if (input.groups.size() < kLeastGroups) return false;
  stacks_.clear();
  by_types_.clear();
  stack_of_.assign(input.groups.size(), kNone);
  for (std::size_t g = 0; g < input.groups.size(); ++g) {
    const Group& group = input.groups[g];
    if (group.records >= kStackBelow) continue;
    const auto [found, added] = by_types_.try_emplace(hash_of(group), static_cast<std::uint32_t>(stacks_.size()));
    if (added) {
      stacks_.emplace_back().all.layout = group.layout;
      stacks_.back().all.base = group.base;
    }
    Stack& stack = stacks_[found->second];
    if (group.base != stack.all.base || !same_types(*group.layout, *stack.all.layout)) continue;
    stack_of_[g] = found->second;
    ++stack.groups;
  }
  const auto is_stacked = [&](std::size_t g) {
    return stack_of_[g] != kNone && stacks_[stack_of_[g]].groups >= kLeastGroups;
  };
  own_ = 0;
  for (std::size_t g = 0; g < input.groups.size(); ++g) own_ += is_stacked(g) ? 0 : 1;
  if (own_ == input.groups.size()) return false;

  // Where the groups of each stack begin, and its offsets.
  auto next_group = static_cast<std::uint32_t>(own_);
  for (Stack& stack : stacks_) {
    if (stack.groups < kLeastGroups) continue;
    stack.first_group = next_group;
    next_group += stack.groups;
  }
  groups_.resize(input.groups.size());
  new_index_.resize(input.groups.size());
  bucket_of_.resize(input.groups.size());
  std::uint32_t own = 0;
  // Groups with numbers of a size next to each other, for these are packed 256 at a time.
  constexpr std::size_t kMagnitudes = 65;
  next_.assign(stacks_.size() * kMagnitudes, 0);
  for (std::size_t g = 0; g < input.groups.size(); ++g) {
    if (!is_stacked(g)) continue;
    bucket_of_[g] = static_cast<std::uint32_t>(stack_of_[g] * kMagnitudes + magnitude_of(input, input.groups[g]));
    ++next_[bucket_of_[g]];
  }
  for (std::size_t s = 0; s < stacks_.size(); ++s) {
    std::uint32_t first = stacks_[s].first_group;
    for (std::size_t b = s * kMagnitudes; b < (s + 1) * kMagnitudes; ++b) first += std::exchange(next_[b], first);
  }
  for (std::size_t g = 0; g < input.groups.size(); ++g) {
    new_index_[g] = is_stacked(g) ? next_[bucket_of_[g]]++ : own++;
    groups_[new_index_[g]] = input.groups[g];
  }
  offsets_.clear();
  for (Stack& stack : stacks_) {
    if (stack.groups < kLeastGroups) continue;
    stack.all.first = static_cast<std::uint32_t>(offsets_.size());
    for (std::uint32_t g = stack.first_group; g < stack.first_group + stack.groups; ++g) {
      const auto slice = input.offsets.subspan(groups_[g].first, groups_[g].records);
      offsets_.insert(offsets_.end(), slice.begin(), slice.end());
    }
    stack.all.records = static_cast<std::uint32_t>(offsets_.size()) - stack.all.first;
  }
  stacks_.erase(std::remove_if(stacks_.begin(), stacks_.end(), [](const Stack& s) { return s.groups < kLeastGroups; }),
                stacks_.end());
  order_.resize(input.order.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = new_index_[input.order[i]];
  block_ = input;
  block_.groups = groups_;
  block_.order = order_;
  return true;
}

}  // namespace steno::format
