// For programs that include Quill by this name: -I…/include/steno/compat.
#pragma once

#include <fmt/format.h>

#include "../../../../quill.h"
