// One argument value, on its way to text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/string_facts.h"
#include "steno/detail/arg_type.h"

namespace steno::text {

// Integers, bool, characters, pointers, errno: `bits`, sign- or zero-extended. f32, f64: `bits` holds the IEEE bits.
// 16-byte types: `wide` points at 16 little-endian bytes. Strings: `string`, raw bytes of their units; a null pointer
// has string.data() == nullptr. Views; trivially copyable.
struct Value {
  ArgType type = ArgType::kI32;
  std::uint64_t bits = 0;
  const std::uint8_t* wide = nullptr;
  std::string_view string;
};

struct StringShapes;

// The values of one argument, many records': the pointer of its type is set. A view.
struct Column {
  ArgType type = ArgType::kI32;
  std::size_t mask = ~std::size_t{0};   // 0: one value for all
  const std::uint64_t* ints = nullptr;  // as Value::bits
  const std::string_view* strings = nullptr;
  const std::uint64_t* codes = nullptr;  // of strings, for who asked for it: value i is strings[codes[i]] ...
  const StringShapes* shapes = nullptr;  // ... or it is to be put together from pieces (text/string_shapes.h)
  const std::uint8_t* wide = nullptr;    // 16 bytes a value

  // Facts about all values.
  std::uint64_t greatest = UINT64_MAX;         // of ints, in the order of unsigned integers: none is more
  StringFacts facts = StringFacts::unknown();  // of strings

  std::uint64_t bits_at(std::size_t i) const { return ints[i & mask]; }
  // Not of shapes.
  std::string_view string_at(std::size_t i) const { return strings[codes != nullptr ? codes[i] : i & mask]; }
  const std::uint8_t* wide_at(std::size_t i) const { return wide + (i & mask) * 16; }

  void get(std::size_t i, Value* out) const {
    out->type = type;
    if (ints != nullptr) {
      out->bits = bits_at(i);
    } else if (strings != nullptr) {
      out->string = string_at(i);
    } else {
      out->wide = wide_at(i);
    }
  }
  [[gnu::always_inline]] void prefetch(std::size_t i) const {
    if (mask == 0) return;
    if (ints != nullptr) {
      __builtin_prefetch(ints + i);
    } else if (codes != nullptr) {
      __builtin_prefetch(codes + i);
    } else if (strings != nullptr) {
      __builtin_prefetch(strings + i);
    } else if (wide != nullptr) {
      __builtin_prefetch(wide + i * 16);
    }
  }
};

}  // namespace steno::text
