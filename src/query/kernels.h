// The hot loops of filters: plain, so that the compiler vectorises them for each level of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::query {

// keep[i] &= (values[i] - low <= span) != inverted, modulo 2^64; inverted is 0 or 1.
void keep_in_range(const std::uint64_t* values, std::size_t n, std::uint64_t low, std::uint64_t span,
                   std::uint8_t inverted, std::uint8_t* keep);
// keep[i] &= table[codes[i]].
void keep_by_code(const std::uint64_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep);
void keep_by_code(const std::uint32_t* codes, std::size_t n, const std::uint8_t* table, std::uint8_t* keep);
// keep[i] |= other[i], keep[i] &= other[i].
void keep_either(const std::uint8_t* other, std::size_t n, std::uint8_t* keep);
void keep_both(const std::uint8_t* other, std::size_t n, std::uint8_t* keep);
// Copies those values that are kept (1, not 0) to `out`, which has room for all; returns how many.
std::size_t compact(const std::uint64_t* values, const std::uint8_t* keep, std::size_t n, std::uint64_t* out);
// Of keys values[i] ^ flip: how many are less than `low`; how many are in [low, low + span].
std::size_t count_below(const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t low);
std::size_t count_in_range(const std::uint64_t* values, std::size_t n, std::uint64_t flip, std::uint64_t low,
                           std::uint64_t span);
// How many are not 0; all are 0 or 1.
std::size_t count_kept(const std::uint8_t* keep, std::size_t n);

}  // namespace steno::query
