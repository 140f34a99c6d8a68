// Where a column of strings may lead, by what it claims (string_states.h).
#include <cstring>

#include "format/codecs/hex_strings.h"
#include "format/codecs/string_distinct.h"
#include "format/codecs/string_runs.h"
#include "format/codecs/string_texts.h"
#include "format/rows.h"
#include "query/string_column.h"
#include "query/string_states.h"

namespace steno::query {

using format::CodecId;
using format::Piece;
using format::PieceKind;
using format::ShapedColumn;

namespace {

constexpr std::size_t kUnknownCount = 0;  // of strings in a column

}  // namespace

// Null, empty, or anything.
StateSet StringStates::any_text(State from) const {
  StateSet all = automaton_.reach(from, automaton_.anything());
  all.add(from);
  all.add(after_null(from));
  return all;
}

StateSet StringStates::outcomes(State from, Bytes column, std::size_t n) {
  if (Automaton::is_decided(from)) return StateSet(from);
  return texts_outcomes(from, reader_of(column), n, 0, true);
}

// Only if `trusting`, a zone decides: it is a claim until its column has been read. n may be kUnknownCount.
StateSet StringStates::texts_outcomes(State from, ByteReader in, std::size_t n, unsigned within, bool trusting) {
  const ByteReader whole = in;
  const format::StringCodec* const codec = open_codec(in, within);
  if (codec == nullptr) return any_text(from);
  switch (codec->id) {
    case CodecId::kConstantString: {
      in = whole;
      format::StringArena arena;
      std::string_view string;
      if (!format::decode_strings(in, 1, {}, &arena, &string)) break;
      return StateSet(string.data() == nullptr && (within & kTextPiece) != 0 ? from : next(from, string));
    }
    case CodecId::kStringDictionary: {
      const std::uint64_t count = in.get_varint();
      if (!in.ok() || count == 0 || (count > n && n != kUnknownCount) || count > format::kMaxRecords) break;
      return texts_outcomes(from, in, count, within | format::within_bit(format::CodecId::kStringDictionary), trusting);
    }
    case CodecId::kStringRuns: {
      format::RunsHead head;
      const std::size_t most = n != kUnknownCount ? n : format::kMaxRecords;
      if (!format::read_runs_head(in, most, &head)) break;
      return texts_outcomes(from, in, head.count, within | format::within_bit(format::CodecId::kStringRuns), trusting);
    }
    case CodecId::kShapedStrings:
      return shaped_outcomes(from, in, within, trusting);
    case CodecId::kSharedStrings: {
      format::SharedHead head;
      if (within != 0 || !trusting || !format::read_shared_head(in, n, &head)) break;
      return shared_outcomes(from, head, n);
    }
    case CodecId::kStrings: {
      if ((within & format::within_bit(format::CodecId::kStringDictionary)) != 0 &&
          n != kUnknownCount) {  // they are few
        RowStates states(n, from);
        in = whole;
        if (!run_strings(in, within, &states)) break;
        return states.present();
      }
      // All bytes lie there as they are: a text that has the literal has it here.
      const std::size_t size = in.remaining();
      const std::uint8_t* bytes = in.take(size);
      return joined_outcomes(from, {bytes, size});
    }
    case CodecId::kLetterStrings:
      if (!format::may_spell(in, pattern_.rest(from))) return joined_outcomes(from, {});
      [[fallthrough]];
    case CodecId::kSymbolStrings: {
      // Worth decoding only if the column may be passed over for it.
      format::StringArena text;
      in = whole;
      const std::size_t size = in.remaining();
      if (!trusting || !pays_to_join(from) || !format::read_joined_strings({in.take(size), size}, &text)) break;
      return joined_outcomes(from, text.bytes());
    }
    case CodecId::kWordStrings: {
      format::WordColumn column;
      if (!column.read(in, {columns_around(within)})) break;
      return words_outcomes(from, column, within, trusting);
    }
    case CodecId::kListStrings: {
      format::ListColumn column;
      if (n == kUnknownCount || !column.read(in, n, {columns_around(within)})) break;
      return lists_outcomes(from, column, within, trusting);
    }
    case CodecId::kHexStrings: {
      format::HexColumn column;
      if (!column.read(in, {columns_around(within)}) || (column.other_count() > n && n != kUnknownCount)) break;
      const bool may_contain = column.layout().may_contain(pattern_.rest(from));
      StateSet all = may_contain ? any_text(from) : joined_outcomes(from, {});
      if (column.other_count() != 0) {
        const ByteReader others = reader_of(column.others());
        all |= texts_outcomes(from, others, column.other_count(),
                              within | format::within_bit(format::CodecId::kHexStrings), trusting);
      }
      return all;
    }
    case CodecId::kZstdStrings: {
      format::StringArena text;
      if (!trusting || n == kUnknownCount || !pays_to_join(from) || !format::read_zstd_text(in, n, &text)) break;
      return joined_outcomes(from, text.bytes());
    }
    default:
      break;
  }
  return any_text(from);
}

// Whether it may say something that all texts of a column are put together: a byte or two are in most of them.
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

StateSet StringStates::shaped_outcomes(State from, ByteReader in, unsigned within, bool trusting) {
  within |= format::within_bit(format::CodecId::kShapedStrings);
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
                       : texts_outcomes(state, reader_of(bytes), kUnknownCount, within | kTextPiece, trusting);
        });
      }
      states = after;
    }
    all |= states;
  }
  if (!shaped.others.empty()) all |= texts_outcomes(from, reader_of(shaped.others), kUnknownCount, within, trusting);
  return all;
}

}  // namespace steno::query
