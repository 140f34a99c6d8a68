#include "query/statistics/text_codes.h"

#include "text/printer.h"

namespace steno::query {

bool counts_as_text(ArgType type) {
  return is_string(type) || fixed_size(type) == 16 || type == ArgType::kChar || type == ArgType::kChar16 ||
         type == ArgType::kChar32 || type == ArgType::kBool || type == ArgType::kPointer;
}

TextCodes read_texts(const Part& part, std::uint32_t column) {
  BlockView& view = *part.view;
  TextCodes out;
  text::Value value;
  value.type = view.type_of(part.group, column);
  ByteBuffer text;
  const auto add = [&] {
    text.clear();
    text::print_value(value, text);
    out.texts.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  };
  if (is_string(value.type) && view.strings(part.group, column).coded) {
    const StringColumn& strings = view.strings(part.group, column);
    for (const std::string_view one : strings.distinct) {
      value.string = one;
      add();
    }
    out.codes.assign(strings.codes.begin(), strings.codes.end());
    return out;
  }
  out.codes.assign(part.rows, 0);
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    if (part.keep != nullptr && part.keep[row] == 0) continue;
    if (is_string(value.type)) {
      const auto strings = view.strings(part.group, column).strings;
      if (strings.size() != part.rows) return {};
      value.string = strings[row];
    } else if (fixed_size(value.type) == 16) {
      const auto bytes = view.wide(part.group, column);
      if (bytes.size() != std::size_t{part.rows} * 16) return {};
      value.wide = bytes.data() + std::size_t{row} * 16;
    } else {
      const auto ints = view.ints(part.group, column);
      if (ints.size() != part.rows) return {};
      value.bits = ints[row];
    }
    out.codes[row] = static_cast<std::uint32_t>(out.texts.size());
    add();
  }
  return out;
}

}  // namespace steno::query
