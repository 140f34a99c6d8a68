// For programs that include Quill by this name: -I…/include/steno/compat.
#pragma once

#include <fmt/std.h>

#include "../../../../quill.h"
