#include "runtime/termination.h"

#include <atomic>

namespace steno {
namespace {

struct Place {
  void* context = nullptr;
  std::atomic<TerminationCallback> callback{nullptr};  // stored last
};
Place wanted_callbacks[runtime::kMostTerminationCallbacks];
std::atomic<unsigned> wanted_count{0};

}  // namespace

bool on_termination(TerminationCallback callback, void* context) noexcept {
  if (callback == nullptr) return false;
  unsigned place = wanted_count.load(std::memory_order_relaxed);
  do {
    if (place == runtime::kMostTerminationCallbacks) return false;
  } while (!wanted_count.compare_exchange_weak(place, place + 1, std::memory_order_relaxed));
  wanted_callbacks[place].context = context;
  wanted_callbacks[place].callback.store(callback, std::memory_order_release);
  return true;
}

runtime::WantedCall runtime::termination_callback(unsigned i) {
  if (i >= runtime::kMostTerminationCallbacks) return {};
  // Pairs with the release store in on_termination().
  const TerminationCallback callback = wanted_callbacks[i].callback.load(std::memory_order_acquire);
  return {callback, wanted_callbacks[i].context};
}

}  // namespace steno
