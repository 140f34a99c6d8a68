// The common part of one word of many strings: the pieces of a shape that stand for it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "format/strings/shapes/shape.h"

namespace steno::format {

// Bits that strings take, for choosing among codecs.
struct ShapeEstimate {
  std::size_t raw = 0;     // as bytes and lengths
  std::size_t shaped = 0;  // in shapes
  std::size_t texts = 0;   // of that, in text pieces and in strings without a shape
};

inline constexpr std::size_t kLengthBits = 4;  // of a short string's length

// Appends to a constant piece, or begins one.
void append_constant(std::string_view text, Shape* shape);

// Appends pieces that take all of these words, of which none is empty, and adds what they cost to the estimate. The
// words are a sample: others may not fit.
void append_word(std::span<const std::string_view> words, Shape* shape, ShapeEstimate* estimate);

// Returns whether append_word would find more than a text in these words.
bool has_shape(std::span<const std::string_view> words);

// Equal for words that append_word may find a common shape for.
std::uint32_t word_class(std::string_view word);

std::size_t count_distinct(std::span<const std::string_view> words);

}  // namespace steno::format
