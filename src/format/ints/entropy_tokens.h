// How offsets become tokens and bits that these leave open (file.md §9.2.1), many at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/ints/entropy.h"
#include "format/ints/mini_block.h"

namespace steno::format {

// The first byte of an entropy coded column.
inline constexpr unsigned kDirectMask = 7;
inline constexpr unsigned kOfBothSigns = 8;
inline constexpr unsigned kDetailShift = 4;
inline constexpr unsigned kDetailMask = 3;
inline constexpr unsigned kOfDifferences = 64;
inline constexpr unsigned kContexts = 128;

// From fine to coarse; the last has at most kMaxTokens tokens.
inline constexpr TokenForm kTokenForms[] = {{8, 3}, {7, 3}, {6, 3}, {5, 2}, {4, 1}};

constexpr std::size_t tokens_of(TokenForm form) {
  return (std::size_t{1} << form.direct) + (std::size_t{64 - form.direct} << form.detail);
}
inline constexpr std::size_t kMostTokenIds = tokens_of(kTokenForms[0]);

// The values that a token stands for: the least offset of those that have it, and how many bits it leaves open.
struct TokenMeaning {
  std::uint64_t least;
  std::uint32_t open;
};

// Requires id < tokens_of(form).
TokenMeaning meaning_of(std::uint32_t id, TokenForm form);

// The tokens of n offsets.
void find_tokens(const std::uint64_t* offsets, std::size_t n, TokenForm form, std::uint16_t* ids);

// Values become what each is more than the one before it, less `base`; the first becomes 0.
void to_differences(std::uint64_t* values, std::size_t n, std::uint64_t base);
// Offsets become the multiples of the divisor that they are, modulo 2^64 (of an odd one, all are some). False: one is
// none, and all are as they were.
bool to_multiples(std::uint64_t* offsets, std::size_t n, const Divisor& divisor);
// Signed ones become unsigned, those near 0 on both sides small.
void to_zigzag(std::uint64_t* offsets, std::size_t n);

}  // namespace steno::format
