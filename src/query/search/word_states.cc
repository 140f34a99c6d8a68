// An automaton over columns of word strings: the dictionary is asked once, strings only where it says that they may
// lead elsewhere (file.md §9.6.1).
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "format/ints/column.h"
#include "query/search/string_column.h"
#include "query/search/string_states.h"

namespace steno::query {

namespace {

constexpr std::size_t kMostReadings = 24;  // of a dictionary, each from another state

// Where each token of the dictionary leads from one state.
class TokenTable {
 public:
  using State = Automaton::State;

  TokenTable(const Automaton& automaton, const format::WordColumn& column, State from) : from_(from) {
    after_.reserve(column.dictionary().size() + 1);
    after_.push_back(from);  // that of the others is not known
    for (const std::string_view text : column.dictionary()) after_.push_back(automaton.run(from, text));
  }
  State from() const { return from_; }
  State operator[](std::size_t token) const { return after_[token]; }
  // Where most tokens lead.
  State mostly() const {
    std::array<std::size_t, 256> counts{};
    for (std::size_t i = 1; i < after_.size(); ++i) ++counts[after_[i]];
    return static_cast<State>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }

 private:
  State from_;
  std::vector<State> after_;
};

}  // namespace

// Where any sequence of tokens may lead.
StateSet StringStates::words_outcomes(State from, const format::OpenedColumn& column, const format::WordColumn& words,
                                      bool trusting) {
  StateSet all(from);
  all.add(are_pieces(column) ? from : after_null(from));
  StateSet before_words(from);
  StateSet before_marks(from);
  std::array<StateSet, 2> done;
  std::size_t readings = 0;
  const auto next_of = [&](const StateSet& states, bool before_word, State* next) {
    bool found = false;
    states.each([&](State state) {
      if (found || Automaton::is_decided(state) || done[before_word].has(state)) return;
      found = true;
      *next = state;
    });
    if (found) done[before_word].add(*next);
    return found;
  };
  State state;
  for (;;) {
    const bool at_word = next_of(before_words, true, &state);
    if (!at_word && !next_of(before_marks, false, &state)) return all;
    if (++readings > kMostReadings) return any_text(from);
    StateSet after;
    for (std::size_t i = 0; i < words.dictionary().size(); ++i) {
      if (words.is_word(i + 1) == at_word) after.add(automaton_.run(state, words.dictionary()[i]));
    }
    if (at_word && words.other_count() != 0) {
      after |= part_outcomes(state, words.others(), words.other_count(), column.inside() | format::kPieces, trusting);
    }
    if (after.has(Automaton::kFound)) return any_text(from);
    all |= after;
    before_marks |= after;
    after.each([&](State one) { before_words.add(at_word ? automaton_.step(one, ' ') : one); });
  }
}

// A column under way, from one state. Most tokens lead to one state, the home, or to one that comes to the same, and
// from there stay so: only strings with a token that does not are looked at token by token.
class StringStates::WordRun {
 public:
  WordRun(StringStates& owner, const format::OpenedColumn& opened, format::WordColumn& column, const Suffix& suffix,
          RowStates* states)
      : owner_(owner),
        automaton_(owner.automaton_),
        opened_(opened),
        column_(column),
        suffix_(suffix),
        states_(*states),
        from_(states->at(0)) {
    same_.fill(-1);
  }

  // After the lengths of the column. False: there is no such home.
  bool find_home() {
    tables_.emplace_back(automaton_, column_, from_);
    home_ = tables_[0].mostly();
    if (Automaton::is_decided(home_)) return false;
    blank_ = automaton_.step(home_, ' ');
    for (const State state : {home_, blank_}) {
      if (table_of(state) == nullptr) tables_.emplace_back(automaton_, column_, state);
    }
    first_ = table_of(from_);
    at_home_ = table_of(home_);
    after_blank_ = table_of(blank_);
    return at_home_->mostly() == home_;
  }
  // By where the few tokens are that find something, if all others make no difference. False: it cannot be done so, or
  // the column is damaged; nothing is done.
  bool run_few();
  // False: the column is damaged; nothing is done.
  bool run_all();

 private:
  static constexpr std::size_t kFew = 1024;  // tokens to look for
  static constexpr std::size_t kSeldom = 4;  // of which there is one among so many at most

  // The effect of a token on the home state.
  enum Effect : std::uint8_t { kStays, kLeaves, kFinds };

