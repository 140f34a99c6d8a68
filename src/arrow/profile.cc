#include "arrow/profile.h"

#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace steno::arrow {
namespace {

using Profile = BatchOptions::Profile;

struct Instead {
  std::string_view format;
  const char* other;
};

// Spark has no unsigned numbers, no times but in microseconds, and no binary of fixed size.
constexpr Instead kSpark[] = {
    {"C", "s"},
    {"S", "i"},
    {"I", "l"},
    {"L", "l"},
    {"w:16", "z"},
    {"tsn:UTC", "tsu:UTC"},
    {"tsm:UTC", "tsu:UTC"},
    {"tss:UTC", "tsu:UTC"},
    {"tDn", "tDu"},
    {"tDm", "tDu"},
    {"tDs", "tDu"},
};
// Parquet has no durations.
constexpr Instead kParquet[] = {{"tDn", "l"}, {"tDu", "l"}, {"tDm", "l"}, {"tDs", "l"}};

template <std::size_t N>
const char* instead(const Instead (&table)[N], std::string_view format) {
  for (const Instead& entry : table) {
    if (entry.format == format) return entry.other;
  }
  return nullptr;
}

// For "tsm:UTC" and "tDm" it is 1,000,000.
std::int64_t nanoseconds_of(const char* format) {
  switch (format[2]) {
    case 's':
      return 1'000'000'000;
    case 'm':
      return 1'000'000;
    case 'u':
      return 1000;
    default:
      return 1;
  }
}

bool is_time(std::string_view format) {
  return format.substr(0, 2) == "ts" || format.substr(0, 2) == "tD";
}

// Rounded down; what the unit cannot say is its least or greatest value.
void change_unit(const char* from, const char* to, ColumnData* column) {
  const std::int64_t multiply = nanoseconds_of(from) / nanoseconds_of(to);  // 0: the other is the coarser
  const std::int64_t divide = nanoseconds_of(to) / nanoseconds_of(from);
  std::uint8_t* p = column->values.data();
  for (std::size_t i = 0; i < column->length; ++i, p += sizeof(std::int64_t)) {
    const auto value = load<std::int64_t>(p);
    std::int64_t out = 0;
    if (multiply == 0) {
      out = value / divide - (value % divide < 0 ? 1 : 0);
    } else if (__builtin_mul_overflow(value, multiply, &out)) {
      out = value < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    }
    store(p, out);
  }
}

template <class From, class To>
void widen(ColumnData* column) {
  ByteBuffer values;
  std::uint8_t* p = values.grow(column->length * sizeof(To));
  for (std::size_t i = 0; i < column->length; ++i) {
    store(p + i * sizeof(To), static_cast<To>(load<From>(column->values.data() + i * sizeof(From))));
  }
  column->values = std::move(values);
}

void put_offsets_of_16(ColumnData* column) {
  for (std::size_t i = 0; i <= column->length; ++i) column->offsets.put(static_cast<std::int32_t>(16 * i));
}

// A text for each row instead of an index. Texts that offsets cannot address are empty, as only those of a hostile file
// are.
void expand(ColumnData* column) {
  const ColumnData& texts = *column->dictionary;
  const auto offset = [&](std::size_t i) {
    return static_cast<std::size_t>(load<std::int32_t>(texts.offsets.data() + 4 * i));
  };
  ByteBuffer values;
  column->offsets.clear();
  column->offsets.put(std::int32_t{0});
  for (std::size_t i = 0; i < column->length; ++i) {
    const bool there = column->validity.empty() || (column->validity.data()[i / 8] >> i % 8 & 1) != 0;
    const auto index = load<std::uint32_t>(column->values.data() + 4 * i);
    if (there && index < texts.length) {
      const std::size_t size = offset(index + 1) - offset(index);
      if (values.size() + size <= std::size_t{INT32_MAX}) values.put_bytes(texts.values.data() + offset(index), size);
    }
    column->offsets.put(static_cast<std::int32_t>(values.size()));
  }
  column->values = std::move(values);
  column->dictionary.reset();
}

void convert_column(const Field& from, const Field& to, ColumnData* column) {
  if (from.dictionary && !to.dictionary) return expand(column);
  const std::string_view before = from.format;
  const std::string_view after = to.format;
  if (before == after) return;
  if (before == "w:16") return put_offsets_of_16(column);
  if (is_time(before)) {
    if (is_time(after)) change_unit(from.format, to.format, column);
    return;
  }
  if (before == "C") return widen<std::uint8_t, std::int16_t>(column);
  if (before == "S") return widen<std::uint16_t, std::int32_t>(column);
  if (before == "I") return widen<std::uint32_t, std::int64_t>(column);
  // "L" as "l": the same bytes.
}

}  // namespace

std::shared_ptr<const Fields> fields_of_profile(Profile profile, std::shared_ptr<const Fields> fields) {
  if (profile == Profile::kArrow) return fields;
  auto made = std::make_shared<Fields>(*fields);
  for (Field& field : made->fields) {
    const char* const other =
        profile == Profile::kSpark ? instead(kSpark, field.format) : instead(kParquet, field.format);
    if (other != nullptr) field.format = other;
    field.dictionary = false;
    field.ordered = false;
    field.nullable = true;
  }
  return made;
}

void convert(const Fields& from, const std::shared_ptr<const Fields>& to, BatchData* batch) {
  for (std::size_t i = 0; i < batch->columns.size(); ++i) {
    convert_column(from.fields[i], to->fields[i], &batch->columns[i]);
  }
  batch->fields = to;
}

}  // namespace steno::arrow
