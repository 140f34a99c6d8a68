// constant string: one for all, null included (file.md §9.3).
#include <algorithm>

#include "format/strings/codec.h"

namespace steno::format {
namespace {

void put(const StringRef& text, ByteBuffer& out) {
  out.put_varint(text.code());
  out.put_bytes(text.data, text.bytes());
}

bool encode(const StringSource& source, const StringContext&, ByteBuffer& out) {
  const StringRef first = source.at(0);
  // The last one first: most columns that vary are found out by it.
  for (std::size_t i = source.count; i-- > 1;) {
    if (!same_string(first, source.at(i))) return false;
  }
  put(first, out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  const std::uint64_t code = in.get_varint();
  std::string_view value;
  StringFacts facts;
  if (code != 0) {
    const std::uint8_t* p = in.take(code - 1);
    if (p == nullptr) return false;
    facts = StringFacts::of({p, code - 1}, place.has_slack(p + code - 1));
    facts.longest = static_cast<std::uint32_t>(code - 1);
    value = std::string_view(reinterpret_cast<const char*>(p), code - 1);
  }
  facts.has_null = code == 0;
  arena->add(facts);
  std::fill(out, out + n, value);
  return in.ok();
}

std::size_t most_bytes(const OpenedColumn& column) {
  return column.body.remaining();
}

}  // namespace

void encode_constant_string(const StringRef& text, ByteBuffer& out) {
  out.put(static_cast<std::uint8_t>(CodecId::kConstantString));
  put(text, out);
}

const StringCodec kConstantStringCodec{.id = CodecId::kConstantString,
                                       .name = "constant_string",
                                       .may_be_within = kAnywhere,
                                       .form = ColumnForm::kOne,
                                       .encode = encode,
                                       .decode = decode,
                                       .most_bytes = most_bytes};

}  // namespace steno::format
