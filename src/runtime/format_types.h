// The types of a printf format's arguments, as far as the format itself tells them.
#pragma once

#include <string_view>

#include "steno/detail/format_check.h"

namespace steno::runtime {

// The check of a format with arguments of the types that it asks for; `count` becomes how many it has. Not ok: there
// are no such arguments, or printf would not be safe.
detail::FormatCheck infer_types(std::string_view format, int* count);

}  // namespace steno::runtime
