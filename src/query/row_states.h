// The state of an automaton at some place of many texts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "query/automaton.h"
#include "query/kernels.h"

namespace steno::query {

class RowStates {
 public:
  using State = Automaton::State;

  RowStates() = default;
  RowStates(std::size_t rows, State state) : rows_(rows), one_(state), present_(state) {}

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
    uniform_ = false;
    present_ = StateSet();
    for (std::size_t s = 0; s < seen.size(); ++s) {
      if (seen[s] != 0) present_.add(static_cast<State>(s));
    }
    if (present_.single()) set_all(present_.first());
  }
  // Rows that are not decided yet become `held` where found[i] is 1, else, where it is 0, `other`.
  void decide(std::span<const std::uint8_t> found, State held, State other) {
    std::array<State, 256> to{};
    present_.each([&](State state) { to[state] = Automaton::is_decided(state) ? state : other; });
    if (held == other || std::find(found.begin(), found.end(), std::uint8_t{1}) == found.end()) return map(to);
    if (uniform_) each_.assign(rows_, one_);
    uniform_ = false;
    StateSet now;
    present_.each([&](State state) { now.add(to[state]); });
    now.add(held);
    present_ = now;
    choose(found.data(), held, other, Automaton::kUnknown, rows_, each_.data());
  }
  void set_all(State state) {
    uniform_ = true;
    one_ = state;
    present_ = StateSet(state);
  }

 private:
  std::size_t rows_ = 0;
  bool uniform_ = true;
  State one_ = Automaton::kLost;
  std::vector<State> each_;  // unless uniform
  StateSet present_;
};

}  // namespace steno::query
