// Lines of text by a pattern, with a count of those that were printed in the quick way.
#pragma once

#include <cstddef>
#include <memory>

#include "lines/line_format.h"

namespace steno::lines {

// Does what make_text_format() of line_format.h does. Adds the number of lines whose messages were printed many at a
// time (MessageProgram) to *together, if it is not null; the output does not show it. It must outlive the format.
std::unique_ptr<LineFormat> make_text_format(LineOptions options, std::size_t* together);

}  // namespace steno::lines
