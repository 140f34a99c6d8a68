// How producers wake the scribe that drains their rings, in the process or outside.
#pragma once

#include <atomic>

#include "staging/own_staging.h"

namespace steno::runtime {

class ScribeCall {
 public:
  explicit ScribeCall(staging::OwnStaging& staging) : staging_(staging) {}

  // Wakes the scribe if it sleeps. `soon`: it should write at once what there is. Any thread, in signal handlers too.
  void wake(bool soon);

  // The scribe's side: whether it should; take_hurry() forgets it.
  bool is_hurried() const { return hurry_.load(std::memory_order_acquire); }
  bool take_hurry() { return hurry_.exchange(false, std::memory_order_acq_rel); }

 private:
  staging::OwnStaging& staging_;
  std::atomic<bool> hurry_{false};
};

}  // namespace steno::runtime
