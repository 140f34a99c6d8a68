#include "arrow/batch_fill.h"

#include <algorithm>

#include "arrow/batch_fields.h"
#include "arrow/text_column.h"
#include "reader/message.h"
#include "text/printer.h"
#include "text/utf8.h"

namespace steno::arrow {
namespace {

using Rows = std::span<const std::uint32_t>;

template <class T>
void fill_ints(std::span<const std::uint64_t> ints, Rows rows, ColumnData* out) {
  std::uint8_t* p = out->values.grow(rows.size() * sizeof(T));
  if (rows.back() - rows.front() == rows.size() - 1) {  // one stretch
    const std::uint64_t* from = ints.data() + rows.front();
    for (std::size_t i = 0; i < rows.size(); ++i) store(p + i * sizeof(T), static_cast<T>(from[i]));
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) store(p + i * sizeof(T), static_cast<T>(ints[rows[i]]));
  }
}

void fill_bits(std::span<const std::uint64_t> ints, Rows rows, ColumnData* out) {
  const std::size_t bytes = (rows.size() + 7) / 8;
  std::uint8_t* p = out->values.grow(bytes);
  std::fill(p, p + bytes, std::uint8_t{0});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (ints[rows[i]] != 0) p[i / 8] = static_cast<std::uint8_t>(p[i / 8] | 1u << i % 8);
  }
}

void fill_wide(const std::uint8_t* values, Rows rows, ColumnData* out) {
  std::uint8_t* p = out->values.grow(rows.size() * 16);
  for (std::size_t i = 0; i < rows.size(); ++i) std::memcpy(p + i * 16, values + std::size_t{rows[i]} * 16, 16);
}

// A char of more than 7 bits is a part of a character, and alone none.
void fill_chars(ArgType type, std::span<const std::uint64_t> ints, Rows rows, ColumnData* out) {
  TextWriter writer(out);
  for (const std::uint32_t row : rows) {
    const auto code = static_cast<std::uint32_t>(ints[row]);
    const bool whole = type != ArgType::kChar || (code & 0xFF) < 0x80;
    std::uint8_t* p = out->values.reserve(text::kMaxUtf8Size);
    out->values.commit(text::encode_utf8(whole ? code : 0xFFFD, p));
    writer.end_value();
  }
}

void fill_names(const Field& field, std::span<const std::uint64_t> ints, Rows rows, ColumnData* out) {
  TextWriter writer(out);
  text::Value value;
  value.type = field.type;
  ByteBuffer name;
  for (const std::uint32_t row : rows) {
    value.bits = ints[row];
    name.clear();
    field.meaning->print(value, -1, name);
    append_text({reinterpret_cast<const char*>(name.data()), name.size()}, out);
    writer.end_value();
  }
}

void append_list(const Field& field, std::string_view bytes, ColumnData* out) {
  if (bytes.data() == nullptr) return;
  text::Value value;
  value.type = field.type;
  value.string = bytes;
  ByteBuffer list;
  field.meaning->print(value, -1, list);
  append_text({reinterpret_cast<const char*>(list.data()), list.size()}, out);
}

void append_string(const Field& field, std::string_view string, ColumnData* out) {
  if (field.meaning != nullptr) {
    append_list(field, string, out);
  } else if (field.type != ArgType::kString) {
    text::append_utf8(string, unit_size(field.type), out->values);
  } else if (*field.format == 'z') {
    out->values.put_bytes(string.data(), string.size());
  } else {
    append_valid_utf8(string, out->values);
  }
}

// A type that holds the flags of absent arguments (types.md).
bool is_flag(ArgType type) {
  return type == ArgType::kBool || type == ArgType::kU8;
}

}  // namespace

bool GroupArguments::fetch_one(query::BlockView& view, std::size_t group, std::size_t index, Argument* out) {
  const std::size_t n = view.groups()[group].records;
  out->type = view.type_of(group, index);
  out->fetched = true;
  std::size_t have = 0;
  if (is_string(out->type)) {
    out->strings = &view.strings(group, index);
    have = out->strings->coded ? out->strings->codes.size() : out->strings->strings.size();
  } else if (fixed_size(out->type) == 16) {
    const std::span<const std::uint8_t> wide = view.wide(group, index);
    out->wide = wide.data();
    have = wide.size() / 16;
  } else {
    out->ints = view.ints(group, index);
    have = out->ints.size();
  }
  return view.status().ok() && have >= n;
}

bool GroupArguments::fetch(query::BlockView& view, std::size_t group, const Fields& fields, bool all) {
  arguments_.clear();
  arguments_.resize(view.groups()[group].columns);
  for (std::size_t i = 0; all && i < arguments_.size(); ++i) {
    if (!fetch_one(view, group, i, &arguments_[i])) return false;
  }
  for (const Field& field : fields.fields) {
    if (!field.is_argument) continue;
    // A stream's fields are of one of the statement's places, and all have the same types.
    if (field.argument >= arguments_.size() || view.type_of(group, field.argument) != field.type) return false;
    Argument& argument = arguments_[field.argument];
    if (!argument.fetched && !fetch_one(view, group, field.argument, &argument)) return false;
    if (!field.presence) continue;
    if (field.presence->field >= arguments_.size() || !is_flag(view.type_of(group, field.presence->field)))
      return false;
    Argument& presence = arguments_[field.presence->field];
    if (!presence.fetched && !fetch_one(view, group, field.presence->field, &presence)) return false;
  }
  return true;
}

