// How well shapes would do for a column of strings (the codec is in codec.h).
#pragma once

#include "format/strings/codec.h"

namespace steno::format {

enum class ShapeFit {
  kNone,     // not much smaller than the strings as they are
  kTexts,    // smaller; but what varies is mostly text, which a dictionary may do better
  kNumbers,  // what varies is numbers
};

// Looks at a sample, and keeps the shapes that it finds, for kShapedStringCodec to encode with. Requires
// source.count >= 1.
ShapeFit find_shapes(const StringSource& source, const StringContext& context);
// Bits that each string of that sample takes in its shape, about. Only after a fit that is not kNone.
std::size_t shaped_bits(const StringContext& context);

}  // namespace steno::format
