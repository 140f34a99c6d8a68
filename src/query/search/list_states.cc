// An automaton over columns of list strings (file.md §9.6.4): of the items it is asked, from each state in which one
// may begin, where they lead; then strings only go from item to item.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "format/strings/lists/read.h"
#include "query/search/string_states.h"

namespace steno::query {

namespace {

constexpr std::size_t kMostBegins = 8;  // states in which items may begin

}  // namespace

// Where any sequence of items may lead.
StateSet StringStates::lists_outcomes(State from, const format::OpenedColumn& column, const format::ListColumn& list,
                                      bool trusting) {
  StateSet all;
  if (std::find(list.counts().begin(), list.counts().end(), 0u) != list.counts().end()) all.add(after_null(from));
  if (list.item_count() == 0) return all;
  StateSet seen(from);
  std::vector<State> begins = {from};
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const StateSet after =
        part_outcomes(begins[k], list.item_bytes(), list.item_count(), column.inside() | format::kPieces, trusting);
    all |= after;
    after.each([&](State state) {
      const State begin = automaton_.run(state, list.separator());
      if (Automaton::is_decided(begin)) return all.add(begin);
      if (seen.has(begin)) return;
      seen.add(begin);
      begins.push_back(begin);
    });
    if (begins.size() > kMostBegins) return any_text(from);
  }
  return all;
}

// False: damaged, or items may begin in too many states; nothing is done then.
bool StringStates::run_lists(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix,
                             RowStates* states) {
  const State from = states->at(0);
  if (Automaton::is_decided(from)) return false;
  ByteReader rest = in;
  format::ListColumn list;
  if (!list.read(rest, states->rows(), {column.within})) return false;
  const std::size_t items = list.item_count();
  std::vector<RowStates> tables;             // where each item leads, by the state in which it begins
  std::array<std::uint8_t, 256> table_of{};  // number of a state's table + 1
  std::array<State, 256> over_separator{};   // where the next item begins
  std::vector<State> begins = {from};
  table_of[from] = 1;
  for (std::size_t k = 0; k < begins.size() && items != 0; ++k) {
    RowStates& table = tables.emplace_back(items, begins[k]);
    if (!run_part(list.item_bytes(), column.inside() | format::kPieces, "", &table)) return false;
    table.present().each([&](State state) {
      const State begin = over_separator[state] = automaton_.run(state, list.separator());
      if (Automaton::is_decided(begin) || table_of[begin] != 0) return;
      begins.push_back(begin);
      table_of[begin] = static_cast<std::uint8_t>(begins.size());
    });
    if (begins.size() > kMostBegins) return false;
  }
  std::size_t item = 0;
  states->advance([&](std::size_t i, State) {
    const std::uint64_t count = list.counts()[i];
    if (count == 0) return after_null(from);
    const std::size_t end = item + count;
    State state = tables[0].at(item);
    while (++item != end && !Automaton::is_decided(state)) {
      state = over_separator[state];
      if (!Automaton::is_decided(state)) state = tables[table_of[state] - 1u].at(item);
    }
    item = end;
    return state;
  });
  advance_suffix(automaton_, suffix, states);
  longest_ = std::max(longest_, list.longest());
  in = rest;
  return true;
}

}  // namespace steno::query