void GroupArguments::values(std::uint32_t row, text::Value* out) const {
  for (const Argument& argument : arguments_) {
    out->type = argument.type;
    if (argument.strings != nullptr) {
      out->string = argument.strings->at(row);
    } else if (argument.wide != nullptr) {
      out->wide = argument.wide + std::size_t{row} * 16;
    } else {
      out->bits = argument.ints[row];
    }
    ++out;
  }
}

std::size_t GroupArguments::fitting(const Fields& fields, Rows rows) const {
  std::size_t n = rows.size();
  for (const Field& field : fields.fields) {
    if (!field.is_argument || !is_string(field.type)) continue;
    const query::StringColumn& strings = *arguments_[field.argument].strings;
    if (field.dictionary && strings.coded) continue;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      bytes += strings.at(rows[i]).size();
      if (bytes > kMostText) n = i + 1;
    }
  }
  return n;
}

// Indices into what the block has, or into the values themselves.
void GroupArguments::fill_dictionary(const Field& field, Argument& argument, Rows rows, ColumnData* out) {
  const query::StringColumn& strings = *argument.strings;
  const bool coded = strings.coded;
  if (!coded || argument.dictionary == nullptr) {
    auto dictionary = std::make_shared<ColumnData>();
    TextWriter writer(dictionary.get());
    const std::size_t n = coded ? strings.distinct.size() : rows.size();
    for (std::size_t i = 0; i < n; ++i) {
      append_string(field, coded ? strings.distinct[i] : strings.at(rows[i]), dictionary.get());
      writer.end_value();
    }
    argument.dictionary = std::move(dictionary);
  }
  out->dictionary = argument.dictionary;
  std::uint8_t* p = out->values.grow(rows.size() * sizeof(std::int32_t));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    store(p + i * sizeof(std::int32_t), static_cast<std::int32_t>(coded ? strings.codes[rows[i]] : i));
    if (strings.at(rows[i]).data() == nullptr) set_null(i, rows.size(), out);
  }
}

void GroupArguments::fill(const Field& field, Rows rows, ColumnData* out) {
  Argument& argument = arguments_[field.argument];
  fill_values(field, argument, rows, out);
  out->length = rows.size();
  if (!field.presence) return;
  const std::span<const std::uint64_t> present = arguments_[field.presence->field].ints;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (present[rows[i]] == field.presence->value) continue;
    const bool is_null = argument.strings != nullptr && argument.strings->at(rows[i]).data() == nullptr;
    if (!is_null) set_null(i, rows.size(), out);
  }
}

void GroupArguments::fill_values(const Field& field, Argument& argument, Rows rows, ColumnData* out) {
  if (is_string(field.type)) {
    if (field.dictionary) return fill_dictionary(field, argument, rows, out);
    TextWriter writer(out);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string_view string = argument.strings->at(rows[i]);
      if (string.data() == nullptr) set_null(i, rows.size(), out);
      append_string(field, string, out);
      writer.end_value();
    }
    return;
  }
  if (argument.wide != nullptr) return fill_wide(argument.wide, rows, out);
  if (field.type == ArgType::kBool) return fill_bits(argument.ints, rows, out);
  if (*field.format == 'u' && field.meaning != nullptr) return fill_names(field, argument.ints, rows, out);
  if (*field.format == 'u') return fill_chars(field.type, argument.ints, rows, out);
  switch (fixed_size(field.type)) {
    case 1:
      return fill_ints<std::uint8_t>(argument.ints, rows, out);
    case 2:
      return fill_ints<std::uint16_t>(argument.ints, rows, out);
    case 4:
      return fill_ints<std::uint32_t>(argument.ints, rows, out);
    default:
      return fill_ints<std::uint64_t>(argument.ints, rows, out);
  }
}

bool MessageColumn::start(query::BlockView& view, std::span<const std::uint8_t> wanted) {
  const std::size_t n = view.groups().size();
  groups_.resize(std::max(groups_.size(), n));
  printed_.assign(n, {});
  for (std::size_t g = 0; g < n; ++g) {
    if (wanted[g] == 0) continue;
    const query::ViewGroup& group = view.groups()[g];
    printed_[g].site = group.site;
    printed_[g].printer = group.site->layout() != nullptr ? group.site->printer() : nullptr;
    printed_[g].drops = view.reports_drops(g);
    if (!groups_[g].fetch(view, g, {}, true)) return false;
    values_.resize(std::max(values_.size(), groups_[g].size()));
  }
  return true;
}

std::size_t MessageColumn::fill(const Selection& selection, ColumnData* out) {
  const bool one = selection.view->groups().size() == 1;
  const Rows order = selection.view->order();
  TextWriter writer(out);
  std::size_t n = 0;
  while (n < selection.records.size() && out->values.size() <= kMostText) {
    const std::size_t g = one ? 0 : order[selection.records[n]];
    groups_[g].values(selection.rows[n], values_.data());
    text_.clear();
    reader::append_message(printed_[g], {values_.data(), groups_[g].size()}, text_);
    // Longer ones are not messages of a scribe.
    const std::size_t size = std::min<std::size_t>(text_.size(), std::size_t{1} << 28);
    append_valid_utf8({reinterpret_cast<const char*>(text_.data()), size}, out->values);
    writer.end_value();
    ++n;
  }
  return n;
}

}  // namespace steno::arrow
