#include "arrow/batch_join.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "arrow/text_column.h"

namespace steno::arrow {
namespace {

bool is_set(const ByteBuffer& bits, std::size_t i) {
  return (bits.data()[i / 8] >> i % 8 & 1) != 0;
}

// Appends n bits to the `at` that are there; `from` null: ones.
void append_bits(const ByteBuffer* from, std::size_t n, std::size_t at, ByteBuffer* to) {
  const std::size_t bytes = (at + n + 7) / 8 - to->size();
  if (bytes != 0) std::memset(to->grow(bytes), 0, bytes);
  if (from != nullptr && at % 8 == 0) {
    if (n != 0) std::memcpy(to->data() + at / 8, from->data(), (n + 7) / 8);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned bit = 1u << (at + i) % 8;
    std::uint8_t& byte = to->data()[(at + i) / 8];
    const bool set = from == nullptr || is_set(*from, i);
    byte = static_cast<std::uint8_t>(set ? byte | bit : byte & ~bit);
  }
}

void append_validity(const ColumnData& part, ColumnData* whole) {
  if (part.validity.empty() && whole->validity.empty()) return;
  if (whole->validity.empty()) append_bits(nullptr, whole->length, 0, &whole->validity);
  append_bits(part.validity.empty() ? nullptr : &part.validity, part.length, whole->length, &whole->validity);
  whole->nulls += part.nulls;
}

void append_variable(const ColumnData& part, ColumnData* whole) {
  const auto base = static_cast<std::int32_t>(whole->values.size());
  whole->values.put_bytes(part.values.data(), part.values.size());
  if (whole->offsets.empty()) whole->offsets.put(std::int32_t{0});
  std::uint8_t* const to = whole->offsets.grow(part.length * sizeof base);
  for (std::size_t i = 0; i < part.length; ++i) {
    store(to + i * sizeof base, base + load<std::int32_t>(part.offsets.data() + (i + 1) * sizeof base));
  }
}

// Views of long texts name their heap by its place among those of the column.
void append_views(const ColumnData& part, ColumnData* whole) {
  const std::size_t begin = whole->values.size();
  whole->values.put_bytes(part.values.data(), part.values.size());
  const auto base = static_cast<std::int32_t>(whole->heaps.size());
  whole->heaps.insert(whole->heaps.end(), part.heaps.begin(), part.heaps.end());
  if (part.heaps.empty() || base == 0) return;
  for (std::uint8_t* view = whole->values.data() + begin; view != whole->values.data() + whole->values.size();
       view += sizeof(TextView)) {
    auto of = load<TextView>(view);
    if (of.is_inline()) continue;
    of.heap += base;
    store(view, of);
  }
}

// The state of a column before there is anything in it.
constexpr std::size_t kMostReserved = std::size_t{16} << 20;

std::string_view text_at(const ColumnData& texts, std::size_t i) {
  const auto offset = [&](std::size_t at) { return load<std::int32_t>(texts.offsets.data() + at * 4); };
  return {reinterpret_cast<const char*>(texts.values.data()) + offset(i),
          static_cast<std::size_t>(offset(i + 1) - offset(i))};
}

}  // namespace

void BatchJoin::start(std::shared_ptr<BatchData> whole, const BatchData& part, std::size_t rows) {
  whole_ = std::move(whole);
  whole_->fields = part.fields;
  whole_->rows = 0;
  whole_->min_time = part.min_time;
  whole_->max_time = part.max_time;
  whole_->columns.resize(part.columns.size());
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    ColumnData& to = whole_->columns[i];
    const ColumnData& from = part.columns[i];
    to.clear();
    const std::size_t times = rows / std::max<std::size_t>(part.rows, 1) + 1;
    to.values.reserve(std::min(times * from.values.size(), kMostReserved));
    to.offsets.reserve(std::min(times * from.offsets.size(), kMostReserved));
  }
  dictionaries_.clear();
  dictionaries_.resize(whole_->columns.size());
}

std::shared_ptr<BatchData> BatchJoin::finish() {
  return std::exchange(whole_, nullptr);
}

bool BatchJoin::fits(const BatchData& part) const {
  if (part.fields != whole_->fields) return false;
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    const Field& field = part.fields->fields[i];
    const auto size = [&](const ColumnData& column) {
      return (field.dictionary ? *column.dictionary : column).values.size();
    };
    if (is_variable(field.format) && size(whole_->columns[i]) + size(part.columns[i]) > std::size_t{INT32_MAX})
      return false;
  }
  return true;
}

void BatchJoin::append_indices(const ColumnData& part, bool grows, Dictionary* dictionary, ColumnData* whole) {
  if (whole->dictionary == nullptr) whole->dictionary = part.dictionary;
  if (part.dictionary == whole->dictionary || grows) {
    if (part.dictionary->length > whole->dictionary->length) whole->dictionary = part.dictionary;
    return whole->values.put_bytes(part.values.data(), part.length * sizeof(std::int32_t));
  }
  if (dictionary->texts == nullptr) {
    const ColumnData& first = *whole->dictionary;
    dictionary->texts = std::make_shared<ColumnData>();
    dictionary->texts->offsets.put(std::int32_t{0});
    append_variable(first, dictionary->texts.get());
    dictionary->texts->length = first.length;
    for (std::size_t i = 0; i < first.length; ++i) {
      dictionary->indices.try_emplace(std::string(text_at(first, i)), static_cast<std::int32_t>(i));
    }
    whole->dictionary = dictionary->texts;
  }
  std::vector<std::int32_t> renumbered;
  for (std::size_t i = 0; i < part.dictionary->length; ++i) {
    const std::string_view text = text_at(*part.dictionary, i);
    const auto [found, is_new] =
        dictionary->indices.try_emplace(std::string(text), static_cast<std::int32_t>(dictionary->texts->length));
    if (is_new) {
      dictionary->texts->values.put_bytes(text.data(), text.size());
      dictionary->texts->offsets.put(static_cast<std::int32_t>(dictionary->texts->values.size()));
      ++dictionary->texts->length;
    }
    renumbered.push_back(found->second);
  }
  for (std::size_t i = 0; i < part.length; ++i) {
    const bool is_null = !part.validity.empty() && !is_set(part.validity, i);
    const auto index = load<std::uint32_t>(part.values.data() + i * sizeof(std::int32_t));
    whole->values.put(is_null ? 0 : renumbered[index]);
  }
}

void BatchJoin::append(const BatchData& part) {
  BatchData& whole = *whole_;
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    const Field& field = part.fields->fields[i];
    const ColumnData& from = part.columns[i];
    ColumnData& to = whole.columns[i];
    append_validity(from, &to);
    if (field.dictionary) {
      append_indices(from, !field.is_argument, &dictionaries_[i], &to);
    } else if (is_variable(field.format)) {
      append_variable(from, &to);
    } else if (is_view(field.format)) {
      append_views(from, &to);
    } else if (*field.format == 'b') {
      append_bits(&from.values, from.length, to.length, &to.values);
    } else {
      to.values.put_bytes(from.values.data(), from.values.size());
    }
    to.length += from.length;
  }
  whole.rows += part.rows;
  whole.min_time = std::min(whole.min_time, part.min_time);
  whole.max_time = std::max(whole.max_time, part.max_time);
}

}  // namespace steno::arrow
