#include "query/statistics/text_codes.h"

#include "text/printer.h"

namespace steno::query {

bool counts_as_text(ArgType type) {
  return is_string(type) || fixed_size(type) == 16 || type == ArgType::kChar || type == ArgType::kChar16 ||
         type == ArgType::kChar32 || type == ArgType::kBool || type == ArgType::kPointer;
}

void read_texts(const Part& part, std::uint32_t column, TextCodes* out) {
  BlockView& view = *part.view;
  out->texts.clear();
  out->codes.clear();
  text::Value value;
  value.type = view.type_of(part.group, column);
  ByteBuffer text;
  const auto add = [&] {
    text.clear();
    text::print_value(value, text);
    out->texts.add({reinterpret_cast<const char*>(text.data()), text.size()});
  };
  if (is_string(value.type) && view.strings(part.group, column).coded) {
    const StringColumn& strings = view.strings(part.group, column);
    for (const std::string_view one : strings.distinct) {
      value.string = one;
      add();
    }
    out->codes.assign(strings.codes.begin(), strings.codes.end());
    return;
  }
  const std::span<const std::string_view> strings =
      is_string(value.type) ? view.strings(part.group, column).strings : std::span<const std::string_view>();
  const bool is_wide = fixed_size(value.type) == 16;
  const std::span<const std::uint8_t> wide = is_wide ? view.wide(part.group, column) : std::span<const std::uint8_t>();
  const std::span<const std::uint64_t> ints =
      is_wide || is_string(value.type) ? std::span<const std::uint64_t>() : view.ints(part.group, column);
  if (strings.size() + wide.size() / 16 + ints.size() != part.rows) return;
  out->codes.assign(part.rows, 0);
  for (std::uint32_t row = 0; row < part.rows; ++row) {
    if (!part.is_kept(row)) continue;
    if (!strings.empty()) value.string = strings[row];
    if (!wide.empty()) value.wide = wide.data() + std::size_t{row} * 16;
    if (!ints.empty()) value.bits = ints[row];
    out->codes[row] = static_cast<std::uint32_t>(out->texts.size());
    add();
  }
}

}  // namespace steno::query
