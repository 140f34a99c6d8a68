// How well shapes would do for a column of strings (the codec is in string_codec.h).
#pragma once

#include "format/codecs/string_codec.h"

namespace steno::format {

enum class ShapeFit {
  kNone,     // not much smaller than the strings as they are
  kTexts,    // smaller; but what varies is mostly text, which a dictionary may do better
  kNumbers,  // what varies is numbers
};

// Looks at a sample, and leaves the shapes that it finds in `scratch`, for kShapedStringCodec to encode with. Requires
// source.count >= 1.
ShapeFit find_shapes(const StringSource& source, StringScratch& scratch);
// Bits that each string of that sample takes in its shape, about. Only after a fit that is not kNone.
std::size_t shaped_bits(const StringScratch& scratch);

}  // namespace steno::format
