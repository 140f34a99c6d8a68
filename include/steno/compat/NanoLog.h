// For programs that include NanoLog by this name: -I…/include/steno/compat.
#pragma once

#include "../nanolog.h"
#ifdef EXPOSE_PRIVATES
#include "RuntimeLogger.h"
#endif
