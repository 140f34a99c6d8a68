#include "format/ints/mini_block.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "format/ints/bitpack.h"

namespace steno::format {
namespace {

constexpr std::size_t kHeadBytes = 3;       // first byte and base, about
constexpr std::size_t kWideBaseBytes = 6;   // how many more the base of a wide range takes
constexpr std::size_t kPatchHeadBytes = 2;  // how many, how wide

// Bytes of `count` offsets of `width` bits, 0 to 64, and of what is before them.
std::size_t block_size(std::size_t count, unsigned width) {
  if (width <= 32) return kHeadBytes + packed_size(count, width);
  const unsigned high = width == 63 ? 32 : width - 32;
  return kHeadBytes + kWideBaseBytes + 4 * count + packed_size(count, high);
}

template <class Lane>
std::uint64_t extend(Lane value, Lane flip) {
  if constexpr (sizeof(Lane) == 4) {
    if (flip != 0) return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
  }
  return value;
}

// Trees, not chains: these are on the path of every mini-block.
template <class Lane>
Lane least_of(const Lane* l) {
  return std::min(std::min(std::min(l[0], l[1]), std::min(l[2], l[3])),
                  std::min(std::min(l[4], l[5]), std::min(l[6], l[7])));
}

template <class Lane>
Lane greatest_of(const Lane* l) {
  return std::max(std::max(std::max(l[0], l[1]), std::max(l[2], l[3])),
                  std::max(std::max(l[4], l[5]), std::max(l[6], l[7])));
}

}  // namespace

Divisor::Divisor(std::uint64_t v) : value(v), shift(static_cast<unsigned>(std::countr_zero(v))) {
  const std::uint64_t odd = v >> shift;
  inverse = odd;  // right to 3 bits; each step of Newton doubles them
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
}

template <class Lane>
std::size_t MiniBlockEncoder::plan(const Lane* values, std::size_t n, Lane flip, const Divisor& divisor) {
  if constexpr (sizeof(Lane) == 8) {
    // Most wide values are near one another: half the bytes to go over from here on.
    if (subtract_near(values, values[0], near_) == 0) {
      const std::size_t bytes = plan_lanes(near_, n, std::uint32_t{1} << 31, values[0], divisor);
      if ((least_ ^ flip) <= (greatest_ ^ flip)) return bytes;  // else they are near across the end of their order
    }
  }
  return plan_lanes(values, n, flip, 0, divisor);
}

// Values are origin + values[i], extended.
template <class Lane>
std::size_t MiniBlockEncoder::plan_lanes(const Lane* values, std::size_t n, Lane flip, std::uint64_t origin,
                                         const Divisor& divisor) {
  Lane low[kLanes];
  Lane high[kLanes];
  lane_extents(values, flip, low, high);
  const Lane least = least_of(low);
  const Lane greatest = greatest_of(high);
  const Lane range = static_cast<Lane>(greatest - least);
  count_ = n;
  least_ = origin + extend<Lane>(least ^ flip, flip);
  greatest_ = origin + extend<Lane>(greatest ^ flip, flip);
  base_ = least_;
  if (range == 0) {
    choice_ = {};
    wide_ = divided_ = false;
    narrow_ = offsets_;
    return kHeadBytes;
  }
  const auto plan_from_least = [&] {
    base_ = least_;
    if (sizeof(Lane) == 4 || range <= UINT32_MAX) {
      subtract(values, static_cast<Lane>(least ^ flip), offsets_);
      std::uint32_t above[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i) above[i] = static_cast<std::uint32_t>(high[i] - least);
      return plan_narrow(above, divisor);
    }
    if constexpr (sizeof(Lane) == 8) subtract(values, base_, wide_offsets_);
    return plan_wide(divisor);
  };
  const std::size_t plain = plan_from_least();
  // A lane whose least value is in the upper half: most values are far above the least. See what patching the low ones
  // costs.
  if (static_cast<Lane>(greatest_of(low) - least) <= range / 2 || range < 16) return plain;
  std::sort(low, low + kLanes);
  base_ = origin + extend<Lane>(low[2] ^ flip, flip);
  for (std::size_t i = 0; i < kMiniBlock; ++i) wide_offsets_[i] = origin + extend<Lane>(values[i], flip) - base_;
  const std::size_t robust = plan_wide(divisor);
  return robust < plain ? robust : plan_from_least();
}

std::size_t MiniBlockEncoder::plan_narrow(const std::uint32_t* high, const Divisor& divisor) {
  wide_ = divided_ = false;
  narrow_ = offsets_;
  std::uint32_t quotient_high[kLanes];
  if (divisor.value > 1 && divisor.value <= UINT32_MAX) {
    divide_exactly(offsets_, static_cast<std::uint32_t>(divisor.inverse), divisor.shift, quotients_, quotient_high);
    if (greatest_of(quotient_high) <= UINT32_MAX / divisor.value) {
      divided_ = true;
      narrow_ = quotients_;
      high = quotient_high;
    }
  }
  choice_ = choose_width(narrow_, high);
  return choice_.bytes;
}

std::size_t MiniBlockEncoder::plan_wide(const Divisor& divisor) {
  wide_ = true;
  divided_ = false;
  if (divisor.value > 1) {
    const std::uint64_t limit = UINT64_MAX / divisor.value;
    const int shift = static_cast<int>(divisor.shift);
    divided_ = std::all_of(wide_offsets_, wide_offsets_ + kMiniBlock,
                           [&](std::uint64_t offset) { return std::rotr(offset * divisor.inverse, shift) <= limit; });
    if (divided_) {
      for (std::uint64_t& offset : wide_offsets_) offset = std::rotr(offset * divisor.inverse, shift);
    }
  }
  std::uint64_t low[kLanes];
  std::uint64_t high[kLanes];
  lane_extents(wide_offsets_, std::uint64_t{0}, low, high);
  choice_ = choose_width(wide_offsets_, high);
  return choice_.bytes;
}

// The width of the widest offset, or a smaller one if patching those above it costs less.
template <class Lane>
MiniBlockEncoder::Choice MiniBlockEncoder::choose_width(const Lane* offsets, const Lane* high) const {
  constexpr unsigned kBits = sizeof(Lane) * 8;
  const auto widest = static_cast<unsigned>(std::bit_width(greatest_of(high)));
  Choice best{widest, 0, block_size(count_, widest)};
  if (widest == 0) return best;
  // Most blocks have no outliers. Those that do show it: a lane without any, or many small values among the first ones.
  auto first = static_cast<unsigned>(std::bit_width(least_of(high)));
  if (first + 1 >= widest) {
    const unsigned small = widest > 4 ? widest - 4 : 0;
    unsigned narrow = 0;
    for (std::size_t i = 0; i < kLanes; ++i) narrow += (offsets[i] >> small) == 0;
    if (narrow < kLanes * 3 / 4) return best;
    first = widest - 1;
  }
  first = std::min(first > 2 ? first - 2 : 0, kBits - 4);
  for (;;) {
    std::uint32_t counts[4];
    count_wider(offsets, first, counts);
    unsigned least_width = kBits;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned width = first + k;
      if (width >= widest) break;
      const unsigned each = (widest - width + 7) / 8;
      const std::size_t bytes = block_size(count_, width) + kPatchHeadBytes + counts[k] * (1 + each);
      if (bytes >= best.bytes) continue;
      best = {width, each, bytes};
      least_width = std::min(least_width, width);
    }
    if (least_width != first || first == 0) return best;  // narrower is not better any more
    first = first > 4 ? first - 4 : 0;
  }
}

