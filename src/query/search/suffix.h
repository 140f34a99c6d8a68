// The text that follows a field of a message: a literal, and after it perhaps the end.
#pragma once

#include <string>
#include <string_view>

#include "query/search/automaton.h"

namespace steno::query {

struct Suffix {
  std::string_view literal;
  bool ends = false;  // nothing comes after it

  Suffix() = default;
  Suffix(std::string_view text, bool is_end) : literal(text), ends(is_end) {}
  Suffix(std::string_view text) : literal(text) {}  // implicit: a literal is one
  Suffix(const std::string& text) : literal(text) {}
  Suffix(const char* text) : literal(text) {}

  // The state after it. At the end every state is decided: so more texts come to the same.
  Automaton::State after(const Automaton& automaton, Automaton::State state) const {
    state = automaton.run(state, literal);
    if (!ends) return state;
    const Automaton::End end = automaton.end(state);
    return end == Automaton::End::kMatch     ? Automaton::kFound
           : end == Automaton::End::kNoMatch ? Automaton::kLost
                                             : Automaton::kUnknown;
  }
};

}  // namespace steno::query
