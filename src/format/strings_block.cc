#include "format/strings_block.h"

namespace steno::format {

void append_strings_part(const StringsPart& part, ByteBuffer& out) {
  out.put_varint(part.dictionary);
  out.put_varint(part.first);
  out.put_varint(part.count);
  out.put_varint(part.column.size());
  out.put_bytes(part.column.data(), part.column.size());
}

bool read_strings_part(ByteReader& in, StringsPart* part) {
  part->dictionary = in.get_varint();
  const std::uint64_t first = in.get_varint();
  const std::uint64_t count = in.get_varint();
  const std::uint64_t size = in.get_varint();
  if (!in.ok() || count == 0 || count > kMaxSharedStrings || first > kMaxSharedStrings - count) return false;
  const std::uint8_t* column = in.take(size);
  if (column == nullptr) return false;
  part->first = static_cast<std::uint32_t>(first);
  part->count = static_cast<std::uint32_t>(count);
  part->column = {column, size};
  return true;
}

}  // namespace steno::format
