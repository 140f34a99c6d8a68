// Brings names of src/lines into the command's namespace.
#pragma once

#include "lines/escape.h"

namespace steno::cli {

using namespace steno::lines;

}  // namespace steno::cli
