// For programs that include Quill by this name: -I…/include/steno/compat.
#pragma once

#include "../../quill.h"
