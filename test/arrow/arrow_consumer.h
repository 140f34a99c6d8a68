// Reads Arrow's C structures by their specification alone, checking all that it demands: what pyarrow would take on
// trust. Knows nothing of steno.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steno/arrow.h"

namespace steno::test {

// A value as text, nothing for null: numbers in decimal, floats by %a, binary of fixed size in hex.
using ArrowCell = std::optional<std::string>;

struct ArrowField {
  std::string name;
  std::string format;        // of the values: a dictionary's, where there is one
  std::string index_format;  // "": no dictionary
  bool nullable = false;
  std::string metadata;  // "key=value;"
  bool operator==(const ArrowField&) const = default;
};

struct ArrowTable {
  std::vector<ArrowField> fields;
  std::string metadata;
  std::vector<std::vector<ArrowCell>> rows;

  // Index of a field; fails the test if there is none.
  std::size_t column(const std::string& name) const;
  std::vector<ArrowCell> values(const std::string& name) const;
};

// EXPECTs that the schema is one of record batches, and reads it.
void read_schema(const ArrowSchema& schema, ArrowTable* out);
// EXPECTs that the array is valid for the schema, reads every byte of it, and appends its rows.
void read_array(const ArrowSchema& schema, const ArrowArray& array, ArrowTable* out);
// Pulls the stream to its end, releases it and all that came from it.
ArrowTable read_stream(ArrowArrayStream* stream);

bool is_valid_utf8(const std::string& text);

}  // namespace steno::test
