#include "scribe/warnings.h"

#include <cstdio>

namespace steno::scribe {

void warn(const Options& options, const std::string& what) {
  if (options.on_warning) {
    options.on_warning(what);
  } else {
    fprintf(stderr, "steno: %s\n", what.c_str());
  }
}

void check_warnings(runtime::Core& core, const Options& options) {
  core.dictionary().retry();
  for (std::string warning; !(warning = core.take_warning()).empty();) warn(options, warning);
}

}  // namespace steno::scribe
