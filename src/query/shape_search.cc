#include "query/shape_search.h"

#include <algorithm>
#include <cstring>

#include "format/codecs/int_column.h"
#include "format/codecs/string_distinct.h"
#include "format/codecs/string_shape.h"
#include "query/shape_alignment.h"
#include "text/value_text.h"

namespace steno::query {
namespace {

using format::Piece;
using format::PieceKind;
using format::ShapedColumn;

CharSet digits_of(PieceKind kind) {
  CharSet set;
  for (unsigned c = 0; c < 256; ++c) set[c] = format::is_digit_of(kind, static_cast<std::uint8_t>(c));
  return set;
}

CharSet all_bytes() {
  return CharSet().set();
}

// The states after any of the texts of a column.
std::uint64_t run_texts(const Needle& needle, std::uint64_t state, ShapedColumn::Bytes column) {
  const std::uint64_t any = needle.run_any(state, all_bytes());
  if (!needle.accepts(any) || may_contain(needle, column)) return any;
  // A match would have to begin before the text: within it there is none.
  const std::uint64_t continued = needle.continue_over_any(state, all_bytes());
  return needle.unfound(any) | continued;
}

bool shape_may_contribute(const Needle& needle, const NeedleSites::Column& column, const ShapedColumn& shaped,
                          std::size_t k) {
  std::uint64_t state = column.before;
  std::size_t part = 0;
  for (const Piece& piece : shaped.shapes[k].pieces) {
    if (piece.kind == PieceKind::kConstant) {
      state = needle.run(state, piece.text);
      continue;
    }
    const ShapedColumn::Bytes bytes = shaped.varying[k][part++];
    if (bytes.empty()) return false;  // no string has this shape
    state =
        piece.kind == PieceKind::kText ? run_texts(needle, state, bytes) : needle.run_any(state, digits_of(piece.kind));
  }
  return needle.accepts(state) || (state & column.after) != 0;
}

// Opens a column of shaped strings. False: of another codec, or damaged.
bool open_column(std::span<const std::uint8_t> bytes, ShapedColumn* shaped) {
  if (bytes.empty() || static_cast<format::CodecId>(bytes[0]) != format::CodecId::kShapedStrings) return false;
  ByteReader in(bytes.data() + 1, bytes.size() - 1);
  return format::read_shaped_column(in, shaped) && in.at_end();
}

bool others_may_contribute(const Needle& needle, const NeedleSites::Column& column, const ShapedColumn& shaped) {
  if (shaped.others.empty()) return false;
  return column.before != 0 || column.after != 0 || may_contain(needle, shaped.others) ||
         may_contribute(needle, column, text::kNullText);
}

bool decode(ShapedColumn::Bytes bytes, format::IntType type, std::size_t n, std::vector<std::uint64_t>* values) {
  values->resize(n);
  ByteReader in(bytes.data(), bytes.size());
  return n == 0 || (format::decode_ints(in, type, n, 1, values->data()) && in.at_end());
}

// The numbers of the strings of one shape, decoded when they are asked for.
class ShapeNumbers {
 public:
  ShapeNumbers(const std::vector<ShapedColumn::Bytes>& columns, std::size_t n)
      : columns_(columns), n_(n), values_(columns.size()) {}

  bool apply(const DigitTest& test, std::span<std::uint8_t> keep) {
    std::vector<std::uint64_t>& values = values_[test.number];
    if (values.empty() && !decode(columns_[test.number], format::kTypeU64, n_, &values)) return false;
    test.apply(values, keep);
    return true;
  }

 private:
  const std::vector<ShapedColumn::Bytes>& columns_;
  std::size_t n_;
  std::vector<std::vector<std::uint64_t>> values_;
};

// Which of the n strings of shape k have part in a match, in their order. False: damaged.
bool find_strings(const Needle& needle, const NeedleSites::Column& column, const ShapedColumn& shaped, std::size_t k,
                  std::vector<Share>* strings) {
  const std::size_t n = strings->size();
  if (n == 0 || !shape_may_contribute(needle, column, shaped, k)) return true;
  std::vector<Alignment> alignments;
  if (needle.ignores_case() || shaped.shapes[k].texts() != 0 || !align(needle, column, shaped.shapes[k], &alignments)) {
    std::fill(strings->begin(), strings->end(), Share::kUnknown);
    return true;
  }
  ShapeNumbers numbers(shaped.varying[k], n);
  std::vector<std::uint8_t> keep;
  for (const Alignment& alignment : alignments) {
    keep.assign(n, 1);
    for (const DigitTest& test : alignment) {
      if (!numbers.apply(test, keep)) return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (keep[i] != 0) (*strings)[i] = Share::kPart;
    }
  }
  return true;
}

}  // namespace

bool may_contain(const Needle& needle, std::span<const std::uint8_t> column) {
  format::StringArena joined;
  if (!format::has_plain_strings(column)) {
    if (!format::read_joined_strings(column, &joined)) return true;
    column = joined.bytes();
  }
  const std::string_view text(reinterpret_cast<const char*>(column.data()), column.size());
  if (needle.ignores_case()) return needle.accepts(needle.run(0, text));
  return ::memmem(text.data(), text.size(), needle.text().data(), needle.text().size()) != nullptr;
}

bool shapes_may_contribute(const Needle& needle, const NeedleSites::Column& column,
                           std::span<const std::uint8_t> bytes) {
  ShapedColumn shaped;
  if (!open_column(bytes, &shaped) || others_may_contribute(needle, column, shaped)) return true;
  for (std::size_t k = 0; k < shaped.shapes.size(); ++k) {
    if (shape_may_contribute(needle, column, shaped, k)) return true;
  }
  return false;
}

bool find_shaped_rows(const Needle& needle, const NeedleSites::Column& column, std::span<const std::uint8_t> bytes,
                      std::size_t n, std::vector<Share>* rows) {
  ShapedColumn shaped;
  std::vector<std::uint64_t> indices;
  if (!open_column(bytes, &shaped) || !decode(shaped.indices, format::kTypeU32, n, &indices)) return false;
  const std::size_t shapes = shaped.shapes.size();
  std::vector<std::size_t> counts(shapes + 1);
  for (const std::uint64_t index : indices) {
    if (index > shapes) return false;
    ++counts[index];
  }
  // By index: those without a shape first.
  std::vector<std::vector<Share>> strings(shapes + 1);
  strings[0].assign(counts[0], others_may_contribute(needle, column, shaped) ? Share::kUnknown : Share::kNone);
  for (std::size_t k = 0; k < shapes; ++k) {
    strings[k + 1].assign(counts[k + 1], Share::kNone);
    if (!find_strings(needle, column, shaped, k, &strings[k + 1])) return false;
  }
  rows->resize(n);
  std::vector<std::size_t> next(shapes + 1);
  for (std::size_t i = 0; i < n; ++i) (*rows)[i] = strings[indices[i]][next[indices[i]]++];
  return true;
}

}  // namespace steno::query
