// One argument as a JSON value.
#pragma once

#include "base/bytes.h"
#include "lines/line_format.h"
#include "text/meaning.h"
#include "text/value.h"

namespace steno::lines {

// Integers up to here, and down to its negative, are what they are in readers whose numbers are floats.
inline constexpr std::int64_t kMostExact = std::int64_t{1} << 53;

// Appends it. `meaning`: of its numbers, or nullptr. Amounts of a unit are numbers in any case.
void append_json_value(const text::Value& value, const text::Meaning* meaning, ByteBuffer& out,
                       BigIntegers big_integers = BigIntegers::kNumbers);

}  // namespace steno::lines
