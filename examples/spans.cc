// How long things take, and what they consist of: spans, which end with their scope.
#include <steno/log.h>
#include <steno/session.h>
#include <steno/span.h>

#include <stdexcept>

void merge(int file) {
  STENO_SPAN_AT(DEBUG, "merge {file}", file);
  if (file == 12) throw std::runtime_error("no room");
}

void compact(int level) {
  STENO_SPAN("compact {level}", level);
  for (int file = 10; file < 13; ++file) merge(file);
}

int main() {
  if (!steno::start("app.steno")) return 1;
  try {
    compact(3);
  } catch (const std::exception& error) {
    STENO_ERROR("compaction failed: {reason}", error.what());
  }
  steno::set_level(steno::Level::kDebug);
  {
    STENO_SPAN("check");
    merge(10);
  }
}
