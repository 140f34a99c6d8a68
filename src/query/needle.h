// A short text that is searched for while only parts of what it is searched in are known.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "query/automaton.h"

namespace steno::query {

// The bit-parallel automaton Shift-And: bit i of a state means that the last i + 1 bytes are the first i + 1 of the
// needle. States of several possible texts can be united by `|`. Immutable; thread-safe.
class Needle {
 public:
  static constexpr std::size_t kMaxSize = 63;  // of a longer text only so much is looked for

  Needle(std::string_view text, bool ignore_case);

  bool empty() const { return size_ == 0; }
  const std::string& text() const { return text_; }
  bool ignores_case() const { return ignore_case_; }
  // False: only a prefix of the text is looked for, so that a hit is a maybe.
  bool whole() const { return whole_; }
  bool accepts(std::uint64_t state) const { return size_ == 0 || (state & accept_) != 0; }
  // The state without what has been found already.
  std::uint64_t unfound(std::uint64_t state) const { return state & ~accept_; }

  // The state after `text`, which begins in `state`. An accepting state stays one.
  std::uint64_t run(std::uint64_t state, std::string_view text) const {
    std::uint64_t found = state & accept_;
    for (const char c : text) {
      state = (state << 1 | 1) & masks_[static_cast<std::uint8_t>(c)];
      found |= state & accept_;
    }
    return state | found;
  }
  // The same, but a match that begins inside `text` does not count.
  std::uint64_t continue_over(std::uint64_t state, std::string_view text) const {
    std::uint64_t found = state & accept_;
    for (const char c : text) {
      state = state << 1 & masks_[static_cast<std::uint8_t>(c)];
      found |= state & accept_;
    }
    return state | found;
  }
  // The states after any text, the empty one too, of these characters.
  std::uint64_t run_any(std::uint64_t state, const CharSet& set) const { return closure(state, set, 1); }
  std::uint64_t continue_over_any(std::uint64_t state, const CharSet& set) const { return closure(state, set, 0); }

  // Backwards: the states from which `text`, or some text of these characters, leads to a state of `good` or passes an
  // accepting one. The accepting one itself is always among them.
  std::uint64_t before(std::uint64_t good, std::string_view text) const {
    good |= accept_;
    for (auto c = text.rbegin(); c != text.rend(); ++c) {
      good = (good & masks_[static_cast<std::uint8_t>(*c)]) >> 1 | accept_;
    }
    return good;
  }
  std::uint64_t before_any(std::uint64_t good, const CharSet& set) const;

 private:
  std::uint64_t mask_of(const CharSet& set) const;
  std::uint64_t closure(std::uint64_t state, const CharSet& set, std::uint64_t start) const;

  std::string text_;
  std::size_t size_;
  bool whole_;
  bool ignore_case_;
  std::uint64_t accept_ = 0;
  std::array<std::uint64_t, 256> masks_{};
};

}  // namespace steno::query
