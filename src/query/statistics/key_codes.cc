#include "query/statistics/key_codes.h"

#include <bit>

#include "query/search/kernels.h"

namespace steno::query {
namespace {

// The high bits are good ones.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 32) * 0x9E3779B97F4A7C15;
  return (number ^ number >> 29) * 0xC2B2AE3D27D4EB4F;
}

}  // namespace

bool KeyCodes::read(std::span<const std::uint64_t> numbers, std::size_t most) {
  distinct_.clear();
  // As signed ones, so that those around zero are near to each other too.
  constexpr std::uint64_t kFlip = std::uint64_t{1} << 63;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t greatest = 0;
  extremes_of(numbers.data(), numbers.size(), kFlip, &least, &greatest);
  if (numbers.empty() || greatest - least >= most) return read_scattered(numbers, most);
  base_ = least ^ kFlip;
  size_ = greatest - least + 1;
  return true;
}

bool KeyCodes::read_scattered(std::span<const std::uint64_t> numbers, std::size_t most) {
  constexpr std::size_t kMostSteps = 128;  // numbers may have been chosen so that all fall into one place
  slots_.assign(std::bit_ceil(2 * most), 0);
  codes_.resize(numbers.size());
  const unsigned shift = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
  std::uint32_t last = 0;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const std::uint64_t number = numbers[row];
    if (row == 0 || number != distinct_[last]) {
      std::size_t at = mixed(number) >> shift;
      for (std::size_t steps = 0; slots_[at] != 0 && distinct_[slots_[at] - 1] != number; ++steps) {
        if (steps == kMostSteps) return false;
        at = (at + 1) & (slots_.size() - 1);
      }
      if (slots_[at] == 0) {
        if (distinct_.size() == most) return false;
        distinct_.push_back(number);
        slots_[at] = static_cast<std::uint32_t>(distinct_.size());
      }
      last = slots_[at] - 1;
    }
    codes_[row] = last;
  }
  size_ = distinct_.size();
  return true;
}

}  // namespace steno::query
