// Context: named values that a thread's records have in common for a while (ring.md §4.1). A *context* record says all
// that is in force from there on; this reads one, as if written by an enemy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/record.h"

namespace steno::wire {

inline constexpr std::size_t kMostContext = 1008;  // bytes of a context record after its clock
inline constexpr std::size_t kMostContextFields = 16;

// The fields of a context record after its clock. Views of its bytes.
struct Context {
  std::string_view shape;  // its first bytes: count, types, names. Alike in all contexts of the same fields
  std::string_view types;
  std::vector<std::string_view> names;
  std::string_view values;  // in wire form (types.md): the fixed part, then the payloads
  std::size_t fixed = 0;    // size of the fixed part

  // False: it makes no sense. No bytes, or a count of 0: no context, of which nothing else is to be used.
  [[nodiscard]] static bool parse(std::string_view bytes, Context* out);
};

}  // namespace steno::wire
