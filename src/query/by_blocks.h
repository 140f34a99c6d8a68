// Hot loops over as many values as there are, in pieces whose sizes compilers know.
#pragma once

#include <cstddef>

#include "format/ints/kernels.h"
#include "format/multiversion.h"

namespace steno::query {

inline constexpr std::size_t kRow = 16;  // of the shortest vectors there are, a few

// body(first, count) for whole mini-blocks, then for rows, count being a constant once this is inlined; then for the
// rest.
template <class Body>
STENO_INLINE void by_blocks(std::size_t n, Body body) {
  std::size_t i = 0;
  for (; i + format::kMiniBlock <= n; i += format::kMiniBlock) body(i, format::kMiniBlock);
  for (; i + kRow <= n; i += kRow) body(i, kRow);
  if (i < n) body(i, n - i);
}

}  // namespace steno::query
