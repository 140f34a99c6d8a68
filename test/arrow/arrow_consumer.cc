#include "arrow_consumer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

namespace steno::test {
namespace {

template <class T>
T value_at(const void* buffer, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

bool bit_at(const void* buffer, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(buffer)[i / 8] >> (i % 8) & 1) != 0;
}

std::string metadata_of(const char* p) {
  if (p == nullptr) return {};
  const auto next_int = [&p] {
    const auto n = value_at<std::int32_t>(p, 0);
    p += 4;
    return n;
  };
  const auto next_text = [&] {
    const std::int32_t n = next_int();
    std::string text(p, static_cast<std::size_t>(n));
    p += n;
    return text;
  };
  std::string all;
  const std::int32_t pairs = next_int();
  EXPECT_GT(pairs, 0);
  for (std::int32_t i = 0; i < pairs; ++i) {
    const std::string key = next_text();
    all += key + "=" + next_text() + ";";
  }
  return all;
}

std::string hex(const char* p, std::size_t n) {
  std::string text;
  char digits[3];
  for (std::size_t i = 0; i < n; ++i) {
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(p[i]));
    text += digits;
  }
  return text;
}

std::string float_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

std::int64_t buffers_of(const std::string& format) {
  return format == "u" || format == "z" ? 3 : 2;
}

std::string fixed_at(const std::string& format, const void* buffer, std::int64_t i) {
  if (format == "b") return bit_at(buffer, i) ? "true" : "false";
  if (format == "c") return std::to_string(value_at<std::int8_t>(buffer, i));
  if (format == "C") return std::to_string(value_at<std::uint8_t>(buffer, i));
  if (format == "s") return std::to_string(value_at<std::int16_t>(buffer, i));
  if (format == "S") return std::to_string(value_at<std::uint16_t>(buffer, i));
  if (format == "i") return std::to_string(value_at<std::int32_t>(buffer, i));
  if (format == "I") return std::to_string(value_at<std::uint32_t>(buffer, i));
  if (format == "l" || format.starts_with("ts") || format.starts_with("tD"))
    return std::to_string(value_at<std::int64_t>(buffer, i));
  if (format == "L") return std::to_string(value_at<std::uint64_t>(buffer, i));
  if (format == "f") return float_text(static_cast<double>(value_at<float>(buffer, i)));
  if (format == "g") return float_text(value_at<double>(buffer, i));
  if (format == "w:16") return hex(static_cast<const char*>(buffer) + i * 16, 16);
  ADD_FAILURE() << "format '" << format << "' is none that is expected";
  return {};
}

// Reads a column of views, whose last buffer has the sizes of those that are viewed.
std::string text_of_view(const ArrowArray& array, std::int64_t i) {
  const auto* const view = static_cast<const char*>(array.buffers[1]) + i * 16;
  const auto size = value_at<std::int32_t>(view, 0);
  EXPECT_GE(size, 0);
  if (size <= 12) {
    for (std::int32_t k = size; k < 12; ++k) EXPECT_EQ(view[4 + k], 0);
    return {view + 4, static_cast<std::size_t>(size)};
  }
  const auto heap = value_at<std::int32_t>(view, 2);
  const auto offset = value_at<std::int32_t>(view, 3);
  if (heap < 0 || heap >= array.n_buffers - 3 || offset < 0 ||
      std::int64_t{offset} + size > value_at<std::int64_t>(array.buffers[array.n_buffers - 1], heap)) {
    ADD_FAILURE() << "a view of " << size << " bytes at " << offset << " of " << heap;
    return {};
  }
  const std::string text(static_cast<const char*>(array.buffers[2 + heap]) + offset, static_cast<std::size_t>(size));
  EXPECT_EQ(text.substr(0, 4), std::string(view + 4, 4));
  EXPECT_TRUE(is_valid_utf8(text)) << text;
  return text;
}

// All values of one array, which is of no dictionary.
std::vector<ArrowCell> plain_values(const std::string& format, const ArrowArray& array) {
  std::vector<ArrowCell> cells;
  if (format == "vu") {
    EXPECT_GE(array.n_buffers, 3);
  } else {
    EXPECT_EQ(array.n_buffers, buffers_of(format)) << format;
  }
  const void* validity = array.buffers[0];
  std::int64_t nulls = 0;
  std::int32_t end = 0;
  for (std::int64_t i = 0; i < array.length; ++i) {
    const bool there = validity == nullptr || bit_at(validity, i);
    nulls += there ? 0 : 1;
    ArrowCell cell;
    if (buffers_of(format) == 3) {
      const auto from = value_at<std::int32_t>(array.buffers[1], i);
      const auto to = value_at<std::int32_t>(array.buffers[1], i + 1);
      EXPECT_EQ(from, end);
      EXPECT_GE(to, from);
      end = to;
      cell = std::string(static_cast<const char*>(array.buffers[2]) + from, static_cast<std::size_t>(to - from));
      EXPECT_TRUE(format != "u" || is_valid_utf8(*cell)) << *cell;
    } else if (format == "vu") {
      cell = text_of_view(array, i);
    } else {
      cell = fixed_at(format, array.buffers[1], i);
    }
    cells.push_back(there ? cell : std::nullopt);
  }
  if (buffers_of(format) == 3 && array.length == 0) {
    EXPECT_EQ(value_at<std::int32_t>(array.buffers[1], 0), 0);
  }
  EXPECT_EQ(array.null_count, nulls);
  return cells;
}

std::vector<ArrowCell> values_of(const ArrowSchema& schema, const ArrowArray& array) {
  EXPECT_NE(array.release, nullptr);
  EXPECT_EQ(array.offset, 0);
  EXPECT_EQ(array.n_children, 0);
  EXPECT_EQ(array.children, nullptr);
  EXPECT_EQ(array.dictionary != nullptr, schema.dictionary != nullptr);
  EXPECT_TRUE(array.null_count == 0 || (schema.flags & ARROW_FLAG_NULLABLE) != 0);
  std::vector<ArrowCell> cells = plain_values(schema.format, array);
  if (array.dictionary == nullptr) return cells;
  const std::vector<ArrowCell> entries = values_of(*schema.dictionary, *array.dictionary);
  for (ArrowCell& cell : cells) {
    if (!cell) continue;
    const std::size_t index = std::stoul(*cell);
    if (index < entries.size()) {
      cell = entries[index];
    } else {
      ADD_FAILURE() << "index " << index << " of " << entries.size();
    }
  }
  return cells;
}

}  // namespace

