#include "format/strings/templates/parts.h"

#include "format/strings/sized_part.h"

namespace steno::format {
void append_templates(const TemplateParts& parts, const StringContext& context, ByteBuffer& out) {
  const StringContext inside = context.inside(CodecId::kTemplateStrings);
  out.put_varint(parts.words.size());
  out.put_varint(parts.columns.size());
  out.put_varint(parts.longest);
  append_sized_ints(parts.words, context.ints(), out);
  append_sized_ints(parts.places, context.ints(), out);
  append_sized_strings(parts.texts, encode_strings, inside.part(kTemplatesPart), out);
  append_sized_ints(parts.lines, context.ints(), out);
  append_sized_ints(parts.indices, context.ints(), out);
  for (std::size_t c = 0; c < parts.columns.size(); ++c)
    append_sized_strings(parts.columns[c], encode_strings, inside.part(parts.keys[c]), out);
  append_sized_strings(parts.others, encode_strings, inside.part(kOthersPart), out);
}

}  // namespace steno::format
