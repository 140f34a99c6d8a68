// A flight recorder: details that come into the log only where something went wrong after them.
#include <steno/log.h>
#include <steno/session.h>

int main() {
  steno::Options options;
  options.path = "app.steno";
  options.level = steno::Level::kDebug;
  options.recorder.below = steno::Level::kInfo;  // DEBUG goes to the recorder, INFO and above to the file
  options.recorder.records = 3;                  // of what it has, the last three
  if (!steno::start(options)) return 1;

  for (int order = 1; order <= 9; ++order) STENO_DEBUG("order {order} is fine", order);
  STENO_INFO("nine orders");
  STENO_ERROR("order {order} is lost", 10);
  steno::stop();
  return 0;
}
