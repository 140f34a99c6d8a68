// What a text is searched for: a literal text, or a regular expression and the literal texts that it cannot match
// without.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "query/automaton.h"
#include "query/needle.h"
#include "steno/status.h"

namespace re2 {
class FilteredRE2;
}

namespace steno::query {

enum class PatternKind {
  kRegex,     // RE2 syntax, found anywhere; without special characters it is a literal
  kContains,  // the literal text, anywhere
  kEquals,    // the literal text and nothing else
};

// Immutable; thread-safe.
class Pattern {
 public:
  // kInvalidArgument: no regular expression, or too large a one.
  static Result<std::shared_ptr<const Pattern>> make(std::string_view text, PatternKind kind, bool ignore_case);
  ~Pattern();

  bool matches(std::string_view text) const;

  // Says the same of a text that comes in pieces. nullptr: there is none.
  const Automaton* automaton() const { return automaton_.get(); }
  // Without this text nothing matches; empty: not known.
  std::string_view literal() const { return literal_; }
  // Whether what contains literal() matches, and nothing else does.
  bool is_literal() const { return regex_ == nullptr && !whole_ && !literal_.empty(); }
  // Without this text nothing more matches where a text so far has led there: the end of the literal, or all of it.
  // Empty: not known.
  std::string_view rest(Automaton::State state) const {
    return state < seen_.size() ? std::string_view(literal_).substr(seen_[state]) : std::string_view();
  }

  // Literal texts, tested one by one in what is known of a message. Given those that may be in it, may_match() tells
  // whether the pattern may match: false is certain.
  const std::vector<Needle>& needles() const { return needles_; }
  bool may_match(const std::vector<bool>& present) const;
  // Without needle 0 nothing matches.
  bool needle_required() const;
  // A message with needle 0 certainly matches.
  bool needle_decides() const;

 private:
  Pattern() = default;
  void note_seen();
  Status compile_regex(std::string_view text, bool ignore_case);

  std::string literal_;            // unless regex_ is there
  bool whole_ = false;             // kEquals
  std::vector<std::size_t> seen_;  // by state, how much of the literal
  std::vector<Needle> needles_;
  std::unique_ptr<re2::FilteredRE2> regex_;
  std::shared_ptr<const Automaton> automaton_;
};

}  // namespace steno::query