void MiniBlockEncoder::emit(std::uint64_t* previous_base, ByteBuffer& out) {
  exceptions_ = 0;
  if (choice_.exception_bytes != 0) take_exceptions();
  const unsigned width = choice_.width == 63 ? 64 : choice_.width;
  const unsigned code = width == 64 ? kMiniFullWidth : width;
  out.put(static_cast<std::uint8_t>(code | (exceptions_ != 0 ? kMiniPatched : 0) | (divided_ ? kMiniDivided : 0)));
  out.put_signed_varint(static_cast<std::int64_t>(base_ - *previous_base));
  *previous_base = base_;
  if (exceptions_ != 0) {
    out.put(static_cast<std::uint8_t>(exceptions_ - 1));
    out.put(static_cast<std::uint8_t>(choice_.exception_bytes));
  }
  const std::uint32_t* body = narrow_;
  unsigned packed_width = width;
  if (wide_) {
    split(wide_offsets_, offsets_, quotients_);
    body = offsets_;
    if (width > 32) {
      out.put_bytes(offsets_, count_ * 4);
      body = quotients_;
      packed_width -= 32;
    } else if (choice_.exception_bytes != 0 && width < 32) {
      mask_all(offsets_, (1u << width) - 1);
    }
  }
  pack(body, packed_width, out.reserve(packed_size(kMiniBlock, packed_width)));
  out.commit(packed_size(count_, packed_width));
  out.put_bytes(exception_at_, exceptions_);
  for (std::uint32_t i = 0; i < exceptions_; ++i) out.put_bytes(&exception_high_[i], choice_.exception_bytes);
}

// Moves what does not fit the width from the offsets to the exceptions. Those of the padding are forgotten.
void MiniBlockEncoder::take_exceptions() {
  if (wide_) {
    flag_wider(wide_offsets_, choice_.width, flags_);
  } else {
    flag_wider(narrow_, choice_.width, flags_);
  }
  for (std::size_t at = 0; at < count_; at += 8) {
    for (auto flags = load<std::uint64_t>(flags_ + at); flags != 0; flags &= flags - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(flags)) / 8;
      if (i >= count_) break;
      exception_at_[exceptions_] = static_cast<std::uint8_t>(i);
      exception_high_[exceptions_++] = (wide_ ? wide_offsets_[i] : narrow_[i]) >> choice_.width;
    }
  }
  if (!wide_) {
    mask_all(narrow_, (1u << choice_.width) - 1);
  } else if (choice_.width > 32) {
    const std::uint64_t mask = (std::uint64_t{1} << choice_.width) - 1;
    for (std::uint64_t& offset : wide_offsets_) offset &= mask;
  }
}

template std::size_t MiniBlockEncoder::plan(const std::uint32_t*, std::size_t, std::uint32_t, const Divisor&);
template std::size_t MiniBlockEncoder::plan(const std::uint64_t*, std::size_t, std::uint64_t, const Divisor&);

namespace {

template <class Int>
std::uint64_t common_divisor_of(const Int* values, std::size_t n) {
  using Signed = std::make_signed_t<Int>;
  std::uint64_t g = 0;
  for (std::size_t i = 1; i < n && g != 1; ++i) {
    const auto d = static_cast<Signed>(values[i] - values[0]);
    const auto distance = static_cast<Int>(d < 0 ? Int{0} - static_cast<Int>(d) : static_cast<Int>(d));
    if (distance == 0 || (g != 0 && distance % g == 0)) continue;
    g = std::gcd(g, static_cast<std::uint64_t>(distance));
  }
  return g;
}

}  // namespace

std::uint64_t common_divisor(const std::uint64_t* values, std::size_t n) {
  return common_divisor_of(values, n);
}
std::uint64_t common_divisor(const std::uint32_t* values, std::size_t n) {
  return common_divisor_of(values, n);
}

}  // namespace steno::format
