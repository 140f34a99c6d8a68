// constant string: one for all, null included (file.md §9.3).
#include <algorithm>

#include "format/codecs/string_codec.h"

namespace steno::format {
namespace {

bool encode(const StringSource& source, StringScratch&, ByteBuffer& out) {
  const StringRef first = source.at(0);
  // The last one first: most columns that vary are found out by it.
  for (std::size_t i = source.count; i-- > 1;) {
    if (!same_string(first, source.at(i))) return false;
  }
  out.put_varint(first.code());
  out.put_bytes(first.data, first.bytes());
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace&, StringArena*, std::string_view* out) {
  const std::uint64_t code = in.get_varint();
  std::string_view value;
  if (code != 0) {
    const std::uint8_t* p = in.take(code - 1);
    if (p == nullptr) return false;
    value = std::string_view(reinterpret_cast<const char*>(p), code - 1);
  }
  std::fill(out, out + n, value);
  return in.ok();
}

}  // namespace

const StringCodec kConstantStringCodec{CodecId::kConstantString, "constant_string", encode, decode};

}  // namespace steno::format
