// What a file that contradicts itself is told with.
#pragma once

#include "steno/status.h"

namespace steno::reader {

inline Status corrupt(const char* what) {
  return {StatusCode::kCorrupt, what};
}

}  // namespace steno::reader
