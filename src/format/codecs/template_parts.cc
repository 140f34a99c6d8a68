#include "format/codecs/template_parts.h"

#include <utility>

#include "format/codecs/sized_part.h"

namespace steno::format {
namespace {

void append_part(std::span<const StringRef> strings, std::uint64_t key, StringScratch& scratch, ByteBuffer& out) {
  const ColumnPart part(scratch, key);
  append_sized_strings(strings, encode_strings, scratch, out);
}

}  // namespace

void append_templates(const TemplateParts& parts, StringScratch& scratch, ByteBuffer& out) {
  SharedColumn* const shared = std::exchange(scratch.shared, nullptr);
  const unsigned within = std::exchange(scratch.within, scratch.within | kWithinTemplates);
  out.put_varint(parts.words.size());
  out.put_varint(parts.columns.size());
  out.put_varint(parts.longest);
  append_sized_ints(parts.words, *scratch.ints, out);
  append_sized_ints(parts.places, *scratch.ints, out);
  append_part(parts.texts, kTemplatesPart, scratch, out);
  append_sized_ints(parts.lines, *scratch.ints, out);
  append_sized_ints(parts.indices, *scratch.ints, out);
  for (std::size_t c = 0; c < parts.columns.size(); ++c) append_part(parts.columns[c], parts.keys[c], scratch, out);
  append_part(parts.others, kOthersPart, scratch, out);
  scratch.within = within;
  scratch.shared = shared;
}

}  // namespace steno::format
