// JSON lines, with control over how they are printed and a count of those printed in the fast way.
#pragma once

#include <cstddef>
#include <memory>

#include "lines/line_format.h"

namespace steno::lines {

// Does what make_json_format() of line_format.h does. `programs`: whether there are JsonPrograms. Adds the number of
// records that programs printed to *by_program, if it is not null; the output does not show it. It must outlive the
// format.
std::unique_ptr<LineFormat> make_json_format(const LineOptions& options, bool programs, std::size_t* by_program);

}  // namespace steno::lines
