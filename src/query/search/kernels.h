// The hot loops of questions. Each works on whole mini-blocks with a constant trip count and on the rest apart, so that
// compilers vectorise it, for each level of the machine. Arrays must not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "query/search/automaton.h"

namespace steno::query {

// keep[i] &= (values[i] - low <= span) != inverted, modulo 2^64 or 2^32; inverted is 0 or 1.
void keep_in_range(const std::uint64_t* values, std::size_t n, std::uint64_t low, std::uint64_t span,
                   std::uint8_t inverted, std::uint8_t* keep);
void keep_in_range(const std::uint32_t* values, std::size_t n, std::uint32_t low, std::uint32_t span,
                   std::uint8_t inverted, std::uint8_t* keep);
// keep[i] &= table[codes[i]].
void keep_by_code(const std::uint64_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep);
void keep_by_code(const std::uint32_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep);
// keep[i] &= 1 if states[i] is one of the set, else 0.
void keep_among(const std::uint8_t* states, std::size_t n, const StateSet& among, std::uint8_t* keep);
// keep[i] |= other[i], keep[i] &= other[i].
void keep_either(const std::uint8_t* other, std::size_t n, std::uint8_t* keep);
void keep_both(const std::uint8_t* other, std::size_t n, std::uint8_t* keep);
// bytes[i] = to where that is `from`.
void replace(std::uint8_t from, std::uint8_t to, std::size_t n, std::uint8_t* bytes);
// bytes[i] = found[i] != 0 ? held : other, but for those up to `most`, which stay.
void choose(const std::uint8_t* found, std::uint8_t held, std::uint8_t other, std::uint8_t most, std::size_t n,
            std::uint8_t* bytes);
// How many are not 0; all are 0 or 1.
std::size_t count_kept(const std::uint8_t* keep, std::size_t n);

// Copies those values that are kept to `out`, which has room for all; returns how many.
std::size_t compact(const std::uint64_t* values, const std::uint8_t* keep, std::size_t n, std::uint64_t* out);
std::size_t compact(const std::uint32_t* values, const std::uint8_t* keep, std::size_t n, std::uint32_t* out);

// How many are less than `low`; how many are in [low, low + span]. The first two take keys values[i] ^ flip.
std::size_t count_below(const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t low);
std::size_t count_in_range(const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t low,
                           std::uint64_t span);
std::size_t count_below(const std::uint32_t* values, std::size_t n, std::uint32_t low);
// Copies those in [low, low + span] to `out`, which has room for all; returns how many.
std::size_t select_in_range(const std::uint32_t* values, std::size_t n, std::uint32_t low, std::uint32_t span,
                            std::uint32_t* out);

// Sum of the values; with `keep`, of those that are kept.
std::uint64_t sum_of(const std::uint32_t* values, std::size_t n);
std::uint64_t sum_of(const std::uint32_t* values, const std::uint8_t* keep, std::size_t n);
// Sums of the low and, as signed, of the high halves. n below 2^31.
void sum_halves(const std::uint64_t* values, std::size_t n, std::uint64_t* low, std::int64_t* high);
// Least and greatest of keys values[i] ^ flip, and of what *least and *greatest are.
void extremes_of(const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t* least,
                 std::uint64_t* greatest);
void extremes_of(const std::uint32_t* values, std::size_t n, std::uint32_t* least, std::uint32_t* greatest);
inline std::uint64_t greatest_of(std::span<const std::uint64_t> values) {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t greatest = 0;
  extremes_of(values.data(), values.size(), 0, &least, &greatest);
  return greatest;
}
// Sums of the distances from `base`, and of their squares. Distances are of at most 63 bits.
void squares_of(const std::uint64_t* values, std::size_t n, std::uint64_t base, double* sum, double* square);
void squares_of(const std::uint32_t* values, std::size_t n, double* sum, double* square);

}  // namespace steno::query
