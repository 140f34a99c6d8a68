// Infers the types of a printf format's arguments from the format.
#pragma once

#include <string_view>

#include "steno/detail/format_check.h"

namespace steno::runtime {

// Checks a format with arguments of the types that it needs; sets `count` to their number. Not ok: no arguments fit, or
// printf would not be safe.
detail::FormatCheck infer_types(std::string_view format, int* count);

}  // namespace steno::runtime
