// Parts of a column that begin with their size: columns within it, empty where they have no values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/raw_vector.h"
#include "format/ints/column.h"
#include "format/strings/codec.h"

namespace steno::format {

void append_sized_ints(const IntSource& source, IntHint hint, IntScratch& scratch, ByteBuffer& out);
// Indices, counts, lengths.
void append_sized_ints(std::span<const std::uint32_t> values, IntScratch& scratch, ByteBuffer& out);
// `encode`: encode_strings() or another of codec.h.
void append_sized_strings(std::span<const StringRef> strings,
                          void (*encode)(const StringSource&, const StringContext&, ByteBuffer&),
                          const StringContext& context, ByteBuffer& out);

// An untrusted part, without its size; empty if there is none, which the reader knows then.
std::span<const std::uint8_t> read_sized(ByteReader& in);
// The n values of such a part, which may be none. False: damaged.
[[nodiscard]] bool decode_sized_ints(std::span<const std::uint8_t> part, std::size_t n, IntType type,
                                     RawVector<std::uint64_t>* out);
// Decodes a part of strings likewise; `place`: that of the part.
[[nodiscard]] bool decode_sized_strings(std::span<const std::uint8_t> part, std::size_t n, const StringPlace& place,
                                        StringArena* arena, RawVector<std::string_view>* out);

// Null strings become empty ones: where strings are parts of others, no writer makes null ones. Returns the sum of the
// bytes.
std::size_t replace_nulls(RawVector<std::string_view>* strings);

}  // namespace steno::format
