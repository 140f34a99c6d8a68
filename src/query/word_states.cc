// An automaton over columns of word strings: the dictionary is asked once, strings only where it says that they may
// lead elsewhere (file.md §9.6.1).
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "query/string_column.h"
#include "query/string_states.h"

namespace steno::query {

namespace {

constexpr std::size_t kMostReadings = 24;  // of a dictionary, each from another state

// Where each token of the dictionary leads from one state.
class TokenTable {
 public:
  using State = Automaton::State;

  TokenTable(const Automaton& automaton, const format::WordColumn& column, State from) {
    after_.reserve(column.dictionary().size() + 1);
    after_.push_back(from);  // that of the others is not known
    for (const std::string_view text : column.dictionary()) after_.push_back(automaton.run(from, text));
  }
  State operator[](std::size_t token) const { return after_[token]; }
  // Where most tokens lead.
  State mostly() const {
    std::array<std::size_t, 256> counts{};
    for (std::size_t i = 1; i < after_.size(); ++i) ++counts[after_[i]];
    return static_cast<State>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }

 private:
  std::vector<State> after_;
};

}  // namespace

// Where any sequence of tokens may lead.
StateSet StringStates::words_outcomes(State from, const format::WordColumn& column, unsigned within, bool trusting) {
  StateSet all(from);
  all.add((within & kTextPiece) != 0 ? from : after_null(from));
  StateSet before_words(from);
  StateSet before_marks(from);
  std::array<StateSet, 2> done;
  std::size_t readings = 0;
  const auto next_of = [&](const StateSet& states, bool words, State* next) {
    bool found = false;
    states.each([&](State state) {
      if (found || Automaton::is_decided(state) || done[words].has(state)) return;
      found = true;
      *next = state;
    });
    if (found) done[words].add(*next);
    return found;
  };
  State state;
  for (;;) {
    const bool words = next_of(before_words, true, &state);
    if (!words && !next_of(before_marks, false, &state)) return all;
    if (++readings > kMostReadings) return any_text(from);
    StateSet after;
    for (std::size_t i = 0; i < column.dictionary().size(); ++i) {
      if (column.is_word(i + 1) == words) after.add(automaton_.run(state, column.dictionary()[i]));
    }
    if (words && column.other_count() != 0) {
      after |= texts_outcomes(state, reader_of(column.others()), column.other_count(),
                              within | format::kWithinWords | kTextPiece, trusting);
    }
    if (after.has(Automaton::kFound)) return any_text(from);
    all |= after;
    before_marks |= after;
    after.each([&](State one) { before_words.add(words ? automaton_.step(one, ' ') : one); });
  }
}

// False: it cannot be done so, or the column is damaged; nothing is done.
bool StringStates::run_words(ByteReader& in, unsigned within, const Suffix& suffix, RowStates* states) {
  const State from = states->at(0);
  if (Automaton::is_decided(from)) return false;
  ByteReader rest = in;
  format::WordColumn column;
  if (!column.read(rest, {within & ~kTextPiece}) || !column.read_tokens(states->rows())) return false;
  const std::span<const std::string_view> others = column.other_words();
  // Most tokens lead to one state, the home, and from there stay in it. Only strings with a token that does not are
  // followed token by token.
  const TokenTable first(automaton_, column, from);
  const State home = first.mostly();
  if (Automaton::is_decided(home)) return false;
  const State blank = automaton_.step(home, ' ');
  const TokenTable at_home = home == from ? first : TokenTable(automaton_, column, home);
  const TokenTable after_blank = blank == home ? at_home : TokenTable(automaton_, column, blank);
  if (at_home.mostly() != home) return false;
  std::vector<std::uint8_t> leaves(column.dictionary().size() + 1);
  for (std::size_t token = 1; token < leaves.size(); ++token) {
    leaves[token] = at_home[token] != home || (column.is_word(token) && after_blank[token] != home) ? 1 : 0;
  }
  const auto stays = [&](std::string_view word) {
    return automaton_.run(home, word) == home && automaton_.run(blank, word) == home;
  };
  std::vector<std::uint8_t> other_leaves;
  other_leaves.reserve(others.size());
  for (const std::string_view word : others) other_leaves.push_back(stays(word) ? 0 : 1);

  const std::uint64_t* token = column.tokens().data();
  std::size_t other = 0;
  const auto follow = [&](const std::uint64_t* at, const std::uint64_t* end, std::size_t next_other) {
    State state = from;
    bool after_word = false;
    for (; at != end; ++at) {
      const bool word = *at == 0 || column.is_word(*at);
      if (after_word && word) state = automaton_.step(state, ' ');
      after_word = word;
      if (*at == 0) {
        state = automaton_.run(state, others[next_other++]);
      } else if (state == home) {
        state = at_home[*at];
      } else if (word && state == blank) {
        state = after_blank[*at];
      } else {
        state = automaton_.run(state, column.dictionary()[*at - 1]);
      }
    }
    return state;
  };
  states->advance([&](std::size_t i, State) {
    const std::uint64_t length = column.lengths()[i];
    if (length <= 1) return length == 1 || (within & kTextPiece) != 0 ? from : after_null(from);
    const std::uint64_t* const end = token + length - 1;
    const std::size_t first_other = other;
    std::uint8_t left = *token == 0 || first[*token] != home ? 1 : 0;
    for (const std::uint64_t* at = token; at != end; ++at) {
      if (*at == 0) {
        left |= other_leaves[other++];
      } else {
        left |= leaves[*at];
      }
    }
    const State state = left != 0 ? follow(token, end, first_other) : home;
    token = end;
    return state;
  });
  longest_ = std::max(longest_, column.longest());
  in = rest;
  advance_suffix(automaton_, suffix, states);
  return true;
}

}  // namespace steno::query
