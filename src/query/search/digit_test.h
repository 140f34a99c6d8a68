// Questions about the digits of a number, asked of the number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "format/strings/shapes/shape.h"

namespace steno::query {

// A test for digits: whether they are all of a printed number, its first ones, its last ones, or anywhere in it.
struct DigitTest {
  enum class Where { kAll, kFirst, kLast, kAnywhere };

  Where where = Where::kAll;
  std::uint32_t number = 0;  // which of the shape's numbers
  unsigned base = 10;
  unsigned width = 1;  // numbers are printed with so many digits at least
  unsigned digits = 0;
  std::uint64_t value = 0;  // what the digits spell
  bool begins_with_zero = false;

  // `text` is of digits of the piece's kind, at least one. False: no number of the piece can be printed so.
  static bool make(Where where, std::uint32_t number, const format::Piece& piece, std::string_view text,
                   DigitTest* test);
  // Makes a test likewise of numbers in a base, 10 or 16, of `width` digits at least.
  static bool make(Where where, unsigned base, unsigned width, std::string_view text, DigitTest* test);

  // Sets found[i] to 1 where the test holds for values[i]; none is more than `greatest`. Both are equally long.
  void find(std::span<const std::uint64_t> values, std::uint64_t greatest, std::uint8_t* found) const;
  // Returns whether the test can hold for a number from `least` to `greatest`. Not for kFirst.
  bool may_hold_between(std::uint64_t least, std::uint64_t greatest) const;
  // Among so many numbers in a row there may well be one: base^digits, or the most there is.
  std::uint64_t period() const;
  // Returns whether values up to `greatest` may come in 32 bits each, which takes half the time.
  bool is_narrow(std::uint64_t greatest) const;
  // Tests such values likewise.
  void find(std::span<const std::uint32_t> values, std::uint64_t greatest, std::uint8_t* found) const;
  // Clears keep[i] where the test fails on values[i]. Both are equally long.
  void apply(std::span<const std::uint64_t> values, std::span<std::uint8_t> keep) const;
};

}  // namespace steno::query
