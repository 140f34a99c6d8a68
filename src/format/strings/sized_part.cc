#include "format/strings/sized_part.h"

#include <cstring>

namespace steno::format {
namespace {

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

}  // namespace

void append_sized_ints(const IntSource& source, IntHint hint, IntScratch& scratch, ByteBuffer& out) {
  append_sized(
      [&] {
        if (source.count != 0) encode_ints(source, hint, scratch, out);
      },
      out);
}

void append_sized_ints(std::span<const std::uint32_t> values, IntScratch& scratch, ByteBuffer& out) {
  append_sized_ints(IntSource::array(values.data(), values.size(), kTypeU32), IntHint::kOffsets, scratch, out);
}

void append_sized_strings(std::span<const StringRef> strings,
                          void (*encode)(const StringSource&, const StringContext&, ByteBuffer&),
                          const StringContext& context, ByteBuffer& out) {
  append_sized(
      [&] {
        if (!strings.empty()) encode(StringSource::of(strings), context, out);
      },
      out);
}

std::span<const std::uint8_t> read_sized(ByteReader& in) {
  const std::uint64_t size = in.get_varint();
  const std::uint8_t* bytes = in.take(size);
  if (bytes == nullptr) return {};
  return {bytes, size};
}

bool decode_sized_ints(std::span<const std::uint8_t> part, std::size_t n, IntType type, RawVector<std::uint64_t>* out) {
  resize_anew(*out, n);
  ByteReader in(part.data(), part.size());
  return n == 0 ? part.empty() : decode_ints(in, type, n, 1, out->data()) && in.at_end();
}

bool decode_sized_strings(std::span<const std::uint8_t> part, std::size_t n, const StringPlace& place,
                          StringArena* arena, RawVector<std::string_view>* out) {
  arena->clear();
  resize_anew(*out, n);
  ByteReader in(part.data(), part.size());
  return n == 0 ? part.empty() : decode_strings(in, n, place, arena, out->data()) && in.at_end();
}

std::size_t replace_nulls(RawVector<std::string_view>* strings) {
  std::size_t bytes = 0;
  for (std::string_view& s : *strings) {
    if (s.data() == nullptr) s = std::string_view(kMissingString, 0);
    bytes += s.size();
  }
  return bytes;
}

}  // namespace steno::format
