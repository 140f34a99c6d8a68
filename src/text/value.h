// One argument value, on its way to text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

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

// The values of one argument, many records': that of its type is set. A view.
struct Column {
  ArgType type = ArgType::kI32;
  const std::uint64_t* ints = nullptr;  // as Value::bits
  const std::string_view* strings = nullptr;
  const std::uint8_t* wide = nullptr;  // 16 bytes a value

  void prefetch(std::size_t i) const {
    if (ints != nullptr) {
      __builtin_prefetch(ints + i);
    } else if (strings != nullptr) {
      __builtin_prefetch(strings + i);
    } else {
      __builtin_prefetch(wide + i * 16);
    }
  }
  void get(std::size_t i, Value* out) const {
    out->type = type;
    if (ints != nullptr) {
      out->bits = ints[i];
    } else if (strings != nullptr) {
      out->string = strings[i];
    } else {
      out->wide = wide + i * 16;
    }
  }
};

}  // namespace steno::text
