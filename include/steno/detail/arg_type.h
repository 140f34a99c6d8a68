// Type letters of arguments (types.md). Shared by call sites, scribe and readers.
#pragma once

#include <cstdint>

#include "steno/detail/config.h"

namespace steno {

enum class ArgType : char {
  kBool = 'b',
  kChar = 'c',
  kI8 = 'a',
  kI16 = 's',
  kI32 = 'i',
  kI64 = 'l',
  kI128 = 'n',
  kU8 = 'h',
  kU16 = 't',
  kU32 = 'j',
  kU64 = 'm',
  kU128 = 'o',
  kF32 = 'f',
  kF64 = 'd',
  kF80 = 'e',
  kF128 = 'g',
  kPointer = 'p',
  kChar16 = 'u',
  kChar32 = 'w',
  kString = 'S',
  kString16 = 'U',
  kString32 = 'W',
  kErrno = 'E',
};

// The length slot of a null string pointer.
inline constexpr std::uint32_t kNullString = 0xFFFFFFFFu;

constexpr bool is_string(ArgType t) {
  return t == ArgType::kString || t == ArgType::kString16 || t == ArgType::kString32;
}

constexpr bool is_signed_integer(ArgType t) {
  return t == ArgType::kI8 || t == ArgType::kI16 || t == ArgType::kI32 || t == ArgType::kI64 || t == ArgType::kErrno;
}

STENO_DETAIL_BEGIN_QUIET
// Bytes in the fixed part of a record; a string has its length slot there. 0: not a type.
constexpr unsigned fixed_size(ArgType t) {
  switch (t) {
    case ArgType::kBool:
    case ArgType::kChar:
    case ArgType::kI8:
    case ArgType::kU8:
      return 1;
    case ArgType::kI16:
    case ArgType::kU16:
    case ArgType::kChar16:
      return 2;
    case ArgType::kI32:
    case ArgType::kU32:
    case ArgType::kF32:
    case ArgType::kChar32:
    case ArgType::kErrno:
    case ArgType::kString:
    case ArgType::kString16:
    case ArgType::kString32:
      return 4;
    case ArgType::kI64:
    case ArgType::kU64:
    case ArgType::kF64:
    case ArgType::kPointer:
      return 8;
    case ArgType::kI128:
    case ArgType::kU128:
    case ArgType::kF80:
    case ArgType::kF128:
      return 16;
  }
  return 0;
}

STENO_DETAIL_END_QUIET
// Bytes of one unit of a string type.
constexpr unsigned unit_size(ArgType t) {
  return t == ArgType::kString32 ? 4 : t == ArgType::kString16 ? 2 : 1;
}

}  // namespace steno
