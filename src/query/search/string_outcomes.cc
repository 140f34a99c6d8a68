// Where a column of strings may lead, by what it claims (string_states.h).
#include <cstring>

#include "format/strings/hex/column.h"
#include "query/search/string_column.h"
#include "query/search/string_states.h"

namespace steno::query {

using format::ColumnForm;
using format::kPieces;
using format::OpenedColumn;
using format::Piece;
using format::PieceKind;
using format::ShapedColumn;

// Null, empty, or anything.
StateSet StringStates::any_text(State from) const {
  StateSet all = automaton_.reach(from, automaton_.anything());
  all.add(from);
  all.add(after_null(from));
  return all;
}

StateSet StringStates::outcomes(State from, Bytes column, std::size_t n) {
  if (Automaton::is_decided(from)) return StateSet(from);
  return part_outcomes(from, column, n, 0, true);
}

// Outcomes of a column within another. n may be kUnknownRows.
StateSet StringStates::part_outcomes(State from, Bytes part, std::size_t n, unsigned within, bool trusting) {
  OpenedColumn column;
  if (!open_column(reader_of(part), n, within, &column)) return any_text(from);
  return column_outcomes(from, column, trusting);
}

// Only if `trusting`, a zone decides: it is a claim until its column has been read.
StateSet StringStates::column_outcomes(State from, const OpenedColumn& column, bool trusting) {
  ByteReader in = column.body;
  switch (column.form()) {
    case ColumnForm::kOne: {
      format::StringArena arena;
      std::string_view string;
      if (!column.codec->decode(in, 1, {}, &arena, &string)) break;
      return StateSet(string.data() == nullptr && are_pieces(column) ? from : next(from, string));
    }
    case ColumnForm::kDistinct:
    case ColumnForm::kRuns: {
      OpenedColumn inner;
      if (!open_column(column.inner, column.inner_rows, column.inside(), &inner)) break;
      return column_outcomes(from, inner, trusting);
    }
    case ColumnForm::kShapes:
      return shaped_outcomes(from, column, trusting);
    case ColumnForm::kShared: {
      format::SharedHead head;
      if (column.within != 0 || !trusting || !format::read_shared_head(in, column.rows, &head)) break;
      return shared_outcomes(from, head, column.rows);
    }
    case ColumnForm::kTexts:
      return texts_outcomes(from, column, trusting);
    case ColumnForm::kWords: {
      format::WordColumn words;
      if (!words.read(in, {column.within})) break;
      return words_outcomes(from, column, words, trusting);
    }
    case ColumnForm::kItems: {
      format::ListColumn list;
      if (column.rows == format::kUnknownRows || !list.read(in, column.rows, {column.within})) break;
      return lists_outcomes(from, column, list, trusting);
    }
    case ColumnForm::kBytes: {
      format::HexColumn hex;
      if (!hex.read(in, {column.within})) break;
      if (hex.other_count() > column.rows && column.rows != format::kUnknownRows) break;
      const bool may_contain = hex.layout().may_contain(pattern_.rest(from));
      StateSet all = may_contain ? any_text(from) : joined_outcomes(from, {});
      if (hex.other_count() != 0)
        all |= part_outcomes(from, hex.others(), hex.other_count(), column.inside(), trusting);
      return all;
    }
    case ColumnForm::kTemplates:
    case ColumnForm::kOther:
      break;
  }
  return any_text(from);
}

StateSet StringStates::texts_outcomes(State from, const OpenedColumn& column, bool trusting) {
  if (column.codec->may_contain != nullptr && !column.codec->may_contain(column, pattern_.rest(from)))
    return joined_outcomes(from, {});
  if (column.codec->read_text == nullptr) {
    constexpr unsigned kDistinct = format::within_bit(format::CodecId::kStringDictionary);
    if ((column.within & kDistinct) != 0 && column.rows != format::kUnknownRows) {  // they are few
      RowStates states(column.rows, from);
      ByteReader in = column.body;
      return run_strings(column, in, &states) ? states.present() : any_text(from);
    }
    // A text that has the literal has it here.
    ByteReader in = column.body;
    const std::size_t size = in.remaining();
    return joined_outcomes(from, {in.take(size), size});
  }
  // Worth decoding only if the column may be passed over for it.
  format::StringArena text;
  if (!trusting || !pays_to_join(from) || !column.codec->read_text(column, &text)) return any_text(from);
  return joined_outcomes(from, text.bytes());
}

// Returns whether a search in all texts of a column, put together, may rule anything out: a byte or two are in most of
// them.
bool StringStates::pays_to_join(State from) const {
  constexpr std::size_t kLeastRest = 3;
  const std::size_t rest = pattern_.rest(from).size();
  return rest >= kLeastRest || (from == automaton_.start() && rest != 0);
}

// Where texts may lead whose bytes are all here, one after the other, perhaps among others.
StateSet StringStates::joined_outcomes(State from, Bytes texts) const {
  StateSet all = any_text(from);
  const std::string_view rest = pattern_.rest(from);
  if (rest.empty()) return all;
  if (!texts.empty() && ::memmem(texts.data(), texts.size(), rest.data(), rest.size()) != nullptr) return all;
  StateSet others;
  all.each([&others](State state) {
    if (state != Automaton::kFound) others.add(state);
  });
  others.add(after_null(from));
  return others;
}

StateSet StringStates::shaped_outcomes(State from, const OpenedColumn& column, bool trusting) {
  ByteReader in = column.body;
  ShapedColumn shaped;
  if (!format::read_shaped_column(in, &shaped)) return any_text(from);
  StateSet all;
  for (std::size_t k = 0; k < shaped.shapes.size(); ++k) {
    StateSet states(from);
    std::size_t part = 0;
    for (const Piece& piece : shaped.shapes[k].pieces) {
      StateSet after;
      if (piece.kind == PieceKind::kConstant) {
        states.each([&](State state) { after.add(automaton_.run(state, piece.text)); });
      } else {
        const Bytes bytes = shaped.varying[k][part++];
        if (bytes.empty()) {  // no string has this shape
          states = StateSet();
          break;
        }
        states.each([&](State state) {
          after |= piece.is_number()
                       ? automaton_.reach(state, NumberText{base_of(piece.kind)}.alphabet(automaton_))
                       : part_outcomes(state, bytes, format::kUnknownRows, column.inside() | kPieces, trusting);
        });
      }
      states = after;
    }
    all |= states;
  }
  if (!shaped.others.empty())
    all |= part_outcomes(from, shaped.others, format::kUnknownRows, column.inside(), trusting);
  return all;
}

}  // namespace steno::query
