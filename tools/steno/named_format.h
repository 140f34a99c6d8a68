// Lines that say which file they are from, where several are followed.
#pragma once

#include <memory>
#include <string>

#include "lines/line_format.h"
#include "lines_names.h"

namespace steno::cli {

enum class LineKind { kText, kJson, kCsv, kLogfmt };

// The lines of `format`, each with the path of its file: before a line of text and ": ", else as a field "path", the
// first. A slice of blocks that came from no file is of `path`.
std::unique_ptr<LineFormat> name_files_in(std::unique_ptr<LineFormat> format, LineKind kind, std::string path);

}  // namespace steno::cli
