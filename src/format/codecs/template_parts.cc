#include "format/codecs/template_parts.h"

#include "format/codecs/sized_part.h"

namespace steno::format {
void append_templates(const TemplateParts& parts, StringScratch& scratch, ByteBuffer& out) {
  const WithinColumn within(scratch, kWithinTemplates);
  out.put_varint(parts.words.size());
  out.put_varint(parts.columns.size());
  out.put_varint(parts.longest);
  append_sized_ints(parts.words, *scratch.ints, out);
  append_sized_ints(parts.places, *scratch.ints, out);
  append_sized_part(parts.texts, kTemplatesPart, encode_strings, scratch, out);
  append_sized_ints(parts.lines, *scratch.ints, out);
  append_sized_ints(parts.indices, *scratch.ints, out);
  for (std::size_t c = 0; c < parts.columns.size(); ++c)
    append_sized_part(parts.columns[c], parts.keys[c], encode_strings, scratch, out);
  append_sized_part(parts.others, kOthersPart, encode_strings, scratch, out);
}

}  // namespace steno::format
