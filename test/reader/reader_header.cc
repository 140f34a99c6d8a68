#include "steno/reader.h"

// The example of README and header compiles as C++17.
std::size_t count_warnings(steno::LogReader& log) {
  std::size_t n = 0;
  log.for_each([&](const steno::Record& r) { n += r.level() >= steno::Level::kWarn ? 1 : 0; });
  return n;
}
