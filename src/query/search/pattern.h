// The pattern that a text is searched for: a literal text, or a regular expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "query/search/automaton.h"
#include "steno/status.h"

namespace re2 {
class RE2;
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

  // Says the same of a text that comes in pieces. Where the pattern is too much for an automaton, it is one of what no
  // match can be without: the first bytes of a long literal, or texts that the regular expression needs; what it finds
  // ends unknown, and is for matches(). nullptr: no text is needed.
  const Automaton* automaton() const { return automaton_.get(); }
  // The text that the automaton finds, or that is at the beginning of what it finds; empty: it finds several.
  std::string_view literal() const { return literal_; }
  // Returns whether the automaton finds texts that contain literal(), and no others.
  bool is_literal() const { return anywhere_ && !literal_.empty(); }
  // Without this text the automaton finds nothing more where a text so far has led there: the end of the literal, or
  // all of it. Empty: not known.
  std::string_view rest(Automaton::State state) const {
    return state < seen_.size() ? std::string_view(literal_).substr(seen_[state]) : std::string_view();
  }

 private:
  Pattern() = default;
  void compile_literal();
  void note_seen();
  Status compile_regex(std::string_view text, bool ignore_case);

  std::string text_;               // unless regex_ is there
  std::string literal_;            // text_, or its beginning
  bool whole_ = false;             // kEquals
  bool anywhere_ = false;          // the automaton finds the literal wherever it is
  std::vector<std::size_t> seen_;  // by state, how much of the literal
  std::unique_ptr<const re2::RE2> regex_;
  std::shared_ptr<const Automaton> automaton_;
};

}  // namespace steno::query
