// Columns of integers that follow from another column of the same group but for little (file.md §9.2.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "format/ints/column.h"

namespace steno::format {

enum class Relation : std::uint8_t {
  kOther = 0,            // value i is other i, and a rest
  kSum = 1,              // value i - 1 and other i: a total and what is added
  kSumWithPrevious = 2,  // value i - 1 and other i - 1: a place and how far it goes
};
inline constexpr Relation kRelations[] = {Relation::kOther, Relation::kSum, Relation::kSumWithPrevious};

// The rests of n >= 1 values, modulo 2^64, and in *start what the first one begins with.
void find_rests(Relation relation, const std::uint64_t* values, const std::uint64_t* others, std::size_t n,
                std::uint64_t* rests, std::uint64_t* start);

// Appends a column of at least kZonedColumn integers, codec byte and zone included. `column`: the number of the other
// one in the group; `rests` as find_rests() makes them.
void append_related(Relation relation, std::size_t column, IntType other, std::span<const std::uint64_t> rests,
                    std::uint64_t start, IntType type, const Zone& zone, IntScratch& scratch, ByteBuffer& out);

// Returns whether a column of an argument is stored as related to another column.
inline bool is_related(std::span<const std::uint8_t> column) {
  return !column.empty() && static_cast<CodecId>(column[0]) == CodecId::kRelated;
}

// Reads n untrusted values of such a column, whole. `columns`: all of its group, of which it is number `own`.
[[nodiscard]] IntsResult read_related(std::span<const std::span<const std::uint8_t>> columns, std::size_t own,
                                      IntType type, std::size_t n, std::uint64_t* out);

}  // namespace steno::format
