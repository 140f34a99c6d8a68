// A program's header with statements, included by several files as any other.
#pragma once

#include "NanoLogCpp17.h"

#define LOG NANO_LOG

inline void in_the_header() {
  NANO_LOG(NOTICE, "in the header");
}