  const TokenTable* table_of(State state) const {
    for (const TokenTable& table : tables_) {
      if (table.from() == state) return &table;
    }
    return nullptr;
  }
  // The state after a string without tokens, or after null.
  State after_none(std::uint64_t length) const {
    return length == 1 || are_pieces(opened_) ? from_ : owner_.after_null(from_);
  }
  bool is_same_as_home(State state) const;
  // Returns whether a state after a word, or after a mark, is the same as the home; keeps the answer for words.
  bool is_same(State state, bool word) {
    if (!word) return state == home_;
    if (same_[state] < 0) same_[state] = is_same_as_home(state) ? 1 : 0;
    return same_[state] != 0;
  }
  // By where it leads from there, from a blank after it, and, if that is asked for too, as the first of a string.
  Effect effect_of(bool word, State at_home, State after_blank, State first) {
    if (!word) after_blank = at_home;
    const auto all = [&](const auto& test) { return test(at_home) && test(after_blank) && test(first); };
    if (all([](State state) { return state == Automaton::kFound; })) return kFinds;
    return all([&](State state) { return is_same(state, word); }) ? kStays : kLeaves;
  }
  Effect effect_of(bool word, State at_home, State after_blank) {
    return effect_of(word, at_home, after_blank, at_home);
  }
  bool try_others(std::vector<std::uint8_t>* effects);
  State follow(State state, const std::uint64_t* at, const std::uint64_t* end, std::size_t next_other) const;

