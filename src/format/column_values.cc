#include "format/column_values.h"

#include <algorithm>

#include "format/ints/column.h"
#include "format/strings/shared/codec.h"

namespace steno::format {
namespace {

bool decode_views(ByteReader& in, std::size_t n, const StringPlace& place, ColumnValues* values) {
  values->form = StringForm::kViews;
  resize_anew(values->strings, n);
  const bool good = decode_strings(in, n, place, &values->arena, values->strings.data());
  values->facts = values->arena.facts();
  return good;
}

bool decode_dictionary(const OpenedColumn& column, ByteReader& in, const StringPlace& place, ColumnValues* values) {
  const std::size_t distinct = column.inner_rows;
  resize_anew(values->strings, distinct);
  resize_anew(values->ints, column.rows);
  in = column.inner;
  if (!decode_strings(in, distinct, place.inside(column.codec->id), &values->arena, values->strings.data()))
    return false;
  if (!decode_ints(in, kTypeU32, column.rows, 1, values->ints.data())) return false;
  values->form = StringForm::kCodes;
  values->table = values->strings;
  values->facts = values->arena.facts();
  return *std::max_element(values->ints.begin(), values->ints.end()) < distinct;
}

// From after the codec byte. The strings that are not in the dictionary follow it in a table of the column's own,
// unless they are few values for such a table. *done: the column is in `values`.
bool decode_shared(ByteReader& in, std::size_t n, const StringPlace& place, ColumnValues* values, bool* done) {
  SharedCodes read;
  read.codes.swap(values->ints);  // for its memory
  if (!read_shared_codes(in, n, place, &read, &values->arena)) return false;
  const std::uint64_t strings = read.strings.size();
  const bool all_there = read.greatest <= strings;
  *done = all_there && (read.others.empty() || strings <= n);
  if (!*done) return true;
  values->ints.swap(read.codes);
  values->form = StringForm::kCodes;
  values->facts = values->arena.facts();
  if (read.others.empty()) {
    for (std::uint64_t& code : values->ints) --code;
    values->table = read.strings;
    return true;
  }
  std::uint64_t other = strings;
  for (std::uint64_t& code : values->ints) code = code == 0 ? other++ : code - 1;
  values->strings.assign(read.strings.begin(), read.strings.end());
  values->strings.insert(values->strings.end(), read.others.begin(), read.others.end());
  values->table = values->strings;
  return true;
}

}  // namespace

bool decode_string_values(ByteReader& in, std::size_t n, const StringPlace& place, PackedStrings packed,
                          ColumnValues* values) {
  if (packed == PackedStrings::kNone) return decode_views(in, n, place, values);
  OpenedColumn column;
  if (!open_column(in, n, place.within, &column)) return false;
  if (column.form() == ColumnForm::kDistinct) return decode_dictionary(column, in, place, values);
  if (column.form() == ColumnForm::kShared) {
    bool done = false;
    ByteReader rest = column.body;
    const bool good = decode_shared(rest, n, place, values, &done);
    if (!good || done) {
      in = rest;
      return good;
    }
    values->arena.clear();
  }
  if (column.form() == ColumnForm::kShapes) {
    in = column.body;
    if (!values->shaped.decode(in, n, place)) return false;
    if (values->shaped.has_one_shape() || packed == PackedStrings::kAny) {
      values->form = StringForm::kShapes;
      return true;
    }
    values->form = StringForm::kViews;
    resize_anew(values->strings, n);
    values->shaped.put_together(&values->arena, values->strings.data());
    values->facts = values->arena.facts();
    return true;
  }
  return decode_views(in, n, place, values);
}

}  // namespace steno::format
