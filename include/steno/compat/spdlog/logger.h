// For programs that include spdlog by this name: -I…/include/steno/compat.
#pragma once

#include "../../spdlog.h"
