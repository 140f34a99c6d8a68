// For programs that include Quill by this name: -I…/include/steno/compat.
#pragma once

#include <fmt/ostream.h>

#include "../../../../quill.h"
