// What src/lines has, under the command's own names.
#pragma once

#include "lines/escape.h"

namespace steno::cli {

using namespace steno::lines;

}  // namespace steno::cli
