// For programs that include glog by this name: -I…/include/steno/compat.
#pragma once

#include "../../glog.h"
#include "../../glog/stl_logging.h"
