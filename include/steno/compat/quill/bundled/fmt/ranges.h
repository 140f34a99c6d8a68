// For programs that include Quill by this name: -I…/include/steno/compat.
#pragma once

#include <fmt/ranges.h>

#include "../../../../quill.h"
