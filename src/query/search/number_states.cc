#include "query/search/number_states.h"

#include <algorithm>
#include <bit>

namespace steno::query {
namespace {

using State = Automaton::State;

constexpr std::uint64_t kThousand = 1'000;
constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kBillion = 1'000'000'000;
constexpr std::uint64_t kTrillion = 1'000'000'000'000;

unsigned decimal_digits(std::uint64_t value) {
  unsigned n = 1;
  for (; value >= 10; value /= 10) ++n;
  return n;
}

// Advances by as many digits as each value has. No branch depends on a value: those are guessed wrong too often.
void advance_plain(const Automaton& a, std::span<const std::uint64_t> values, std::uint64_t greatest,
                   RowStates* states) {
  const std::uint64_t least = greatest < kBillion ? 0 : *std::min_element(values.begin(), values.end());
  if (greatest < kThousand) {
    states->advance([&](std::size_t i, State s) { return a.digits(s, Automaton::first_part(values[i])); });
  } else if (greatest < kMillion) {
    states->advance([&](std::size_t i, State s) {
      const auto value = static_cast<std::uint32_t>(values[i]);
      const std::uint32_t high = value / 1'000;
      const std::uint32_t low = value - high * 1'000;
      s = a.digits(s, high != 0 ? Automaton::first_part(high) : Automaton::kNoPart);
      return a.digits(s, high != 0 ? Automaton::later_part(low) : Automaton::first_part(low));
    });
  } else if (greatest < kBillion) {
    states->advance([&](std::size_t i, State s) {
      const auto value = static_cast<std::uint32_t>(values[i]);
      const std::uint32_t thousands = value / 1'000;
      const std::uint32_t high = value / 1'000'000;
      const std::uint32_t middle = thousands - high * 1'000;
      const std::uint32_t low = value - thousands * 1'000;
      s = a.digits(s, high != 0 ? Automaton::first_part(high) : Automaton::kNoPart);
      const std::uint32_t first = middle != 0 ? Automaton::first_part(middle) : Automaton::kNoPart;
      s = a.digits(s, high != 0 ? Automaton::later_part(middle) : first);
      return a.digits(s, thousands != 0 ? Automaton::later_part(low) : Automaton::first_part(low));
    });
  } else if (greatest < kTrillion && least >= kBillion) {
    states->advance([&](std::size_t i, State s) {
      const std::uint64_t high = values[i] / kBillion;
      const auto value = static_cast<std::uint32_t>(values[i] - high * kBillion);
      const std::uint32_t thousands = value / 1'000;
      const std::uint32_t millions = value / 1'000'000;
      s = a.digits(a.digits(s, Automaton::first_part(high)), Automaton::later_part(millions));
      s = a.digits(s, Automaton::later_part(thousands - millions * 1'000));
      return a.digits(s, Automaton::later_part(value - thousands * 1'000));
    });
  } else {
    states->advance([&](std::size_t i, State s) { return a.run_decimal(s, values[i]); });
  }
}

// All in `width` digits.
void advance_padded(const Automaton& a, std::span<const std::uint64_t> values, unsigned width, RowStates* states) {
  const std::uint32_t first = Automaton::part_of(width % 3 != 0 ? width % 3 : 3);
  if (width <= 3) {
    states->advance([&](std::size_t i, State s) { return a.digits(s, first + static_cast<std::uint32_t>(values[i])); });
  } else if (width <= 6) {
    states->advance([&](std::size_t i, State s) {
      const auto value = static_cast<std::uint32_t>(values[i]);
      const std::uint32_t high = value / 1'000;
      return a.digits(a.digits(s, first + high), Automaton::later_part(value - high * 1'000));
    });
  } else if (width <= 9) {
    states->advance([&](std::size_t i, State s) {
      const auto value = static_cast<std::uint32_t>(values[i]);
      const std::uint32_t thousands = value / 1'000;
      const std::uint32_t high = value / 1'000'000;
      s = a.digits(a.digits(s, first + high), Automaton::later_part(thousands - high * 1'000));
      return a.digits(s, Automaton::later_part(value - thousands * 1'000));
    });
  } else {
    states->advance([&](std::size_t i, State s) { return a.run_decimal(s, values[i], width); });
  }
}

void advance_each(const Automaton& automaton, const NumberText& text, std::span<const std::uint64_t> values,
                  std::uint64_t greatest, RowStates* states) {
  const bool padded = text.width > 1;
  const bool longer = text.digits(greatest) > text.width;
  if (text.base == NumberText::Base::kDecimal) {
    if (!padded) return advance_plain(automaton, values, greatest, states);
    if (!longer) return advance_padded(automaton, values, text.width, states);
    return states->advance([&](std::size_t i, State s) { return automaton.run_decimal(s, values[i], text.width); });
  }
  const bool upper = text.base == NumberText::Base::kUpperHex;
  if (longer) {
    return states->advance([&](std::size_t i, State s) { return automaton.run_hex(s, values[i], text.width, upper); });
  }
  const State* pairs = automaton.hex_pairs(upper);
  const char* alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  const unsigned odd = text.width % 2;
  const unsigned begin = 4 * (text.width - odd);
  states->advance([&](std::size_t i, State s) {
    const std::uint64_t value = values[i];
    if (odd != 0) s = automaton.step(s, static_cast<std::uint8_t>(alphabet[begin < 64 ? value >> begin & 15 : 0]));
    for (unsigned shift = begin; shift != 0;) {
      shift -= 8;
      s = pairs[std::size_t{s} << 8 | (value >> shift & 255)];
    }
    return s;
  });
}

}  // namespace

bool NumberText::has_digit(char c) const {
  if (c >= '0' && c <= '9') return true;
  const char a = base == Base::kLowerHex ? 'a' : 'A';
  return base != Base::kDecimal && c >= a && c <= a + 5;
}

unsigned NumberText::digits(std::uint64_t value) const {
  const unsigned n = base == Base::kDecimal ? decimal_digits(value)
                                            : std::max(1u, (static_cast<unsigned>(std::bit_width(value)) + 3) / 4);
  return std::max(n, width);
}

const Automaton::Alphabet& NumberText::alphabet(const Automaton& automaton) const {
  if (base == Base::kDecimal) return automaton.decimal_digits();
  return base == Base::kLowerHex ? automaton.lower_digits() : automaton.upper_digits();
}

void advance_suffix(const Automaton& automaton, const Suffix& suffix, RowStates* states) {
  std::array<State, 256> to{};
  states->present().each([&](State state) { to[state] = suffix.after(automaton, state); });
  states->map(to);
}

void step_numbers(const Automaton& automaton, const NumberText& text, std::span<const std::uint64_t> values,
                  std::uint64_t greatest, const Suffix& suffix, RowStates* states) {
  advance_each(automaton, text, values, greatest, states);
  advance_suffix(automaton, suffix, states);
}

}  // namespace steno::query
