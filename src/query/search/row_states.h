// The state of an automaton at some place of many texts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "query/search/automaton.h"
#include "query/search/kernels.h"

namespace steno::query {

class RowStates {
 public:
  using State = Automaton::State;

  RowStates() = default;
  RowStates(std::size_t rows, State state) : rows_(rows), one_(state), present_(state) {}
  // Makes it as new, but keeps its memory.
  void reset(std::size_t rows, State state) {
    rows_ = rows;
    set_all(state);
  }

  std::size_t rows() const { return rows_; }
  bool uniform() const { return uniform_; }
  State at(std::size_t row) const { return uniform_ ? one_ : each_[row]; }
  // May have more than are there.
  const StateSet& present() const { return present_; }
  bool all_decided() const {
    bool all = true;
    present_.each([&all](State state) { all = all && Automaton::is_decided(state); });
    return all;
  }

  // Each state becomes that at its index; what is not present is not asked for.
  void map(const std::array<State, 256>& to) {
    StateSet now;
    int changed = 0;
    State from = Automaton::kFound;  // the last one that changes
    present_.each([&](State state) {
      now.add(to[state]);
      if (to[state] == state) return;
      ++changed;
      from = state;
    });
    present_ = now;
    if (uniform_) {
      one_ = to[one_];
    } else if (now.single()) {
      set_all(now.first());
    } else if (changed == 1) {
      replace(from, to[from], each_.size(), each_.data());
    } else if (changed != 0) {
      for (State& state : each_) state = to[state];
    }
  }
  // next(row, state) is the next state of each row.
  template <class Next>
  void advance(const Next& next) {
    if (uniform_) each_.resize(rows_);
    std::array<std::uint8_t, 256> seen{};
    if (uniform_) {
      for (std::size_t i = 0; i < rows_; ++i) seen[each_[i] = next(i, one_)] = 1;
    } else {
      for (std::size_t i = 0; i < rows_; ++i) seen[each_[i] = next(i, each_[i])] = 1;
    }
    StateSet now;
    for (std::size_t s = 0; s < seen.size(); ++s) {
      if (seen[s] != 0) now.add(static_cast<State>(s));
    }
    became(now);
  }
  // Passes states on likewise, where all next states are among `possible`.
  template <class Next>
  void advance_within(const StateSet& possible, const Next& next) {
    if (uniform_) {
      each_.resize(rows_);
      for (std::size_t i = 0; i < rows_; ++i) each_[i] = next(i, one_);
    } else {
      for (std::size_t i = 0; i < rows_; ++i) each_[i] = next(i, each_[i]);
    }
    became(possible);
  }
  // Rows that are not decided yet become `held` where found[i] is 1, else, where it is 0 or nothing is, `other`.
  void decide(std::span<const std::uint8_t> found, State held, State other) {
    std::array<State, 256> to{};
    present_.each([&](State state) { to[state] = Automaton::is_decided(state) ? state : other; });
    if (held == other || found.empty() || std::memchr(found.data(), 1, found.size()) == nullptr) return map(to);
    if (uniform_) each_.assign(rows_, one_);
    uniform_ = false;
    StateSet now;
    present_.each([&](State state) { now.add(to[state]); });
    now.add(held);
    present_ = now;
    choose(found.data(), held, other, Automaton::kUnknown, rows_, each_.data());
  }
  // One row, whatever states there are. Seldom: it takes all of them apart.
  void set_apart(std::size_t row, State state) {
    if (uniform_ && state == one_) return;
    if (uniform_) each_.assign(rows_, one_);
    uniform_ = false;
    each_[row] = state;
    present_.add(state);
  }
  void set_all(State state) {
    uniform_ = true;
    one_ = state;
    present_ = StateSet(state);
  }
  // Requires that the state is among present().
  void set(std::size_t row, State state) {
    if (!uniform_) each_[row] = state;
  }
  // The state of each row, unless uniform().
  std::span<const State> each() const { return each_; }

 private:
  void became(const StateSet& present) {
    uniform_ = false;
    present_ = present;
    if (present_.single()) set_all(present_.first());
  }

  std::size_t rows_ = 0;
  bool uniform_ = true;
  State one_ = Automaton::kLost;
  std::vector<State> each_;  // unless uniform
  StateSet present_;
};

}  // namespace steno::query
