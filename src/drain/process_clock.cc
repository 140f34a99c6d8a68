#include "drain/process_clock.h"

#include <mutex>
#include <new>

#include "base/early.h"
#include "base/never_destroyed.h"
#include "staging/clock_rate.h"

namespace steno::drain {
namespace {

// The model of the process's last session, if any: the next one goes on with it.
struct LastClock {
  std::mutex mutex;
  bool known = false;
  alignas(ClockModel) unsigned char model[sizeof(ClockModel)];
};
LastClock& last_clock() {
  static NeverDestroyed<LastClock> clock;
  return *clock;
}
STENO_MAKE_EARLY(last_clock())

}  // namespace

ClockModel process_clock(staging::Doorbell* bell) {
  // Not locked in vain: another thread of a parent process may have had it when this one was forked.
  LastClock& last = last_clock();
  if (const std::unique_lock lock(last.mutex, std::try_to_lock); lock.owns_lock() && last.known) {
    ClockModel model = *reinterpret_cast<const ClockModel*>(last.model);
    model.begin_session();
    return model;
  }
  if (bell == nullptr || best_clock() == ClockKind::kWall)
    return {read_both(nominal_ns_per_tick()), estimate_ns_per_tick()};
  const ClockReading now = read_both(nominal_ns_per_tick());
  if (const double known = staging::load_clock_rate(bell, now); known != 0) return {now, known};
  const double measured = estimate_ns_per_tick();
  staging::store_clock_rate(bell, now, measured);
  return {now, measured};
}

void keep_process_clock(const ClockModel& model) {
  LastClock& last = last_clock();
  if (const std::unique_lock lock(last.mutex, std::try_to_lock); lock.owns_lock()) {
    new (last.model) ClockModel(model);
    last.known = true;
  }
}

}  // namespace steno::drain
