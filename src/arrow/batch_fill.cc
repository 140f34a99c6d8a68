#include "arrow/batch_fill.h"

#include <algorithm>
#include <cstring>

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

// Nulls. The values have their places all the same, and a dictionary a text that they can point at.
void fill_missing(const Field& field, std::size_t n, ColumnData* out) {
  const auto put_zeros = [](std::size_t bytes, ByteBuffer* to) { std::memset(to->grow(bytes), 0, bytes); };
  if (field.dictionary) {
    auto dictionary = std::make_shared<ColumnData>();
    TextWriter(dictionary.get()).end_value();
    out->dictionary = std::move(dictionary);
    put_zeros(n * sizeof(std::int32_t), &out->values);
  } else if (is_view(field.format)) {
    put_zeros(n * sizeof(TextView), &out->values);
  } else if (is_variable(field.format)) {
    put_zeros((n + 1) * sizeof(std::int32_t), &out->offsets);
  } else {
    put_zeros(*field.format == 'b' ? (n + 7) / 8 : n * fixed_size(field.type), &out->values);
  }
  put_zeros((n + 7) / 8, &out->validity);
  out->nulls = n;
  out->length = n;
}

void set_nulls(const query::StringColumn& strings, Rows rows, ColumnData* out) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (strings.at(rows[i]).data() == nullptr) set_null(i, rows.size(), out);
  }
}

std::int32_t offset_of(const ColumnData& texts, std::size_t i) {
  return load<std::int32_t>(texts.offsets.data() + i * sizeof(std::int32_t));
}

std::vector<TextView> views_of(const ColumnData& texts) {
  std::vector<TextView> views(texts.length);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto begin = static_cast<std::size_t>(offset_of(texts, i));
    const auto* const text = reinterpret_cast<const char*>(texts.values.data()) + begin;
    views[i] = view_of_text({text, static_cast<std::size_t>(offset_of(texts, i + 1)) - begin}, begin);
  }
  return views;
}

bool has_long(const std::vector<TextView>& views) {
  return std::any_of(views.begin(), views.end(), [](const TextView& view) { return !view.is_inline(); });
}

// Texts of up to so many bytes are copied with as many bytes at once.
constexpr std::size_t kShortText = 16;

// Appends the text of each row. After the last of `texts` are kShortText bytes that may be read.
void expand_codes(const ColumnData& texts, std::span<const std::uint64_t> codes, Rows rows, ColumnData* out) {
  struct Place {
    std::uint32_t begin;
    std::uint32_t size;
  };
  std::vector<Place> places(texts.length);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto begin = static_cast<std::uint32_t>(offset_of(texts, i));
    places[i] = {begin, static_cast<std::uint32_t>(offset_of(texts, i + 1)) - begin};
  }
  std::size_t bytes = 0;
  for (const std::uint32_t row : rows) bytes += places[codes[row]].size;
  std::uint8_t* to = out->values.reserve(bytes + kShortText);
  std::uint8_t* offsets = out->offsets.grow((rows.size() + 1) * sizeof(std::int32_t));
  std::int32_t end = 0;
  store(offsets, end);
  for (const std::uint32_t row : rows) {
    const Place place = places[codes[row]];
    const std::uint8_t* const from = texts.values.data() + place.begin;
    if (place.size <= kShortText) {
      std::memcpy(to, from, kShortText);
    } else {
      std::memcpy(to, from, place.size);
    }
    to += place.size;
    end += static_cast<std::int32_t>(place.size);
    store(offsets += sizeof end, end);
  }
  out->values.commit(bytes);
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
    if (!field.is_argument || field.is_missing) continue;
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
    if (!field.is_argument || field.is_missing || !is_string(field.type)) continue;
    const query::StringColumn& strings = *arguments_[field.argument].strings;
    if ((field.dictionary || is_view(field.format)) && strings.coded) continue;
    if (strings.coded && strings.distinct.size() <= n) {  // a bound that is cheap to have
      std::size_t longest = 0;
      for (const std::string_view text : strings.distinct) longest = std::max(longest, text.size());
      if (longest <= kMostText / n) continue;
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < n; ++i) {
      bytes += strings.at(rows[i]).size();
      if (bytes > kMostText) n = i + 1;
    }
  }
  return n;
}

