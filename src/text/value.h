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

}  // namespace steno::text
