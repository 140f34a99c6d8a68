// A deterministic automaton over bytes, for texts that come in pieces.
//
// A text need not be there as a whole, nor as bytes: a number leads from state to state by tables of its digits, and of
// a piece of which only the alphabet is known can be said which states it may lead to.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace steno::query {

using CharSet = std::bitset<256>;

inline CharSet set_of(std::string_view characters) {
  CharSet set;
  for (const char c : characters) set.set(static_cast<std::uint8_t>(c));
  return set;
}

class StateSet {
 public:
  StateSet() = default;
  explicit StateSet(std::uint8_t state) { add(state); }

  void add(std::uint8_t state) { words_[state / 64] |= std::uint64_t{1} << state % 64; }
  bool has(std::uint8_t state) const { return (words_[state / 64] >> state % 64 & 1) != 0; }
  bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  bool single() const {
    std::uint64_t all = 0;
    int words = 0;
    for (const std::uint64_t word : words_) {
      all |= word;
      words += word != 0 ? 1 : 0;
    }
    return words == 1 && (all & (all - 1)) == 0;
  }
  std::uint8_t first() const {  // of one that is not empty
    std::uint8_t state = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (words_[i] != 0) return static_cast<std::uint8_t>(64 * i + static_cast<unsigned>(std::countr_zero(words_[i])));
    }
    return state;
  }
  StateSet& operator|=(const StateSet& other) {
    for (std::size_t i = 0; i < 4; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  bool operator==(const StateSet&) const = default;
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visit(static_cast<std::uint8_t>(64 * i + static_cast<unsigned>(std::countr_zero(word))));
      }
    }
  }

 private:
  std::array<std::uint64_t, 4> words_{};
};

// Immutable; thread-safe.
class Automaton {
 public:
  using State = std::uint8_t;
  // These three stay, whatever follows.
  static constexpr State kFound = 0;    // it matches
  static constexpr State kLost = 1;     // it cannot match any more
  static constexpr State kUnknown = 2;  // only the text as a whole tells
  static constexpr std::size_t kMostStates = 160;

  // The automaton of a literal text, anywhere or as the whole. nullptr: too long.
  static std::shared_ptr<const Automaton> of_text(std::string_view text, bool whole);
  // For a valid regular expression, matched anywhere. nullptr: it uses unsupported features or needs too many states.
  // Bytes that are not ASCII lead to kUnknown.
  static std::shared_ptr<const Automaton> of_regex(std::string_view text, bool ignore_case);

  // For texts of which one must be in what is searched before anything can match: what has none is no match, and of
  // what has one only the text as a whole tells (End::kUnknown). Bytes are themselves, ASCII letters of either case
  // with `ignore_case`. nullptr: they need too many states.
  static std::shared_ptr<const Automaton> of_necessary(const std::vector<std::string>& texts, bool ignore_case);

  State start() const { return start_; }
  std::size_t states() const { return ends_.size(); }
  static bool is_decided(State state) { return state <= kUnknown; }

  enum class End : std::uint8_t { kNoMatch, kMatch, kUnknown };
  End end(State state) const { return ends_[state]; }

  State step(State state, std::uint8_t byte) const { return next_[std::size_t{state} << 8 | byte]; }
  State run(State state, std::string_view text) const {
    for (const char c : text) state = step(state, static_cast<std::uint8_t>(c));
    return state;
  }
  // After a number in decimal, without a sign, in as many digits as it has.
  State run_decimal(State state, std::uint64_t value) const;
  // In so many digits at least.
  State run_decimal(State state, std::uint64_t value, unsigned width) const;
  State run_hex(State state, std::uint64_t value, unsigned width, bool upper) const;

  // Numbers go by parts of up to three digits: the first of as many as it has, the others of three.
  static constexpr std::uint32_t kNoPart = 0;
  static std::uint32_t first_part(std::uint64_t value) {  // below 1000
    const auto v = static_cast<std::uint32_t>(value);
    return 1 + v + (v >= 10 ? 10 : 0) + (v >= 100 ? 100 : 0);
  }
  static std::uint32_t later_part(std::uint32_t value) { return 111 + value; }
  // That of 0 in one, two or three digits.
  static constexpr std::uint32_t part_of(unsigned digits) { return digits == 1 ? 1 : digits == 2 ? 11 : 111; }
  State digits(State state, std::uint32_t part) const { return numbers_[state * kNumbers + part]; }
  // 256 a state, by the value of two hexadecimal digits.
  const State* hex_pairs(bool upper) const { return hex_pairs_.data() + (upper ? ends_.size() * 256 : 0); }

  // The states that any of the characters leads to, state by state.
  using Alphabet = std::vector<StateSet>;
  Alphabet alphabet(const CharSet& characters) const;
  // Where one or more characters of an alphabet lead, and where so many do.
  StateSet reach(State from, const Alphabet& alphabet) const;
  StateSet reach(State from, const Alphabet& alphabet, unsigned least, unsigned most) const;
  const Alphabet& decimal_digits() const { return decimal_digits_; }
  const Alphabet& lower_digits() const { return lower_digits_; }
  const Alphabet& upper_digits() const { return upper_digits_; }
  const Alphabet& signed_digits() const { return signed_digits_; }  // and '-'
  const Alphabet& fixed_digits() const { return fixed_digits_; }    // of floating point in plain decimals
  const Alphabet& number_texts() const { return number_texts_; }    // of numbers in any form
  const Alphabet& anything() const { return anything_; }

  // All bases, nan, infinity.
  static constexpr std::string_view kNumberCharacters = "0123456789abcdefABCDEFxXpP+-. infINFatyTY";

 private:
  friend class AutomatonBuilder;
  static constexpr std::size_t kNumbers = 1111;  // no digit, one, two, three

  Automaton() = default;
  void make_tables();
  State start_ = kLost;
  std::vector<State> next_;  // 256 a state
  std::vector<End> ends_;
  std::vector<State> numbers_;    // kNumbers a state
  std::vector<State> hex_pairs_;  // 256 a state, in lower case, then as many in upper case
  Alphabet decimal_digits_, lower_digits_, upper_digits_, signed_digits_, fixed_digits_, number_texts_, anything_;
};

}  // namespace steno::query
