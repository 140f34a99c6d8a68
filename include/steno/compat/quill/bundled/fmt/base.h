// For programs that include Quill by this name: -I…/include/steno/compat.
#pragma once

#include <fmt/core.h>

#include "../../../../quill.h"
