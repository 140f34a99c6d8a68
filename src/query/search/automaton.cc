#include "query/search/automaton.h"

#include <algorithm>

namespace steno::query {
namespace {

constexpr const char* kLowerDigits = "0123456789abcdef";
constexpr const char* kUpperDigits = "0123456789ABCDEF";

}  // namespace

void Automaton::make_tables() {
  const std::size_t states = ends_.size();
  numbers_.resize(states * kNumbers);
  hex_pairs_.resize(2 * states * 256);
  for (std::size_t s = 0; s < states; ++s) {
    State* none = numbers_.data() + s * kNumbers;
    State* one = none + 1;
    State* two = one + 10;
    State* three = two + 100;
    *none = static_cast<State>(s);
    for (std::size_t d = 0; d < 10; ++d) one[d] = next_[s << 8 | ('0' + d)];
    for (std::size_t v = 0; v < 100; ++v) two[v] = next_[std::size_t{one[v / 10]} << 8 | ('0' + v % 10)];
    for (std::size_t v = 0; v < 1000; ++v) three[v] = next_[std::size_t{two[v / 10]} << 8 | ('0' + v % 10)];
    for (std::size_t upper = 0; upper < 2; ++upper) {
      const char* digits = upper != 0 ? kUpperDigits : kLowerDigits;
      State* pairs = hex_pairs_.data() + (upper * states + s) * 256;
      for (std::size_t v = 0; v < 256; ++v) {
        const State high = step(static_cast<State>(s), static_cast<std::uint8_t>(digits[v >> 4]));
        pairs[v] = step(high, static_cast<std::uint8_t>(digits[v & 15]));
      }
    }
  }
  decimal_digits_ = alphabet(set_of(std::string_view(kLowerDigits, 10)));
  lower_digits_ = alphabet(set_of(kLowerDigits));
  upper_digits_ = alphabet(set_of(kUpperDigits));
  signed_digits_ = alphabet(set_of("0123456789-"));
  fixed_digits_ = alphabet(set_of("0123456789-.infa"));
  number_texts_ = alphabet(set_of(kNumberCharacters));
  anything_ = alphabet(CharSet().set());
}

Automaton::State Automaton::run_decimal(State state, std::uint64_t value) const {
  std::uint32_t parts[7];
  std::size_t n = 0;
  for (; value >= 1'000; value /= 1'000) parts[n++] = static_cast<std::uint32_t>(value % 1'000);
  state = digits(state, first_part(value));
  while (n != 0) state = digits(state, later_part(parts[--n]));
  return state;
}

Automaton::State Automaton::run_decimal(State state, std::uint64_t value, unsigned width) const {
  std::uint32_t parts[8];  // of three digits, the last first; widths are at most 19
  std::size_t n = 0;
  unsigned left = width;
  std::uint64_t rest = value;
  for (; left > 3; left -= 3, rest /= 1'000) parts[n++] = static_cast<std::uint32_t>(rest % 1'000);
  constexpr std::uint32_t kAbove[] = {1, 10, 100, 1'000};
  if (rest >= kAbove[left]) return run_decimal(state, value);  // it has more digits
  state = digits(state, part_of(left) + static_cast<std::uint32_t>(rest));
  while (n != 0) state = digits(state, later_part(parts[--n]));
  return state;
}

Automaton::State Automaton::run_hex(State state, std::uint64_t value, unsigned width, bool upper) const {
  unsigned left = std::max(1u, (static_cast<unsigned>(std::bit_width(value)) + 3) / 4);
  left = std::max(left, width);
  if (left % 2 != 0) {
    --left;
    const std::uint64_t first = left < 16 ? value >> 4 * left & 15 : 0;
    state = step(state, static_cast<std::uint8_t>((upper ? kUpperDigits : kLowerDigits)[first]));
  }
  const State* pairs = hex_pairs(upper);
  while (left != 0) {
    left -= 2;
    state = pairs[std::size_t{state} << 8 | (value >> 4 * left & 255)];
  }
  return state;
}

Automaton::Alphabet Automaton::alphabet(const CharSet& characters) const {
  Alphabet alphabet(ends_.size());
  for (std::size_t s = 0; s < alphabet.size(); ++s) {
    for (unsigned c = 0; c < 256; ++c) {
      if (characters[c]) alphabet[s].add(next_[s << 8 | c]);
    }
  }
  return alphabet;
}

StateSet Automaton::reach(State from, const Alphabet& alphabet) const {
  StateSet all = alphabet[from];
  StateSet done;
  for (bool more = true; more;) {
    more = false;
    const StateSet now = all;
    now.each([&](State state) {
      if (done.has(state)) return;
      done.add(state);
      all |= alphabet[state];
      more = true;
    });
  }
  return all;
}

StateSet Automaton::reach(State from, const Alphabet& alphabet, unsigned least, unsigned most) const {
  StateSet all;
  StateSet now(from);
  for (unsigned n = 1; n <= most; ++n) {
    StateSet next;
    now.each([&](State state) { next |= alphabet[state]; });
    if (n >= least) all |= next;
    now = next;
  }
  return all;
}

}  // namespace steno::query