// The texts of a column that has codes, in Arrow's form.
void GroupArguments::make_dictionary(const Field& field, Argument* argument) {
  if (argument->dictionary != nullptr) return;
  auto dictionary = std::make_shared<ColumnData>();
  TextWriter writer(dictionary.get());
  for (const std::string_view text : argument->strings->distinct) {
    append_string(field, text, dictionary.get());
    writer.end_value();
    argument->has_null |= text.data() == nullptr;
  }
  std::memset(dictionary->values.reserve(kShortText), 0, kShortText);  // short ones are copied with what is after them
  argument->dictionary = std::move(dictionary);
}

// Indices into what the block has, or into the values themselves.
void GroupArguments::fill_dictionary(const Field& field, Argument& argument, Rows rows, ColumnData* out) {
  const query::StringColumn& strings = *argument.strings;
  std::uint8_t* p = out->values.grow(rows.size() * sizeof(std::int32_t));
  if (strings.coded) {
    make_dictionary(field, &argument);
    out->dictionary = argument.dictionary;
    for (std::size_t i = 0; i < rows.size(); ++i)
      store(p + i * sizeof(std::int32_t), static_cast<std::int32_t>(strings.codes[rows[i]]));
    if (argument.has_null) set_nulls(strings, rows, out);
    return;
  }
  auto dictionary = std::make_shared<ColumnData>();
  TextWriter writer(dictionary.get());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    append_string(field, strings.at(rows[i]), dictionary.get());
    writer.end_value();
    store(p + i * sizeof(std::int32_t), static_cast<std::int32_t>(i));
  }
  out->dictionary = std::move(dictionary);
  set_nulls(strings, rows, out);
}

void GroupArguments::fill_strings(const Field& field, Argument& argument, Rows rows, ColumnData* out) {
  const query::StringColumn& strings = *argument.strings;
  const bool views = is_view(field.format);
  // A few rows of many texts are quicker had one by one.
  const bool by_codes =
      strings.coded && (strings.distinct.size() <= rows.size() || (views && argument.dictionary != nullptr));
  if (by_codes) {
    make_dictionary(field, &argument);
    if (!views) {
      expand_codes(*argument.dictionary, strings.codes, rows, out);
    } else {
      if (argument.views.empty()) {
        argument.views = views_of(*argument.dictionary);
        argument.has_long = has_long(argument.views);
      }
      std::uint8_t* p = out->values.grow(rows.size() * sizeof(TextView));
      for (std::size_t i = 0; i < rows.size(); ++i)
        store(p + i * sizeof(TextView), argument.views[strings.codes[rows[i]]]);
      if (argument.has_long) out->heaps.push_back(argument.dictionary);
    }
    if (argument.has_null) set_nulls(strings, rows, out);
    return;
  }
  auto heap = std::make_shared<ColumnData>();
  ColumnData* const to = views ? heap.get() : out;
  TextWriter writer(to);
  for (const std::uint32_t row : rows) {
    append_string(field, strings.at(row), to);
    writer.end_value();
  }
  if (views) {
    const std::vector<TextView> made = views_of(*heap);
    out->values.put_bytes(made.data(), made.size() * sizeof(TextView));
    if (has_long(made)) out->heaps.push_back(std::move(heap));
  }
  set_nulls(strings, rows, out);
}

void GroupArguments::fill(const Field& field, Rows rows, ColumnData* out) {
  if (field.is_missing) return fill_missing(field, rows.size(), out);
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
    return fill_strings(field, argument, rows, out);
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
