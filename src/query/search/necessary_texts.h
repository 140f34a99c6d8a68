// The texts of which a regular expression needs one, for expressions that are too much for an automaton.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <vector>

#include "query/search/automaton.h"

namespace steno::query {

// Texts of which at least one is in whatever a valid expression matches, in any case of ASCII letters; the longest that
// are known to be needed, and as few as possible. Empty: none is known. Cost: the expression is compiled once more.
std::vector<std::string> necessary_texts(const re2::StringPiece& expression, const re2::RE2::Options& options);

// An automaton that finds them, or as much of them as it has states for. nullptr: there are none, or too many.
std::shared_ptr<const Automaton> necessary_automaton(const re2::StringPiece& expression,
                                                     const re2::RE2::Options& options);

}  // namespace steno::query
