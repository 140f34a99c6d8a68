// An automaton over columns of string runs (file.md §9.6.5).
#include <cstdint>

#include "format/strings/runs/codec.h"
#include "query/search/string_states.h"

namespace steno::query {

// Strings that repeat the one before lead where it does. False: damaged; nothing is done.
bool StringStates::run_runs(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix,
                            RowStates* states) {
  ByteReader rest = in;
  format::RunsHead head;
  if (!format::read_runs_head(rest, states->rows(), &head)) return false;
  Scratch::Array<std::uint64_t> repeats(scratch_, head.count);
  if (!format::read_repeats(head, states->rows(), repeats.span())) return false;
  RowStates first(head.count, states->at(0));
  if (!run_column(rest, column.inside(), suffix, &first)) return false;
  in = rest;
  if (first.uniform()) {
    states->set_all(first.at(0));
    return true;
  }
  std::size_t run = 0;
  std::uint64_t left = repeats[0] + 1;
  states->advance([&](std::size_t, State) {
    if (left == 0) left = repeats[++run] + 1;
    --left;
    return first.at(run);
  });
  return true;
}

}  // namespace steno::query
