// Records that must not be lost without notice: a statement says whether its record was accepted.
#include <steno/log.h>
#include <steno/session.h>

#include <cstdio>

int main() {
  steno::Options options;
  options.path = "app.steno";
  options.when_full = steno::WhenFull::kDrop;
  if (!steno::start(options)) return 1;

  int unlogged = 0;
  for (int payment = 1; payment <= 3; ++payment) {
    if (!STENO_TRY_INFO("paid {amount} for order {order}", 100 * payment, payment)) ++unlogged;
  }
  if (unlogged != 0) std::fprintf(stderr, "%d payments are not in the log\n", unlogged);

  // Disabled is no failure: nothing was to be logged.
  if (!STENO_TRY_DEBUG("{order}: details", 3)) return 1;
  return unlogged;
}