bool is_valid_utf8(const std::string& text) {
  const auto at = [&text](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0u; };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t size = at(i) < 0x80 ? 1 : at(i) < 0xC0 ? 0 : at(i) < 0xE0 ? 2 : at(i) < 0xF0 ? 3 : at(i) < 0xF8 ? 4 : 0;
    if (size == 0) return false;
    std::uint32_t code = size == 1 ? at(i) : at(i) & (0x7Fu >> size);
    for (std::size_t k = 1; k < size; ++k) {
      if ((at(i + k) & 0xC0) != 0x80) return false;
      code = code << 6 | (at(i + k) & 0x3F);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    i += size;
  }
  return true;
}

std::size_t ArrowTable::column(const std::string& name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

std::vector<ArrowCell> ArrowTable::values(const std::string& name) const {
  const std::size_t index = column(name);
  std::vector<ArrowCell> values;
  for (const auto& row : rows) values.push_back(row[index]);
  return values;
}

void read_schema(const ArrowSchema& schema, ArrowTable* out) {
  ASSERT_NE(schema.release, nullptr);
  EXPECT_STREQ(schema.format, "+s");
  EXPECT_EQ(schema.dictionary, nullptr);
  out->metadata = metadata_of(schema.metadata);
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    ASSERT_NE(child.release, nullptr);
    EXPECT_EQ(child.n_children, 0);
    EXPECT_TRUE(is_valid_utf8(child.name));
    ArrowField field{child.name, child.format, "", (child.flags & ARROW_FLAG_NULLABLE) != 0,
                     metadata_of(child.metadata)};
    if (child.dictionary != nullptr) {
      field.index_format = child.format;
      field.format = child.dictionary->format;
      ASSERT_NE(child.dictionary->release, nullptr);
    }
    for (const ArrowField& other : out->fields) EXPECT_NE(other.name, field.name);
    out->fields.push_back(field);
  }
}

void read_array(const ArrowSchema& schema, const ArrowArray& array, ArrowTable* out) {
  ASSERT_NE(array.release, nullptr);
  ASSERT_EQ(array.n_children, schema.n_children);
  EXPECT_EQ(array.n_buffers, 1);
  EXPECT_EQ(array.buffers[0], nullptr);
  EXPECT_EQ(array.null_count, 0);
  EXPECT_EQ(array.offset, 0);
  EXPECT_EQ(array.dictionary, nullptr);
  EXPECT_GT(array.length, 0);
  const std::size_t first = out->rows.size();
  const auto columns = static_cast<std::size_t>(array.n_children);
  out->rows.resize(first + static_cast<std::size_t>(array.length), std::vector<ArrowCell>(columns));
  for (std::int64_t c = 0; c < array.n_children; ++c) {
    ASSERT_EQ(array.children[c]->length, array.length);
    const std::vector<ArrowCell> cells = values_of(*schema.children[c], *array.children[c]);
    for (std::size_t i = 0; i < cells.size(); ++i) out->rows[first + i][static_cast<std::size_t>(c)] = cells[i];
  }
}

ArrowTable read_stream(ArrowArrayStream* stream) {
  ArrowTable table;
  ArrowSchema schema;
  EXPECT_EQ(stream->get_schema(stream, &schema), 0);
  read_schema(schema, &table);
  for (;;) {
    ArrowArray array;
    EXPECT_EQ(stream->get_next(stream, &array), 0);
    if (array.release == nullptr) break;
    read_array(schema, array, &table);
    array.release(&array);
    EXPECT_EQ(array.release, nullptr);
  }
  ArrowArray after;
  EXPECT_EQ(stream->get_next(stream, &after), 0);  // the end stays the end
  EXPECT_EQ(after.release, nullptr);
  EXPECT_EQ(stream->get_last_error(stream), nullptr);
  schema.release(&schema);
  stream->release(stream);
  EXPECT_EQ(stream->release, nullptr);
  return table;
}

}  // namespace steno::test
