// Mini-blocks (file.md §9.2): up to 256 integers as a base, a width, and what does not fit it. What the
// frame-of-reference and the delta codec are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/ints/kernels.h"

namespace steno::format {

// The first byte of a mini-block (file.md §9.2).
inline constexpr unsigned kMiniWidthMask = 63;
inline constexpr unsigned kMiniFullWidth = 63;  // stands for 64; no block is written with width 63
inline constexpr unsigned kMiniPatched = 64;
inline constexpr unsigned kMiniDivided = 128;

// A divisor that many values of a column share after their base is taken away, and how to divide by it exactly.
struct Divisor {
  std::uint64_t value = 1;
  std::uint64_t inverse = 1;  // of the odd part, modulo 2^64
  unsigned shift = 0;         // trailing zeros

  Divisor() = default;
  explicit Divisor(std::uint64_t v);
};

// Plans a mini-block, then writes it. Holds a few KB of scratch: make one and keep it. Not thread-safe.
class MiniBlockEncoder {
 public:
  // Decides how `values` (kMiniBlock of them, the first n real, the rest padding) are written; returns about how many
  // bytes that takes. Values compare as unsigned after `^ flip` (0, or the sign bit for signed ones).
  template <class Lane>
  std::size_t plan(const Lane* values, std::size_t n, Lane flip, const Divisor& divisor);

  // Appends what was planned. The base is written as a difference to *previous_base, which it then replaces.
  void emit(std::uint64_t* previous_base, ByteBuffer& out);

  // The least and the greatest of the planned values, extended to 64 bits.
  std::uint64_t least() const { return least_; }
  std::uint64_t greatest() const { return greatest_; }

 private:
  struct Choice {
    unsigned width = 0;
    unsigned exception_bytes = 0;  // 0: nothing is patched
    std::size_t bytes = 0;
  };

  template <class Lane>
  std::size_t plan_lanes(const Lane* values, std::size_t n, Lane flip, std::uint64_t origin, const Divisor& divisor);
  std::size_t plan_narrow(const std::uint32_t* high, const Divisor& divisor);
  std::size_t plan_wide(const Divisor& divisor);
  template <class Lane>
  Choice choose_width(const Lane* offsets, const Lane* high) const;
  void take_exceptions();

  std::size_t count_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t least_ = 0;
  std::uint64_t greatest_ = 0;
  Choice choice_;
  bool divided_ = false;
  bool wide_ = false;                // offsets are in wide_offsets_, else at narrow_
  std::uint32_t* narrow_ = nullptr;  // offsets_ or quotients_
  std::uint32_t exceptions_ = 0;
  std::uint8_t exception_at_[kMiniBlock];
  std::uint64_t exception_high_[kMiniBlock];
  alignas(64) std::uint32_t near_[kMiniBlock];
  alignas(64) std::uint32_t offsets_[kMiniBlock];
  alignas(64) std::uint32_t quotients_[kMiniBlock];
  alignas(64) std::uint64_t wide_offsets_[kMiniBlock];
  alignas(64) std::uint8_t flags_[kMiniBlock];
};

// Reads an untrusted mini-block of n values into `out`, which has room for kMiniBlock. False: it is damaged.
[[nodiscard]] bool decode_mini_block(ByteReader& in, std::size_t n, std::uint64_t divisor, std::uint64_t* previous_base,
                                     std::uint64_t* out);

// A mini-block as it is packed: value i is base + offsets[i] * factor, for who asks the offsets instead of the values.
struct MiniOffsets {
  std::uint64_t base = 0;
  std::uint64_t factor = 1;
  unsigned width = 0;  // offsets are below 2^width; of those that are patched nothing closer than 32 is known
  alignas(64) std::uint32_t offsets[kMiniBlock];
};

enum class OffsetsResult { kRead, kOther, kDamaged };

// Reads an untrusted mini-block of n values whose offsets are of at most 32 bits; what is after the n-th is undefined.
// kOther: it is of another form, and nothing has been read.
[[nodiscard]] OffsetsResult decode_mini_offsets(ByteReader& in, std::size_t n, std::uint64_t divisor,
                                                std::uint64_t* previous_base, MiniOffsets* out);

// Leaves out an untrusted mini-block of n values and says how it is packed: base, factor and width. kOther: it is
// patched, or its offsets are wider; nothing has been read.
[[nodiscard]] OffsetsResult skip_mini_offsets(ByteReader& in, std::size_t n, std::uint64_t divisor,
                                              std::uint64_t* previous_base, MiniOffsets* out);

// The greatest common divisor of all values[i] - values[0], 0 if they are equal; gives up early and says 1.
std::uint64_t common_divisor(const std::uint64_t* values, std::size_t n);
std::uint64_t common_divisor(const std::uint32_t* values, std::size_t n);

}  // namespace steno::format
