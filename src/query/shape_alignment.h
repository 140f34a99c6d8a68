// Where in strings of a shape a text can be, as conditions on the numbers in them.
#pragma once

#include <cstdint>
#include <vector>

#include "format/codecs/string_shape.h"
#include "query/digit_test.h"
#include "query/message_shape.h"
#include "query/needle.h"

namespace steno::query {

// One place where it can be: in strings of which all these hold.
using Alignment = std::vector<DigitTest>;

// All places where a needle that heeds the case can be in a string, whole or the part that a match has in it. Requires
// a shape without text pieces. False: too many to say.
[[nodiscard]] bool align(const Needle& needle, const NeedleSites::Column& column, const format::Shape& shape,
                         std::vector<Alignment>* alignments);

}  // namespace steno::query
