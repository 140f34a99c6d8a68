#include "query/search/string_states.h"

#include <algorithm>

#include "format/block.h"
#include "format/ints/column.h"
#include "format/strings_block.h"
#include "query/search/kernels.h"
#include "query/search/literal_search.h"
#include "query/search/string_column.h"
#include "text/value_text.h"

namespace steno::query {
namespace {

using format::CodecId;
using format::ColumnForm;
using format::kPieces;
using format::OpenedColumn;
using format::Piece;
using format::PieceKind;
using format::ShapedColumn;

constexpr unsigned kOthersOfShared = format::within_bit(CodecId::kSharedStrings);
constexpr std::size_t kManyStates = 8;  // for so many a string is looked at once a row, not once a state

std::size_t count_of(const StateSet& set) {
  std::size_t n = 0;
  set.each([&n](Automaton::State) { ++n; });
  return n;
}

// With a zone that holds them, which may be larger than it need be.
bool read_values(ByteReader& in, format::IntType type, std::span<std::uint64_t> values, format::Zone* zone) {
  *zone = {};
  if (values.empty()) return true;
  const bool zoned = format::read_zone(in, type, values.size(), zone);
  if (!format::decode_ints(in, type, values.size(), 1, values.data())) return false;
  if (!zoned) *zone = {0, greatest_of(values)};
  return true;
}

// Reads codes likewise that must not be more than `most`.
bool read_codes(ByteReader& in, std::uint64_t most, std::span<std::uint64_t> codes, format::Zone* zone) {
  if (!read_values(in, format::kTypeU32, codes, zone)) return false;
  if (zone->greatest > most) zone->greatest = greatest_of(codes);
  return zone->greatest <= most;
}

bool is_constant(StringStates::Bytes column) {
  return !column.empty() && static_cast<CodecId>(column[0]) == CodecId::kConstant;
}

// The numbers of the rows whose codes are 0; false: there are not `count` of them.
bool find_others(std::span<const std::uint64_t> codes, std::size_t count, Scratch::Array<std::uint32_t>* rows) {
  rows->resize(codes.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    (*rows)[found] = static_cast<std::uint32_t>(i);  // found <= i
    found += codes[i] == 0 ? 1 : 0;
  }
  return found == count;
}

}  // namespace

template <class Run>
std::shared_ptr<const SharedTables::Table> SharedTables::of(std::uint64_t dictionary,
                                                            std::span<const std::string_view> strings,
                                                            Automaton::State from, const Run& run) {
  const std::lock_guard lock(mutex_);  // while it is made, too: who else wants it waits for it
  std::shared_ptr<const Table>& entry = tables_[{dictionary, from}];
  if (entry != nullptr) return entry;
  auto table = std::make_shared<Table>();
  table->next.resize(strings.size() + 2);
  const auto add = [&](std::size_t code, std::string_view string) {
    table->next[code] = run(string);
    table->present.add(table->next[code]);
    table->longest = std::max(table->longest, string.size());
  };
  for (std::size_t i = 0; i < strings.size(); ++i) add(i + 1, strings[i]);
  add(strings.size() + 1, format::kMissingString);
  entry = table;
  bytes_ += table->next.size();
  if (bytes_ > kMostBytes) {
    tables_.clear();
    bytes_ = 0;
  }
  return table;
}

std::shared_ptr<const SharedTables::Table> StringStates::table_of(std::uint64_t dictionary, State from) {
  return tables_->of(dictionary, shared_->strings_of(dictionary), from,
                     [&](std::string_view string) { return next(from, string); });
}

StringStates::State StringStates::after_null(State from) const {
  if (print_null_) return automaton_.run(from, text::kNullText);
  return Automaton::is_decided(from) ? from : Automaton::kUnknown;
}

// By what the column claims.
StateSet StringStates::shared_outcomes(State from, const format::SharedHead& head, std::size_t n) {
  if (shared_ == nullptr) return any_text(from);
  StateSet all;
  if (head.others < n) {
    const auto table = table_of(head.dictionary, from);
    all |= table->present;
    longest_ = std::max(longest_, table->longest);
  }
  if (head.others != 0) all |= part_outcomes(from, head.column, head.others, kOthersOfShared, true);
  return all;
}

// Passes the states over the column if each leads to one other after the literal, whatever the strings are. False: they
// do not, and nothing is done. `column`: nullptr: it cannot be opened.
bool StringStates::pass_over(const OpenedColumn* column, const Suffix& suffix, RowStates* states) {
  if (count_of(states->present()) > kManyStates) return false;
  const auto outcomes = [&](State state) {
    if (Automaton::is_decided(state)) return StateSet(state);
    return column != nullptr ? column_outcomes(state, *column, false) : any_text(state);
  };
  return query::pass_over(automaton_, suffix, outcomes, states);
}

// Passes states on by the column's claims, unless they say that something is found.
bool StringStates::pass_over_claims(const OpenedColumn& column, const Suffix& suffix, RowStates* states) {
  if (count_of(states->present()) > kManyStates) return false;
  const auto outcomes = [&](State state) { return column_outcomes(state, column, true); };
  return pass_over_claimed(automaton_, suffix, outcomes, states);
}

bool StringStates::run(Bytes column, const Suffix& suffix, bool by_claims, RowStates* states) {
  by_claims_ = by_claims;
  longest_ = std::max(longest_, column.size() + format::kMaxPieces * format::kMaxDecimalDigits);
  return states->rows() == 0 || run_part(column, 0, suffix, states);
}

bool StringStates::run_part(Bytes part, unsigned within, const Suffix& suffix, RowStates* states) {
  if (states->rows() == 0) return part.empty();
  OpenedColumn column;
  const bool opened = open_column(reader_of(part), states->rows(), within, &column);
  if (pass_over(opened ? &column : nullptr, suffix, states)) return true;
  if (!opened) return false;
  constexpr unsigned kParts = format::within_bit(CodecId::kTemplateStrings) | format::within_bit(CodecId::kListStrings);
  if (by_claims_ && (within & kParts) != 0 && pass_over_claims(column, suffix, states)) return true;
  ByteReader in = column.body;
  return run_opened(column, in, suffix, states) && in.at_end();
}

// A column that others follow. What it claims has been asked already, or is not.
bool StringStates::run_column(ByteReader& in, unsigned within, const Suffix& suffix, RowStates* states) {
  OpenedColumn column;
  if (states->rows() == 0 || !open_column(in, states->rows(), within, &column)) return false;
  in = column.body;
  return run_opened(column, in, suffix, states);
}

// `in` begins with the column's body, and ends with it.
bool StringStates::run_opened(const OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states) {
  const bool uniform = states->uniform();
  switch (column.form()) {
    case ColumnForm::kShapes:
      return run_shaped(column, in, suffix, states);
    case ColumnForm::kShared:
      if (column.within == 0) return run_shared(in, suffix, states);
      break;
    case ColumnForm::kTemplates:
      if (uniform && run_templates(column, in, suffix, states)) return true;
      break;
    case ColumnForm::kItems:
      if (uniform && run_lists(column, in, suffix, states)) return true;
      break;
    case ColumnForm::kRuns:
      if (uniform && run_runs(column, in, suffix, states)) return true;
      break;
    case ColumnForm::kWords:
      if (uniform && run_words(column, in, suffix, states)) return true;
      break;
    case ColumnForm::kDistinct:
      if (count_of(states->present()) > kManyStates) break;
      if (!run_dictionary(column, in, states)) return false;
      advance_suffix(automaton_, suffix, states);
      return true;
    default:
      break;
  }
  if (!run_strings(column, in, states)) return false;
  advance_suffix(automaton_, suffix, states);
  return true;
}

bool StringStates::run_strings(const OpenedColumn& column, ByteReader& in, RowStates* states) {
  std::vector<std::string_view> strings(states->rows());
  format::StringArena arena;
  if (!column.codec->decode(in, strings.size(), {column.within, shared_}, &arena, strings.data()) || !in.ok())
    return false;
  for (std::string_view& s : strings) {
    longest_ = std::max(longest_, s.size());
    if (s.data() == nullptr && are_pieces(column)) s = "";
  }
  run_each(strings, states);
  return true;
}

void StringStates::run_each(std::span<const std::string_view> strings, RowStates* states) const {
  if (run_literal(strings, states)) return;
  states->advance([&](std::size_t i, State state) { return next(state, strings[i]); });
}

// Where none of a literal has been seen yet, a string without it leads where its last bytes do. False: nothing is done.
bool StringStates::run_literal(std::span<const std::string_view> strings, RowStates* states) const {
  constexpr std::size_t kLeastStrings = 64;
  const State start = automaton_.start();
  if (!pattern_.is_literal() || !states->present().has(start) || strings.size() < kLeastStrings) return false;
  const std::string_view literal = pattern_.literal();
  std::vector<std::uint8_t> found(strings.size());
  if (!find_literal(literal, strings, found)) return false;
  states->advance([&](std::size_t i, State state) {
    const std::string_view string = strings[i];
    if (state != start || string.data() == nullptr) return next(state, string);
    if (found[i] != 0) return Automaton::kFound;
    return automaton_.run(start, string.substr(string.size() - std::min(string.size(), literal.size() - 1)));
  });
  return true;
}

bool StringStates::run_dictionary(const OpenedColumn& column, ByteReader& in, RowStates* states) {
  const std::size_t count = column.inner_rows;
  std::array<RowStates, 256> tables;
  bool good = true;
  bool flat = true;  // all strings lead one state to one
  std::array<State, 256> to{};
  states->present().each([&](State state) {
    RowStates& table = tables[state] = RowStates(count, state);
    in = column.inner;
    good = good && run_column(in, column.inside(), "", &table);
    flat = flat && table.uniform();
    to[state] = table.at(0);
  });
  Scratch::Array<std::uint64_t> codes(scratch_, states->rows());
  format::Zone zone;
  if (!good || !read_codes(in, count - 1, codes.span(), &zone)) return false;
  if (flat) {
    states->map(to);
  } else {
    states->advance([&](std::size_t i, State state) { return tables[state].at(codes[i]); });
  }
  return true;
}

// Without decoding the codes, if by the head and the others all strings lead each state to one other that is no match.
bool StringStates::pass_over_shared(const format::SharedHead& head, const Suffix& suffix, RowStates* states) {
  if (!by_claims_ || count_of(states->present()) > kManyStates) return false;
  const auto outcomes = [&](State state) { return shared_outcomes(state, head, states->rows()); };
  if (!pass_over_claimed(automaton_, suffix, outcomes, states)) return false;
  OpenedColumn others;
  const bool good = head.others == 0 || open_column(reader_of(head.column), head.others, kOthersOfShared, &others);
  if (head.others != 0) longest_ = std::max(longest_, good ? format::most_string_bytes(others) : format::kMaxPayload);
  return true;
}

// The tables of all states that are present.
StringStates::Shared StringStates::tables_of(std::uint64_t dictionary, const RowStates& states) {
  Shared shared;
  states.present().each([&](State state) {
    const auto& table = shared.tables[state] = table_of(dictionary, state);
    shared.next[state] = table->next.data();
    shared.lost = table->next.size() - 1;
    shared.possible |= table->present;
    longest_ = std::max(longest_, table->longest);
  });
  return shared;
}

// If nearly all strings lead to one state: by where the codes of the few others are. `others`: the states after strings
// that are not in the dictionary. False: it cannot be done so, or the column is damaged; nothing is done.
bool StringStates::run_few_codes(const ByteReader& codes, const SharedTables::Table& table, const RowStates& others,
                                 const Suffix& suffix, RowStates* states) {
  constexpr std::size_t kFew = 12;    // codes to look for ...
  constexpr std::size_t kMany = 256;  // ... among so many at least: those of few come often
  constexpr std::size_t kSeldom = 16;
  const std::size_t n = states->rows();
  const std::size_t lost = table.next.size() - 1;
  if (lost < kMany || lost > n || others.rows() > n / kSeldom) return false;
  std::array<State, 256> to{};
  table.present.each([&](State state) { to[state] = suffix.after(automaton_, state); });
  const State most = to[table.next[lost]];  // what is missing matches nothing, mostly
  std::vector<std::uint64_t> wanted;
  if (others.rows() != 0) wanted.push_back(0);
  for (std::size_t code = 1; code < lost; ++code) {
    if (to[table.next[code]] == most) continue;
    if (wanted.size() == kFew) return false;
    wanted.push_back(code);
  }
  std::vector<format::PlacedValue> found;
  if (!format::find_values(codes, format::kTypeU32, n, wanted, n / kSeldom, &found)) return false;
  const auto zeros = std::count_if(found.begin(), found.end(), [](const auto& one) { return one.value == 0; });
  if (static_cast<std::size_t>(zeros) != others.rows()) return false;
  std::size_t other = 0;
  for (format::PlacedValue& one : found) {  // becomes the state of the row
    const State state = one.value != 0 ? to[table.next[one.value]] : suffix.after(automaton_, others.at(other++));
    one.value = Automaton::is_decided(states->at(one.row)) ? states->at(one.row) : state;
  }
  std::array<State, 256> after{};
  states->present().each([&](State state) { after[state] = Automaton::is_decided(state) ? state : most; });
  states->map(after);
  for (const format::PlacedValue& one : found) states->set_apart(one.row, static_cast<State>(one.value));
  return true;
}

bool StringStates::run_shared(ByteReader& in, const Suffix& suffix, RowStates* states) {
  const std::size_t n = states->rows();
  format::SharedHead head;
  if (shared_ == nullptr || !format::read_shared_head(in, n, &head)) return false;
  if (pass_over_shared(head, suffix, states)) return in.take(in.remaining()) != nullptr;
  const Shared shared = tables_of(head.dictionary, *states);
  StateSet possible = shared.possible;
  RowStates others(head.others, states->at(0));
  const auto run_others = [&] {
    if (head.others == 0) return true;
    if (!run_part(head.column, kOthersOfShared, "", &others)) return false;
    possible |= others.present();
    return true;
  };
  // One state, and perhaps some that stay whatever the strings are.
  std::vector<State> undecided;
  states->present().each([&](State state) {
    if (!Automaton::is_decided(state)) undecided.push_back(state);
  });
  if (undecided.size() == 1 && (by_claims_ || states->uniform())) {
    others = RowStates(head.others, undecided[0]);
    if (!run_others()) return false;
    const auto outcomes = [&](State state) { return Automaton::is_decided(state) ? StateSet(state) : possible; };
    if (by_claims_ && (pass_over_claimed(automaton_, suffix, outcomes, states) ||
                       run_few_codes(in, *shared.tables[undecided[0]], others, suffix, states))) {
      return in.take(in.remaining()) != nullptr;
    }
    if (!states->uniform()) others = RowStates(head.others, states->at(0));
  }
  Scratch::Array<std::uint64_t> codes(scratch_, n);
  Scratch::Array<std::uint32_t> other_rows(scratch_);
  format::Zone zone;
  if (!read_codes(in, format::kMaxSharedStrings, codes.span(), &zone)) return false;
  if (zone.least != 0 ? head.others != 0 : !find_others(codes.span(), head.others, &other_rows)) return false;
  if (!states->uniform()) {
    others.advance([&](std::size_t i, State) { return states->at(other_rows[i]); });
    if (!run_others()) return false;
  }
  // Codes beyond the dictionary are lost; what that of 0 leads to is replaced.
  const std::uint64_t* code = codes.data();
  if (zone.greatest <= shared.lost) {
    states->advance_within(possible, [&](std::size_t i, State state) { return shared.next[state][code[i]]; });
  } else {
    states->advance_within(possible, [&](std::size_t i, State state) {
      return shared.next[state][std::min<std::uint64_t>(code[i], shared.lost)];
    });
  }
  for (std::size_t k = 0; k < others.rows(); ++k) states->set(other_rows[k], others.at(k));
  advance_suffix(automaton_, suffix, states);
  return true;
}

// A number and the constant after it, or nothing.
bool StringStates::run_number(const Piece& piece, Bytes column, const Suffix& suffix, RowStates* states) {
  const NumberText text{base_of(piece.kind), piece.width};
  const Automaton::Alphabet& alphabet = text.alphabet(automaton_);
  const auto any = [&](State state) { return automaton_.reach(state, alphabet); };
  if (query::pass_over(automaton_, suffix, any, states)) return true;
  ByteReader in = reader_of(column);
  format::Zone zone;
  const auto some = [&](State state) {
    return automaton_.reach(state, alphabet, piece.width, text.digits(zone.greatest));
  };
  const bool zoned = format::read_zone(in, format::kTypeU64, states->rows(), &zone);
  if (zoned && by_claims_ && pass_over_claimed(automaton_, suffix, some, states)) return true;
  NumberSearch search;
  const bool planned = plan_search(automaton_, pattern_.literal(), text, suffix, states->present(), &search);
  if (planned && search_packed(search, {in, format::kTypeU64}, by_claims_, &scratch_, states)) return true;
  Scratch::Array<std::uint64_t> values(scratch_, states->rows());
  if (!read_values(in, format::kTypeU64, values.span(), &zone) || !in.at_end()) return false;
  if (query::pass_over(automaton_, suffix, some, states)) return true;
  if (planned) {
    search_numbers(search, values.span(), zone.greatest, &scratch_, states);
  } else {
    step_numbers(automaton_, text, values.span(), zone.greatest, suffix, states);
  }
  return true;
}

// `states` are those of the strings that have the shape.
bool StringStates::run_shape(const format::Shape& shape, const std::vector<Bytes>& varying, unsigned within,
                             const Suffix& suffix, RowStates* states) {
  std::size_t part = 0;
  for (std::size_t i = 0; i < shape.pieces.size() && !states->all_decided(); ++i) {
    const Piece& piece = shape.pieces[i];
    if (piece.kind == PieceKind::kConstant) {
      advance_suffix(automaton_, piece.text, states);
      continue;
    }
    const Bytes bytes = varying[part++];
    if (piece.kind == PieceKind::kText) {
      if (!run_part(bytes, within | kPieces, "", states)) return false;
      continue;
    }
    const bool constant_follows = i + 1 < shape.pieces.size() && shape.pieces[i + 1].kind == PieceKind::kConstant;
    std::string after_number = constant_follows ? shape.pieces[i + 1].text : std::string();
    i += constant_follows ? 1 : 0;
    const bool last = i + 1 == shape.pieces.size();
    if (last) after_number += suffix.literal;
    if (!run_number(piece, bytes, {after_number, last && suffix.ends}, states)) return false;
    if (last) return true;
  }
  advance_suffix(automaton_, suffix, states);
  return true;
}

bool StringStates::run_shaped(const OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states) {
  ShapedColumn shaped;
  if (!format::read_shaped_column(in, &shaped)) return false;
  const std::size_t shapes = shaped.shapes.size();
  const unsigned within = column.inside();
  ByteReader index_reader = reader_of(shaped.indices);
  // Mostly all strings have one shape: then one index is as good as all.
  Scratch::Array<std::uint64_t> indices(scratch_, is_constant(shaped.indices) ? 1 : states->rows());
  format::Zone zone;
  if (!read_codes(index_reader, shapes, indices.span(), &zone) || !index_reader.at_end()) return false;
  if (indices.size() != states->rows()) zone.least = indices[0];
  if (zone.least == zone.greatest && zone.least != 0) {
    const std::size_t k = zone.least - 1;
    return run_shape(shaped.shapes[k], shaped.varying[k], within, suffix, states);
  }
  if (zone.greatest == 0) return run_part(shaped.others, within, suffix, states);
  std::vector<std::size_t> counts(shapes + 1);
  for (const std::uint64_t index : indices.span()) ++counts[index];
  // Those of each shape by themselves, in their order; first those without one.
  std::vector<RowStates> of_shape(shapes + 1);
  for (std::size_t k = 0; k <= shapes; ++k) {
    if (counts[k] == 0) continue;
    of_shape[k] = RowStates(counts[k], states->at(0));
    if (!states->uniform()) {
      std::size_t row = 0;
      of_shape[k].advance([&](std::size_t, State) {
        while (indices[row] != k) ++row;
        return states->at(row++);
      });
    }
    const bool good = k == 0 ? run_part(shaped.others, within, suffix, &of_shape[0])
                             : run_shape(shaped.shapes[k - 1], shaped.varying[k - 1], within, suffix, &of_shape[k]);
    if (!good) return false;
  }
  std::vector<std::size_t> next(shapes + 1);
  states->advance([&](std::size_t i, State) { return of_shape[indices[i]].at(next[indices[i]]++); });
  return true;
}

}  // namespace steno::query
