// Lines with the path of their file, for commands that follow several.
#pragma once

#include <memory>
#include <string>

#include "lines/line_format.h"
#include "output/lines_names.h"

namespace steno::cli {

// Adds the path of its file to each line of `format`: in front of text and ": ", else as the first field, "path".
// Blocks that come from no file get `path`.
std::unique_ptr<LineFormat> name_files_in(std::unique_ptr<LineFormat> format, LineKind kind, std::string path);

}  // namespace steno::cli
