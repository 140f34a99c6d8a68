// A decoded column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/raw_vector.h"
#include "format/string_arena.h"
#include "format/strings/codec.h"
#include "format/strings/shapes/read.h"

namespace steno::format {

// How strings are left when they are decoded.
enum class StringForm : std::uint8_t {
  kViews,   // a view each
  kCodes,   // numbers of strings in a table
  kShapes,  // what varies in strings of some shapes
};

// How they may be.
enum class PackedStrings : std::uint8_t {
  kNone,      // kViews only
  kOneShape,  // as suits the column, but kShapes only if all have the first shape
  kAny,
};

// Which vector is filled depends on the type:
//   integers, bool, characters, pointers, errno: `ints`, sign- or zero-extended to 64 bits
//   f32, f64: `ints` holds the IEEE bits (32 or 64)
//   16-byte types: `bytes`, 16 a value
//   strings: `strings` (views into the payload, the DataBlock, its shared dictionaries or into `arena`); a null pointer
//   is a view with data() == nullptr
struct ColumnValues {
  RawVector<std::uint64_t> ints;
  RawVector<std::uint8_t> bytes;
  RawVector<std::string_view> strings;
  StringArena arena;
  StringFacts facts = StringFacts::unknown();  // of all strings, unless they are kShapes

  StringForm form = StringForm::kViews;     // of strings
  std::span<const std::string_view> table;  // kCodes: value i is table[ints[i]]
  ShapedStrings shaped;                     // kShapes

  void clear() {
    facts = StringFacts::unknown();
    form = StringForm::kViews;
    ints.clear();
    bytes.clear();
    strings.clear();
    arena.clear();
  }
  // Clears it likewise; the next values lie in memory of the arena.
  void place_in(Arena* from) {
    steno::place_in(from, ints);
    steno::place_in(from, bytes);
    steno::place_in(from, strings);
    arena.place_in(from);
    shaped.place_in(from);
    facts = StringFacts::unknown();
    form = StringForm::kViews;
  }
  std::size_t bytes_held() const {
    return ints.capacity() * sizeof(std::uint64_t) + bytes.capacity() + strings.capacity() * sizeof(std::string_view) +
           arena.capacity() + shaped.bytes_held();
  }
};

// Reads an untrusted column of n >= 1 strings. False: damaged.
[[nodiscard]] bool decode_string_values(ByteReader& in, std::size_t n, const StringPlace& place, PackedStrings packed,
                                        ColumnValues* values);

}  // namespace steno::format
