// Writing columns of text, and of dictionaries of text.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "arrow/batch_data.h"
#include "arrow/batch_fields.h"

namespace steno::arrow {

// Appends a text in valid UTF-8 to a column's bytes, or nothing if offsets could not address it: the value stays empty,
// as only those of a hostile file do.
inline void append_text(std::string_view text, ColumnData* column) {
  if (text.size() * 3 + column->values.size() < std::size_t{1} << 31) append_valid_utf8(text, column->values);
}

// One value of a column of views, as Arrow lays it out. Texts of up to 12 bytes are in it, from `prefix` on.
struct TextView {
  std::int32_t size = 0;
  std::uint8_t prefix[4] = {};
  std::int32_t heap = 0;
  std::int32_t offset = 0;

  bool is_inline() const { return size <= 12; }
};
static_assert(sizeof(TextView) == 16);

// The view of a text at an offset of the first heap.
inline TextView view_of_text(std::string_view text, std::size_t offset) {
  TextView view;
  view.size = static_cast<std::int32_t>(text.size());
  if (text.empty()) return view;
  if (view.is_inline()) {
    std::memcpy(reinterpret_cast<std::uint8_t*>(&view) + sizeof view.size, text.data(), text.size());
  } else {
    std::memcpy(view.prefix, text.data(), sizeof view.prefix);
    view.offset = static_cast<std::int32_t>(offset);
  }
  return view;
}

// Ends one value after another of what is appended to a column's bytes. The column must be empty at first; what is
// appended in all must stay below 2^31.
class TextWriter {
 public:
  explicit TextWriter(ColumnData* column) : column_(*column) { column_.offsets.put(std::int32_t{0}); }
  void end_value() {
    column_.offsets.put(static_cast<std::int32_t>(column_.values.size()));
    ++column_.length;
  }

 private:
  ColumnData& column_;
};

// Value i of n is missing. Its place in the column's values is filled all the same.
inline void set_null(std::size_t i, std::size_t n, ColumnData* column) {
  if (column->validity.empty()) std::memset(column->validity.grow((n + 7) / 8), 0xFF, (n + 7) / 8);
  std::uint8_t& byte = column->validity.data()[i / 8];
  byte = static_cast<std::uint8_t>(byte & ~(1u << i % 8));
  ++column->nulls;
}

// Collects the different texts of a column.
class TextDictionary {
 public:
  TextDictionary() : column_(std::make_shared<ColumnData>()), writer_(column_.get()) {}

  std::int32_t index_of(std::string_view text) {
    const auto [found, is_new] = indices_.try_emplace(std::string(text), static_cast<std::int32_t>(indices_.size()));
    if (is_new) {
      append_text(text, column_.get());
      writer_.end_value();
    }
    return found->second;
  }
  std::shared_ptr<const ColumnData> finish() { return std::move(column_); }

 private:
  std::shared_ptr<ColumnData> column_;
  TextWriter writer_;
  std::unordered_map<std::string, std::int32_t> indices_;
};

}  // namespace steno::arrow