  StringStates& owner_;
  const Automaton& automaton_;
  const format::OpenedColumn& opened_;
  format::WordColumn& column_;
  const Suffix& suffix_;
  RowStates& states_;
  const State from_;
  State home_ = Automaton::kLost;
  State blank_ = Automaton::kLost;  // after a blank
  std::vector<TokenTable> tables_;
  const TokenTable* first_ = nullptr;
  const TokenTable* at_home_ = nullptr;
  const TokenTable* after_blank_ = nullptr;
  std::array<signed char, 256> same_;  // by state: whether it is the same as the home, or -1
};

// Returns whether a state after a word comes to the same as the home, whatever comes next.
bool StringStates::WordRun::is_same_as_home(State state) const {
  if (state == home_) return true;
  if (automaton_.step(state, ' ') != blank_) return false;
  if (suffix_.after(automaton_, state) != suffix_.after(automaton_, home_)) return false;
  for (std::size_t token = 1; token <= column_.dictionary().size(); ++token) {
    if (!column_.is_word(token) && automaton_.run(state, column_.dictionary()[token - 1]) != (*at_home_)[token])
      return false;
  }
  return true;
}

// The effects of the words that are not in the dictionary; none, if they all stay. False: one of them leaves, or they
// are damaged.
bool StringStates::WordRun::try_others(std::vector<std::uint8_t>* effects) {
  if (column_.other_count() == 0) return true;
  bool all_stay = true;
  for (const TokenTable& table : tables_) {
    const StateSet after = owner_.part_outcomes(table.from(), column_.others(), column_.other_count(),
                                                opened_.inside() | format::kPieces, true);
    after.each([&](State state) { all_stay = all_stay && is_same(state, true); });
  }
  if (all_stay) return true;
  if (!column_.read_others()) return false;
  bool some_find = false;
  for (const std::string_view word : column_.other_words()) {
    effects->push_back(
        effect_of(true, automaton_.run(home_, word), automaton_.run(blank_, word), automaton_.run(from_, word)));
    if (effects->back() == kLeaves) return false;
    some_find = some_find || effects->back() == kFinds;
  }
  if (!some_find) effects->clear();
  return true;
}

bool StringStates::WordRun::run_few() {
  std::vector<std::uint64_t> wanted;
  for (std::size_t token = 1; token <= column_.dictionary().size(); ++token) {
    const bool word = column_.is_word(token);
    const Effect effect = effect_of(word, (*at_home_)[token], (*after_blank_)[token], (*first_)[token]);
    if (effect == kStays) continue;
    if (effect == kLeaves || wanted.size() == kFew) return false;
    wanted.push_back(token);
  }
  std::vector<std::uint8_t> others;  // their effects, if some of them find something
  if (!try_others(&others)) return false;
  if (!others.empty()) wanted.insert(wanted.begin(), 0);
  std::vector<format::PlacedValue> found;
  const std::size_t n = column_.token_count();
  const ByteReader tokens = reader_of(column_.token_bytes());
  if (!wanted.empty() && !format::find_values(tokens, format::kTypeU32, n, wanted, n / kSeldom, &found)) return false;
  if (!others.empty()) {
    std::size_t other = 0;
    std::erase_if(found, [&](const format::PlacedValue& one) {
      return one.value == 0 && (other == others.size() || others[other++] != kFinds);
    });
    if (other != others.size()) return false;
  }
  const auto next_of = [&](State state) {
    return Automaton::is_decided(state) ? state : suffix_.after(automaton_, state);
  };
  states_.set_all(next_of(home_));
  std::size_t row = 0;
  std::size_t end = 0;  // of the row's tokens
  std::size_t next = 0;
  for (const std::uint64_t length : column_.lengths()) {
    end += length <= 1 ? 0 : length - 1;
    if (length <= 1) {
      states_.set_apart(row, next_of(after_none(length)));
    } else if (next != found.size() && found[next].row < end) {
      states_.set_apart(row, Automaton::kFound);
      while (next != found.size() && found[next].row < end) ++next;
    }
    ++row;
  }
  return true;
}

// From a token that follows none, or the home.
StringStates::State StringStates::WordRun::follow(State state, const std::uint64_t* at, const std::uint64_t* end,
                                                  std::size_t next_other) const {
  bool after_word = false;
  for (; at != end && !Automaton::is_decided(state); ++at) {
    const bool word = column_.is_word(*at);
    if (after_word && word) state = automaton_.step(state, ' ');
    after_word = word;
    if (*at == 0) {
      state = automaton_.run(state, column_.other_words()[next_other++]);
    } else if (state == home_) {
      state = (*at_home_)[*at];
    } else if (word && state == blank_) {
      state = (*after_blank_)[*at];
    } else {
      state = automaton_.run(state, column_.dictionary()[*at - 1]);
    }
  }
  return state;
}

bool StringStates::WordRun::run_all() {
  if (!column_.read_tokens()) return false;
  std::vector<std::uint8_t> other_effects;
  other_effects.reserve(column_.other_words().size());
  std::uint8_t some_others = kStays;
  for (const std::string_view word : column_.other_words()) {
    other_effects.push_back(effect_of(true, automaton_.run(home_, word), automaton_.run(blank_, word)));
    some_others |= other_effects.back();
  }
  std::vector<std::uint8_t> effects(column_.dictionary().size() + 1);
  effects[0] = some_others;
  for (std::size_t token = 1; token < effects.size(); ++token) {
    effects[token] = effect_of(column_.is_word(token), (*at_home_)[token], (*after_blank_)[token]);
  }
  const auto others_in = [&](const std::uint64_t* begin, const std::uint64_t* end) {
    return other_effects.empty() ? 0 : static_cast<std::size_t>(std::count(begin, end, std::uint64_t{0}));
  };
  const std::uint64_t* token = column_.tokens().data();
  std::size_t other = 0;
  // The tokens of one string:
  const auto next = [&](const std::uint64_t* end) {
    const std::uint64_t* at = token;
    if (from_ != home_) {
      const State state = *at == 0 ? automaton_.run(from_, column_.other_words()[other]) : (*first_)[*at];
      if (!is_same(state, column_.is_word(*at))) return follow(from_, at, end, other);
      ++at;
    }
    for (; at != end; ++at) {
      std::uint8_t effect = effects[*at];
      if (effect == kStays) continue;
      const std::size_t others = other + others_in(token, at);
      if (*at == 0) effect = other_effects[others];
      if (effect == kFinds) return Automaton::kFound;
      if (effect == kStays) continue;
      const bool blank = at != token && column_.is_word(at[-1]) && column_.is_word(*at);
      return follow(blank ? blank_ : home_, at, end, others);
    }
    return home_;
  };
  states_.advance([&](std::size_t i, State) {
    const std::uint64_t length = column_.lengths()[i];
    if (length <= 1) return after_none(length);
    const std::uint64_t* const end = token + length - 1;
    const State state = next(end);
    other += others_in(token, end);
    token = end;
    return state;
  });
  advance_suffix(automaton_, suffix_, &states_);
  return true;
}

// False: it cannot be done so, or the column is damaged; nothing is done.
bool StringStates::run_words(const format::OpenedColumn& opened, ByteReader& in, const Suffix& suffix,
                             RowStates* states) {
  if (Automaton::is_decided(states->at(0))) return false;
  ByteReader rest = in;
  format::WordColumn column;
  if (!column.read(rest, {opened.within}) || !column.read_lengths(states->rows())) return false;
  WordRun run(*this, opened, column, suffix, states);
  if (!run.find_home()) return false;
  if (!(by_claims_ && run.run_few()) && !run.run_all()) return false;
  longest_ = std::max(longest_, column.longest());
  in = rest;
  return true;
}

}  // namespace steno::query
