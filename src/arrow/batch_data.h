// One batch in memory: its columns as Arrow lays them out, and what describes them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "reader/dictionary.h"

namespace steno::arrow {

// Columns that every record has.
enum class Common : std::uint8_t {
  kTime,
  kTimeNs,
  kLevel,
  kSeverity,
  kThread,
  kTid,
  kLogger,
  kFile,
  kFunction,
  kFormat,
  kLine,
  kStableId,
  kTicks,
  kSession,
  kRing,
  kSequence,
  kPid,
  kProgram,
  kHost,
  kMessage,
};

struct Field {
  std::string name;         // valid UTF-8 without NUL, unique within the batch
  std::string own_name;     // of an argument whose name another column has; else empty
  const char* format = "";  // Arrow's, of the values; with a dictionary, of its values
  bool dictionary = false;  // indices are int32
  bool ordered = false;     // the dictionary's order is that of the values
  bool nullable = false;
  std::optional<text::Presence> presence;  // of an argument that may be absent
  bool is_argument = false;
  bool is_context = false;  // a field of a context, which places of the same statement may lack
  bool is_missing = false;  // these rows lack it: other places of the statement have it
  std::size_t wanted = 0;   // its place among the columns that were asked for; those of no name are after them
  Common common{};          // unless is_argument
  std::uint32_t argument = 0;
  ArgType type{};                          // of the argument
  const text::Meaning* meaning = nullptr;  // of its numbers; its site's
  std::string meaning_text;                // valid UTF-8
};

// Returns whether values of this format have lengths of their own, with offsets beside them.
inline bool is_variable(const char* format) {
  return *format == 'u' || *format == 'z';
}

// Returns whether values of this format are Arrow's views of 16 bytes each, into texts beside them.
inline bool is_view(const char* format) {
  return *format == 'v';
}

struct Fields {
  std::vector<Field> fields;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::size_t number = 0;  // Batch::schema()
};

// The buffers of one column; which of them it has depends on the field's format. Reused from batch to batch.
struct ColumnData {
  std::size_t length = 0;
  std::size_t nulls = 0;
  ByteBuffer validity;  // empty: all are there
  ByteBuffer values;
  ByteBuffer offsets;
  std::shared_ptr<const ColumnData> dictionary;
  std::vector<std::shared_ptr<const ColumnData>> heaps;  // of views: the values that they point into, by buffer index

  void clear() {
    length = nulls = 0;
    validity.clear();
    values.clear();
    offsets.clear();
    dictionary.reset();
    heaps.clear();
  }
};

}  // namespace steno::arrow

namespace steno::detail {

// The contents of a steno::Batch, whose header names it.
struct BatchData {
  std::shared_ptr<const arrow::Fields> fields;
  std::vector<arrow::ColumnData> columns;  // one a field
  std::size_t rows = 0;
  std::size_t choice = 0;
  std::int64_t min_time = 0;
  std::int64_t max_time = 0;
  std::size_t session = 0;
  const reader::Site* site = nullptr;
  bool exported = false;  // somebody else has it too: not to be written again
};

}  // namespace steno::detail

namespace steno::arrow {

using detail::BatchData;

}  // namespace steno::arrow
