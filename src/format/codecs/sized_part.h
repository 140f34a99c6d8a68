// A part of a column that begins with its size.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/bytes.h"

namespace steno::format {

// Appends what `append` does, after its size.
template <class Append>
void append_sized(const Append& append, ByteBuffer& out) {
  const std::size_t start = out.size();
  append();
  const std::size_t size = out.size() - start;
  out.put_varint(size);  // to know how long that is
  const std::size_t prefix = out.size() - start - size;
  std::memmove(out.data() + start + prefix, out.data() + start, size);
  out.truncate(start);
  out.put_varint(size);
  out.commit(size);
}

}  // namespace steno::format
