// strings: their lengths as a column, then their bytes (file.md §9.3).
#include "format/codecs/string_codec.h"

namespace steno::format {
namespace {

bool encode(const StringSource& source, StringScratch& scratch, ByteBuffer& out) {
  const std::size_t total = encode_lengths(source, scratch, out);
  append_bytes(source, total, out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace&, StringArena*, std::string_view* out) {
  std::vector<std::uint64_t> codes;
  std::size_t total = 0;
  if (!decode_lengths(in, n, &codes, &total)) return false;
  const std::uint8_t* bytes = in.take(total);
  if (bytes == nullptr) return false;
  cut_strings(codes, bytes, out);
  return true;
}

}  // namespace

const StringCodec kRawStringCodec{CodecId::kStrings, "strings", encode, decode};

}  // namespace steno::format
