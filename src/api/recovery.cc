#include "api/recovery.h"

#include <pthread.h>

#include <cstdint>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "api/start_options.h"
#include "base/clock.h"
#include "base/early.h"
#include "base/futex.h"
#include "base/never_destroyed.h"
#include "base/signal_safe_lock.h"
#include "live/recover.h"

namespace steno::api {
namespace {

constexpr std::int64_t kMostWaitNs = 1'000'000'000;

struct Background {
  std::atomic<bool> begun{false};
  std::atomic<bool> stop{false};
  std::uint32_t runs = 0;  // 1 while the thread is at it; a futex
  std::thread thread;
};

Background& background() {
  static NeverDestroyed<Background> instance;
  return *instance;
}
STENO_MAKE_EARLY(background())

}  // namespace

void recover_orphans(const Options& options, const std::atomic<bool>* stop) {
  if (options.path.empty()) return;  // whoever names its log recovers it
  std::vector<std::string> problems;
  std::vector<std::string> roots;
  if (!options.staging_directory.empty()) roots.push_back(options.staging_directory);
  (void)live::recover_for(options.path, live::Search::kMarked, roots, {}, &problems, options.file_mode, stop);
  for (const std::string& problem : problems) {
    warn(options, "records of an earlier run could not be recovered yet: " + problem);
  }
}

void recover_unattended(runtime::Core& core, const Options& options) {
  if (options.scribe == Scribe::kExternal && !core.staging().is_attended()) recover_orphans(options);
}

void recover_in_background(const Options& options) {
  Background& recovery = background();
  if (recovery.begun.exchange(true, std::memory_order_acq_rel)) return;
  const BlockSignals inherited;  // the program's handlers have no business there
  recovery.runs = 1;
  try {
    recovery.thread = std::thread([options, &recovery] {
      pthread_setname_np(pthread_self(), "steno-recovery");
      try {
        recover_orphans(options, &recovery.stop);
      } catch (...) {
        // No memory: everything stays where it is, and the next start recovers it.
      }
      __atomic_store_n(&recovery.runs, 0, __ATOMIC_RELEASE);
      futex_wake(&recovery.runs);
    });
  } catch (const std::system_error&) {
    // No thread to be had: the next session recovers.
  }
}

void end_background_recovery() {
  Background& recovery = background();
  if (!recovery.thread.joinable()) return;
  const std::int64_t end = monotonic_now() + kMostWaitNs;
  for (std::int64_t now = 0; __atomic_load_n(&recovery.runs, __ATOMIC_ACQUIRE) != 0 && (now = monotonic_now()) < end;)
    futex_wait(&recovery.runs, 1, end - now);
  recovery.stop.store(true, std::memory_order_release);
  recovery.thread.join();
}

void forget_background_recovery() {
  new (&background()) Background;  // the thread's handle is not even to be detached
}

}  // namespace steno::api
