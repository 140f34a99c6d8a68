// Lines of JSON, with a say in how they are printed and a count of those that were printed in the quick way.
#pragma once

#include <cstddef>
#include <memory>

#include "lines/line_format.h"

namespace steno::lines {

// As make_json_format() of line_format.h. `programs`: whether there are JsonPrograms. Adds to *by_program, if it is not
// null, the records that one printed: bytes do not tell. It must outlive the format.
std::unique_ptr<LineFormat> make_json_format(const LineOptions& options, bool programs, std::size_t* by_program);

}  // namespace steno::lines
